/** A kind with three versions and a conversion webhook, and admission webhooks that see it in one of them. */
import type { Json, Session } from "../session.ts";
import { type Say, serveWebhook, type WebhookServer } from "../../webhook-server.ts";

export const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const MERGE = { "content-type": "application/merge-patch+json" };
export const APPLY = { "content-type": "application/apply-patch+yaml" };
/** Keeps what v1alpha1 cannot say. */
const KEPT = "example.com/kept";

/** Names of the fields of each version. */
export const FIELDS: Readonly<Record<string, readonly [host: string, replicas: string]>> = {
  v1: ["host", "replicas"],
  v1beta1: ["name", "count"],
  v1alpha1: ["domain", "size"],
};
const REPLICAS: Readonly<Record<string, number>> = { v1: 1, v1beta1: 2, v1alpha1: 3 };

/** Renames fields. `note` exists only in v1; in other versions an annotation has it. */
function convert(object: Json, desired: string): Json {
  const [group, to = ""] = desired.split("/");
  const [host, replicas] = FIELDS[String(object["apiVersion"]).split("/")[1] ?? ""] ?? ["", ""];
  const [newHost, newReplicas] = FIELDS[to] ?? ["", ""];
  const { [host]: h, [replicas]: r, note, ...rest } = object["spec"] ?? {};
  const { annotations = {}, ...metadata } = object["metadata"];
  const { [KEPT]: kept, ...others } = annotations;
  const known = note ?? kept;
  const spec = {
    ...rest,
    ...(h === undefined ? {} : { [newHost]: h }),
    ...(r === undefined ? {} : { [newReplicas]: r }),
    ...(to === "v1" && known !== undefined ? { note: known } : {}),
  };
  const notes = { ...others, ...(to !== "v1" && known !== undefined ? { [KEPT]: known } : {}) };
  const withNotes = Object.keys(notes).length === 0 ? metadata : { ...metadata, annotations: notes };
  return { ...object, apiVersion: `${group}/${to}`, metadata: withNotes, spec };
}

/** The kind Site of a scenario, in three versions. */
export interface Sites {
  readonly group: string;
  path(version: string, name?: string): string;
  /** Changes what the conversion answers, until it is called again without a function. */
  answer(change?: (converted: Json) => Json | string): void;
  /** Stores new objects in another version. */
  store(version: string): Promise<void>;
  stop(): Promise<void>;
}

/** Serves the kind with a conversion webhook. */
export async function serveSites({ namespace, quietly }: Session, stored = "v1"): Promise<Sites> {
  let change: (converted: Json) => Json | string = (converted) => converted;
  const server = await serveWebhook(({ request, apiVersion, kind }) => {
    const made = request.objects.map((object: Json) => change(convert(object, request.desiredAPIVersion)));
    const failed = made.find((one: Json | string) => typeof one === "string");
    const answer =
      failed === undefined ? { result: { status: "Success" }, convertedObjects: made } : { result: { status: "Failure", message: failed } };
    return { raw: JSON.stringify({ apiVersion, kind, response: { uid: request.uid, ...answer } }) };
  });
  const group = `${namespace}.example.com`;
  const versions = Object.entries(FIELDS).map(([name, [host, replicas]]) => ({
    name,
    served: true,
    storage: name === stored,
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: {
              [host]: { type: "string" },
              [replicas]: { type: "integer", default: REPLICAS[name] },
              trace: { type: "string" },
              ...(name === "v1" ? { note: { type: "string" } } : {}),
            },
          },
          status: { type: "object", properties: { phase: { type: "string" } } },
        },
      },
    },
  }));
  const clientConfig = { url: server.url, caBundle: server.ca };
  const body = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `sites.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Site", plural: "sites" },
      versions,
      conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
    },
  };
  await quietly("POST", DEFINITIONS, { body });
  const path = (version: string, name?: string): string =>
    `/apis/${group}/${version}/namespaces/${namespace}/sites${name === undefined ? "" : `/${name}`}`;
  for (const version of Object.keys(FIELDS))
    for (let tries = 0; tries < 100 && (await quietly("GET", path(version)))["kind"] !== "SiteList"; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    group,
    path,
    answer: (next = (converted) => converted) => void (change = next),
    store: async (version) => {
      const definition = await quietly("GET", `${DEFINITIONS}/sites.${group}`);
      const changed = versions.map((one) => ({ ...one, storage: one.name === version }));
      await quietly("PUT", `${DEFINITIONS}/sites.${group}`, {
        body: { ...definition, spec: { ...definition["spec"], versions: changed } },
      });
      // The real server uses the new version a moment after the answer.
      await new Promise((resolve) => setTimeout(resolve, 2000));
    },
    stop: async () => {
      await quietly("DELETE", `${DEFINITIONS}/sites.${group}`);
      await server.close();
    },
  };
}

type Hooks = Readonly<Record<string, Json>>;

/** Registers webhooks, by their names, while `act` runs. */
export async function withHooks(
  session: Session,
  say: Say,
  hooks: { readonly mutating?: Hooks; readonly validating?: Hooks },
  act: () => Promise<unknown>,
): Promise<void> {
  const { namespace, quietly } = session;
  const server = await serveWebhook(say);
  const made: string[] = [];
  for (const [phase, kind] of [
    ["mutating", "MutatingWebhookConfiguration"],
    ["validating", "ValidatingWebhookConfiguration"],
  ] as const) {
    const webhooks = Object.entries(hooks[phase] ?? {}).map(([name, more]) => hook(session, server, name, more));
    if (webhooks.length === 0) continue;
    const path = `${ADMISSION}/${kind.toLowerCase()}s`;
    const answer = await quietly("POST", path, {
      body: { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name: namespace }, webhooks },
    });
    if (answer["kind"] !== kind) throw new Error(`${kind} is refused: ${JSON.stringify(answer)}`);
    made.push(`${path}/${namespace}`);
  }
  try {
    // The real server learns of them through a watch.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await act();
  } finally {
    for (const path of made) await quietly("DELETE", path);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await server.close();
  }
}

function hook({ namespace }: Session, { url, ca }: WebhookServer, name: string, more: Json): Json {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: `${url}/${name}`, caBundle: ca },
    rules: [rule(`${namespace}.example.com`, "v1")],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
}

/** Returns a rule for one version of the kind. */
export function rule(group: string, version: string): Json {
  return { operations: ["*"], apiGroups: [group], apiVersions: [version], resources: ["sites", "sites/status"] };
}

/** Returns the part of a review that both servers must agree on. */
export function seen(path: string, { request }: Json): Json {
  const { kind, resource, requestKind, requestResource, operation, name, subResource = "" } = request;
  const shown = (object: Json | null): Json | null => {
    if (object === null) return null;
    const { name: named, labels = {}, annotations = {} } = object["metadata"];
    return { ...object, metadata: { name: named, labels, annotations } };
  };
  return {
    by: path.split("?")[0],
    kind,
    resource,
    requestKind,
    requestResource,
    operation,
    name,
    subResource,
    object: shown(request.object),
    oldObject: shown(request.oldObject),
  };
}
