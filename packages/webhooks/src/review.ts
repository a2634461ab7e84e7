/**
 * `review()`: what webhooks make of one request, without a server. For tests of the author's functions.
 *
 * It goes the way of the API server: defaults of the schema, `fill`, defaults again, schema, `problems`. The functions are called as
 * in the operator, by the same reviews and answers, so their limits and failures are the same.
 */
import {
  apiVersionOf,
  applyJsonPatch,
  type Clock,
  type JsonPatchOperation,
  type Kind,
  type KubernetesObject,
  type ObjectOf,
  systemClock,
  type WriteOf,
} from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger, Problem } from "@treadle/reconcile";
import { answerAdmission } from "./admission/answer.ts";
import type { CallEnv } from "./call.ts";
import type { AnyWebhooks } from "./definition.ts";
import type { Operation, ReviewedUser } from "./types.ts";
import type { Webhooks } from "./webhooks.ts";

/** A request for {@link review}: what a client does, and who it is. */
export type ReviewedRequest<K extends Kind> = (
  | {
      /** The object that the client creates. */
      readonly create: WriteOf<K>;
    }
  | {
      /** The object as it is stored. */
      readonly old: WriteOf<K> | ObjectOf<K>;
      /** The object as the client writes it. */
      readonly update: WriteOf<K> | ObjectOf<K>;
    }
  | {
      /** The stored object that the client deletes. */
      readonly delete: WriteOf<K> | ObjectOf<K>;
    }
  | {
      /** The options of a connection, such as PodExecOptions, with the name of the object in `metadata`. Needs `subresource`. */
      readonly connect: object;
    }
) & {
  /** The client. @defaultValue `kubernetes-admin` in the group `system:masters` */
  readonly user?: Partial<ReviewedUser>;
  /** Whether the request is a dry run. @defaultValue false */
  readonly isDryRun?: boolean;
  /** The subresource that the client writes. @defaultValue none: the object itself */
  readonly subresource?: string;
  /** The options of the request. @defaultValue none */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The values of the declared reads, by name. @throws Error when one is missing */
  readonly reads?: Readonly<Record<string, unknown>>;
  /** What `review.client` is. @defaultValue a client whose every call throws */
  readonly client?: Client;
  /** The time, and the deadline of the functions. @defaultValue the clock of the machine */
  readonly clock?: Clock;
  /** What the functions log. @defaultValue nothing is logged */
  readonly log?: Logger;
};

/** This is what {@link review} returns. */
export interface ReviewOutcome<T extends KubernetesObject> {
  /** The object as the API server would store it: with the defaults of the schema, and with what `fill` completed. */
  readonly object: T;
  /** Why the object is refused; empty when it is accepted. First those of the schema: `problems` is asked only for an object without any. */
  readonly problems: readonly Problem[];
  /** The warnings that the client gets, each one once. */
  readonly warnings: readonly string[];
  /** What `deny()` said; absent when no function called it. */
  readonly denied?: { readonly message: string; readonly code: number };
}

/**
 * Reviews a request as the API server and the operator would do together, without a server: applies the defaults of the kind's schema, asks
 * `fill`, checks the schema, asks `problems`. Objects are copied and may leave out apiVersion and kind. A namespaced object without a
 * namespace is in `default`.
 *
 * @throws CallError when a function throws, hangs, is not at rest or returns no problems; its `cause` is the author's error. An Error for an
 *   object of another version or kind, and for a read without a value
 */
export async function review<K extends Kind>(webhooks: Webhooks<K>, request: ReviewedRequest<K>): Promise<ReviewOutcome<ObjectOf<K>>> {
  const { operation, given, old } = partsOf(webhooks, request as ReviewedRequest<Kind>);
  const env = envOf(request as ReviewedRequest<Kind>);
  const ask = async (type: "mutate" | "validate", object: KubernetesObject): Promise<Response> => {
    const answer = await answerAdmission(
      webhooks,
      type,
      bodyOf(webhooks, request as ReviewedRequest<Kind>, { operation, object, old }),
      env,
    );
    return (answer as { readonly response: Response }).response;
  };

  const filled = await ask("mutate", given);
  const object = withDefaults(webhooks, filled.patch === undefined ? given : patched(given, filled.patch), request.subresource);
  const outcome = { object: object as ObjectOf<K>, problems: [], warnings: filled.warnings ?? [] };
  if (!filled.allowed) return { ...outcome, ...refusalOf(filled) };
  const broken = operation === "DELETE" || operation === "CONNECT" ? [] : schemaProblems(webhooks, object, request.subresource);
  if (broken.length > 0) return { ...outcome, problems: broken };
  const checked = await ask("validate", object);
  const warnings = [...new Set([...outcome.warnings, ...(checked.warnings ?? [])])];
  return { ...outcome, warnings, ...(checked.allowed ? {} : refusalOf(checked)) };
}

