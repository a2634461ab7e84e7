/** Applies the CRDs of the program and the samples, by server-side apply. Objects of samples that were removed stay. */
import { apiVersionOf, type Kind, keyOf, kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { CustomResourceDefinition } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import { CustomResourceDefinition as Crd } from "@treadle/apimachinery/kinds";
import { inOrder, readManifests } from "@treadle/apiserver/unstable/manifests";
import { type Client, discovery, follow } from "@treadle/client";
import { CliError } from "../cli-error.ts";
import type { DevEvent } from "./events.ts";

/** What an apply needs. */
export interface ApplyOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  onEvent(event: DevEvent): void;
}

const FIELD_MANAGER = "treadle-dev";

/** Applies CRDs, and waits until the server serves their kinds. Resolves to whether one was changed. @throws CliError that names the CRD */
export async function applyCrds(crds: readonly CustomResourceDefinition[], options: ApplyOptions): Promise<boolean> {
  let isChanged = false;
  for (const crd of crds) {
    const { name } = crd.metadata;
    try {
      const operation = await applied(Crd, crd, options);
      if (operation !== "unchanged") {
        isChanged = true;
        await established(name, options);
        options.onEvent({ type: "applied", what: "crd", object: { kind: Crd.kind, name }, operation });
      }
    } catch (error) {
      throw new CliError(`cannot apply the CRD ${name}: ${messageOf(error)}`, { cause: error });
    }
  }
  return isChanged;
}

/** The samples of a folder. */
export interface Samples {
  readonly folder: string;
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** The CRDs of the program: discovery may not know them yet. */
  readonly crds: readonly CustomResourceDefinition[];
}

/** Applies samples. What is refused is reported, and the others are applied. Resolves to whether all were applied. */
export async function applySamples({ folder, namespace, crds }: Samples, options: ApplyOptions): Promise<boolean> {
  const kinds = discovery(options.client);
  const own = crds.flatMap(kindsOf);
  let areAll = true;
  const refused = (message: string): void => {
    areAll = false;
    options.onEvent({ type: "refused", message });
  };
  try {
    for (const { object: given, where } of inOrder(await readManifests(folder))) {
      const object = given as unknown as KubernetesObject; // It has apiVersion and kind; the server checks the rest.
      try {
        const known = own.find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion);
        const found: Kind = known ?? (await kinds.kindOf(object, { signal: options.signal }));
        const placed = found.scope === "Namespaced" ? inNamespace(object, namespace) : object;
        const operation = await applied(found, placed, options);
        if (operation === "unchanged") continue;
        options.onEvent({ type: "applied", what: "sample", object: { kind: object.kind, name: keyOf(placed.metadata) }, operation });
      } catch (error) {
        options.signal.throwIfAborted();
        refused(`${where}: ${messageOf(error)}`);
      }
    }
  } catch (error) {
    options.signal.throwIfAborted();
    refused(messageOf(error));
  }
  return areAll;
}

type Operation = "created" | "updated" | "unchanged";

/** Our fields win: the file on disk is what the developer wants. */
async function applied(of: Kind, object: object, { client, signal }: ApplyOptions): Promise<Operation> {
  const { metadata } = object as KubernetesObject;
  if (typeof metadata?.name !== "string") throw new CliError("the object has no metadata.name");
  const before: KubernetesObject | undefined = await client.get(of, metadata as Ref, { signal });
  const stored: KubernetesObject = await client.apply(of, object, { fieldManager: FIELD_MANAGER, force: true, signal });
  if (before === undefined) return "created";
  return before.metadata.resourceVersion === stored.metadata.resourceVersion ? "unchanged" : "updated";
}

async function established(name: string, { client, signal }: ApplyOptions): Promise<void> {
  for await (const event of follow(client, Crd, { fieldSelector: `metadata.name=${name}`, signal })) {
    if (!("object" in event)) continue;
    const { type, message } = health(event.object);
    if (type === "Ready") return;
    if (type === "Failed") throw new CliError(message);
  }
}

function kindsOf({ spec: { group, names, scope, versions } }: CustomResourceDefinition): readonly Kind[] {
  return versions.map(({ name }) => kind({ group, version: name, kind: names.kind, plural: names.plural, scope }));
}

function inNamespace(object: KubernetesObject, namespace: string): KubernetesObject {
  return { ...object, metadata: { namespace, ...object.metadata } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
