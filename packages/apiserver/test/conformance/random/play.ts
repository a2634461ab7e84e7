/** Sends a sequence of operations to one server and makes its answers comparable. */
import type { ApiRequest, Transport } from "@treadle/apimachinery";
import type { Json } from "../session.ts";
import type { Operation } from "./generate.ts";
import type { Kind } from "./kinds.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Place {
  readonly transport: Transport;
  readonly namespace: string;
  /** Name of the object, the same on both servers. */
  readonly name: string;
}

/** Runs one operation after the other. */
export async function play(kind: Kind, operations: readonly Operation[], place: Place): Promise<readonly Answer[]> {
  const one = player(kind, place);
  const answers: Answer[] = [];
  for (const operation of operations) answers.push(await one.step(operation));
  await one.end();
  return answers;
}

/** A run on one server. */
export interface Player {
  step(operation: Operation): Promise<Answer>;
  end(): Promise<void>;
}

export function player(kind: Kind, place: Place): Player {
  const view = new Placeholders();
  return {
    step: async (operation) => view.answer(operation.verb, await send(kind, operation, place)),
    end: async () => {
      if (kind.name === "service") await release(kind, place);
    },
  };
}

/** Releases the address of a service, because a server has few. */
async function release(kind: Kind, { transport, namespace, name }: Place): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/${kind.plural}/${name}`;
  await exchange(transport, "PATCH", path, { body: { metadata: { finalizers: null } }, type: TYPES["merge"] });
  await exchange(transport, "DELETE", path);
}

const TYPES: Readonly<Record<string, string>> = {
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  put: "application/json",
  create: "application/json",
};

const METHODS: Readonly<Record<Operation["verb"], ApiRequest["method"]>> = {
  apply: "PATCH",
  merge: "PATCH",
  json: "PATCH",
  put: "PUT",
  create: "POST",
  delete: "DELETE",
  get: "GET",
};

async function send(kind: Kind, operation: Operation, place: Place): Promise<Answer> {
  const { verb, apiVersion, manager, query, subresource } = operation;
  const collection = `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}/namespaces/${place.namespace}/${kind.plural}`;
  const object = `${collection}/${place.name}${subresource === "" ? "" : `/${subresource}`}`;
  const path = verb === "create" ? collection : object;
  const full = verb === "get" || verb === "delete" ? path : `${path}?fieldManager=${manager}${query}`;
  const body = await bodyOf(kind, operation, place, `${collection}/${place.name}`);
  return exchange(place.transport, METHODS[verb], full, { body, type: TYPES[verb] });
}

async function bodyOf(kind: Kind, { verb, apiVersion, body }: Operation, { transport, name }: Place, path: string): Promise<unknown> {
  if (verb === "apply" || verb === "create") return { ...identified(body as Json, name), apiVersion, kind: kind.kind };
  if (verb !== "put") return body;
  const live = (await exchange(transport, "GET", path)).body as Json;
  if (live["kind"] !== kind.kind) return { ...identified(body as Json, name), apiVersion, kind: kind.kind };
  // A replaced object keeps the values that the server chose.
  const spec = live["spec"] as Json | undefined;
  const kept = kind.name === "service" ? { ...pick(spec ?? {}, ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "type"]) } : {};
  const given = body as Json;
  return {
    ...live,
    ...given,
    ...(given["spec"] === undefined ? {} : { spec: { ...kept, ...given["spec"] } }),
    metadata: { ...live["metadata"], ...given["metadata"] },
  };
}

function identified(body: Json, name: string): Json {
  return { ...body, metadata: { ...body["metadata"], name } };
}

function pick(object: Json, fields: readonly string[]): Json {
  return Object.fromEntries(fields.filter((field) => object[field] !== undefined).map((field) => [field, object[field]]));
}

async function exchange(
  transport: Transport,
  method: ApiRequest["method"],
  path: string,
  { body, type }: { readonly body?: unknown; readonly type?: string | undefined } = {},
): Promise<Answer> {
  const response = await transport.request({
    method,
    path,
    headers: { "user-agent": "random/1.0", accept: "application/json", ...(type === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = response.body ?? "";
  return { status: response.status, body: text.startsWith("{") ? (JSON.parse(text) as unknown) : text };
}

/** Replaces uids, versions, times and addresses by placeholders with numbers, and sorts what the real server orders randomly. */
class Placeholders {
  readonly #uids: string[] = [];
  readonly #versions: string[] = [];

  answer(verb: Operation["verb"], { status, body }: Answer): Answer {
    if (!isObject(body)) return { status, body };
    if (body["kind"] === "Status") return { status, body: this.#status(body) };
    // This server shows a deleted service with the version of its deletion, the real one with the version before.
    if (verb === "delete") return { status, body: this.#value({ ...body, metadata: { ...body["metadata"], resourceVersion: "" } }, "") };
    return { status, body: this.#value(body, "") };
  }

  #status(body: Json): unknown {
    const causes: readonly unknown[] = body["details"]?.causes ?? [];
    // Several errors of one map come in random order, in the message too.
    const isMixed = causes.length > 1 && body["reason"] === "Invalid";
    const lines = String(body["message"]).split("\n");
    const message = isMixed
      ? undefined
      : lines[0]?.endsWith("errors:")
        ? [lines[0], ...lines.slice(1).toSorted()].join("\n")
        : lines.join("\n");
    const details = body["details"] === undefined ? undefined : { ...body["details"], causes: sorted(causes) };
    return this.#value({ ...body, message, details }, "");
  }

  #value(value: unknown, key: string): unknown {
    if (typeof value === "string") return this.#text(value, key);
    if (Array.isArray(value)) {
      const list = value.map((item) => this.#value(item, ""));
      return key === "managedFields" ? sorted(list) : list;
    }
    if (!isObject(value)) return /nodePort/i.test(key) && Number(value) >= 30_000 ? "<port>" : value;
    return Object.fromEntries(
      Object.keys(value)
        .toSorted()
        .filter((field) => value[field] !== undefined)
        .map((field) => [field, this.#value(value[field], field)]),
    );
  }

  #text(text: string, key: string): string {
    if (key === "resourceVersion") return nth(this.#versions, text, "version");
    return text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) =>
        uid.startsWith(MADE_UP_UID) ? uid : nth(this.#uids, uid, "uid"),
      )
      .replaceAll(/20(2[2-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>")
      .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, "<ip>");
  }
}

/** Beginning of the uids that `generate.ts` makes up. No server chooses one: the third group of a random uid begins with its version, 4. */
const MADE_UP_UID = "00000000-0000-0000-";

function nth(known: string[], value: string, what: string): string {
  if (!known.includes(value)) known.push(value);
  return `<${what} ${known.indexOf(value) + 1}>`;
}

function sorted(list: readonly unknown[]): readonly unknown[] {
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