/** The response of a review, as answerAdmission makes it. */
interface Response {
  readonly allowed: boolean;
  readonly patch?: string;
  readonly warnings?: readonly string[];
  readonly status?: {
    readonly message: string;
    readonly code: number;
    readonly details?: { readonly causes: readonly { readonly field?: string; readonly message: string }[] };
  };
}

function partsOf(
  webhooks: AnyWebhooks,
  request: ReviewedRequest<Kind>,
): { readonly operation: Operation; readonly given: KubernetesObject; readonly old: KubernetesObject | undefined } {
  const { subresource } = request;
  const complete = (object: unknown): KubernetesObject => withDefaults(webhooks, completed(webhooks, object, subresource), subresource);
  if ("create" in request) return { operation: "CREATE", given: complete(request.create), old: undefined };
  if ("update" in request) return { operation: "UPDATE", given: complete(request.update), old: complete(request.old) };
  if ("delete" in request) return { operation: "DELETE", given: complete(request.delete), old: complete(request.delete) };
  return { operation: "CONNECT", given: completed(webhooks, request.connect, subresource ?? "connect"), old: undefined };
}

/** A copy with what the API server adds. */
function completed({ kind }: AnyWebhooks, given: unknown, subresource = ""): KubernetesObject {
  const { metadata, ...rest } = structuredClone(given) as Partial<KubernetesObject>;
  const apiVersion = apiVersionOf(kind);
  const object = { apiVersion, kind: kind.kind, ...rest };
  if (subresource === "" && (object.apiVersion !== apiVersion || object.kind !== kind.kind)) {
    const got = `${object.kind} (${object.apiVersion})`;
    throw new Error(`review: the object is a ${got}, and the webhooks review ${kind.kind} (${apiVersion}): give it in this version`);
  }
  const namespace = kind.scope === "Namespaced" ? { namespace: "default" } : {};
  return { ...object, metadata: { ...namespace, ...metadata } as KubernetesObject["metadata"] };
}

function withDefaults({ kind }: AnyWebhooks, object: KubernetesObject, subresource = ""): KubernetesObject {
  return subresource === "" ? (kind.resource?.withDefaults(object) ?? object) : object;
}

function schemaProblems({ kind }: AnyWebhooks, object: KubernetesObject, subresource = ""): readonly Problem[] {
  return subresource === "" ? (kind.resource?.problems(object) ?? []) : [];
}

function patched(object: KubernetesObject, patch: string): KubernetesObject {
  const operations = JSON.parse(Buffer.from(patch, "base64").toString("utf8")) as readonly JsonPatchOperation[];
  return applyJsonPatch(object, operations) as KubernetesObject; // the patch changes neither apiVersion, kind nor metadata.name
}

/** A refusal by `problems` has causes, and that by `deny()` has none. */
function refusalOf({ status }: Response): Partial<Pick<ReviewOutcome<KubernetesObject>, "problems" | "denied">> {
  const { message = "", code = 403, details } = status ?? {};
  if (details === undefined) return { denied: { message, code } };
  return {
    problems: details.causes.map((cause) => (cause.field === undefined ? cause.message : { path: cause.field, message: cause.message })),
  };
}

function bodyOf(
  { kind: { group, version, kind, plural } }: AnyWebhooks,
  { user, isDryRun = false, subresource = "", options = {} }: ReviewedRequest<Kind>,
  given: { readonly operation: Operation; readonly object: KubernetesObject; readonly old: KubernetesObject | undefined },
): object {
  const { operation, object, old } = given;
  const { name, namespace } = object.metadata;
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "review",
      kind: { group, version, kind },
      resource: { group, version, resource: plural },
      ...(subresource === "" ? {} : { subResource: subresource }),
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: { ...ADMIN, ...user },
      // Copies, because the answer freezes what it gets.
      object: operation === "DELETE" ? null : structuredClone(object),
      oldObject: structuredClone(old) ?? null,
      dryRun: isDryRun,
      options: structuredClone(options),
    },
  };
}

const ADMIN: ReviewedUser = { username: "kubernetes-admin", uid: "", groups: ["system:masters", "system:authenticated"], extra: {} };

function envOf({ client = NO_CLIENT, clock = systemClock, log = SILENT, reads = {} }: ReviewedRequest<Kind>): CallEnv {
  return {
    client,
    clock,
    log,
    signal: new AbortController().signal,
    read: ({ reads: declared }) => {
      const missing = Object.keys(declared).find((name) => !Object.hasOwn(reads, name));
      if (missing !== undefined) throw new Error(`review: there is no value of the read "${missing}": give reads: { ${missing}: ... }`);
      return Promise.resolve(reads);
    },
    onIgnored: () => undefined,
  };
}

const SILENT: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

// Every member of a client is a function, so this has all of them.
const NO_CLIENT = new Proxy({} as Client, {
  get: (_, name) => () => {
    throw new Error(`review: a function called review.client.${String(name)}: give a client`);
  },
});
