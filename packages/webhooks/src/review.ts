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
import type { Logger, Problem, ReadsOf } from "@treadle/reconcile";
import { answerAdmission } from "./admission/answer.ts";
import type { CallEnv } from "./call.ts";
import { converterOf } from "./conversion/converter.ts";
import { viewsOf } from "./conversion/views.ts";
import { hasPath } from "./paths-of-schema.ts";
import type { AnyWebhooks } from "./definition.ts";
import type { Operation, ReviewedUser } from "./types.ts";
import { settledOf, type Webhooks } from "./webhooks.ts";

/** An object as a client writes it, in any version of the kind. Without apiVersion it is in the version of the hub. */
export type ReviewedObject<K extends Kind> = WriteOf<K> | ObjectOf<K> | OtherVersionsOf<K>;

/** The objects of the versions besides the hub. They name their version. */
export type OtherVersionsOf<K> = K extends { readonly version: infer Hub; readonly versions: infer V }
  ? { readonly [L in Exclude<keyof V, Hub>]: (WriteOf<V[L]> | ObjectOf<V[L]>) & { readonly apiVersion: string } }[Exclude<keyof V, Hub>]
  : never;

/** The values of the declared reads in a request. They are required when the webhooks declare reads. */
export type ReviewedReads<R> =
  {} extends ReadsOf<R>
    ? {
        /** Nothing is declared. */
        readonly reads?: ReadsOf<R>;
      }
    : {
        /** The values of the declared reads, by name. @throws Error when one is missing */
        readonly reads: ReadsOf<R>;
      };

/** A request for {@link review}: what a client does, and who it is. */
export type ReviewedRequest<K extends Kind, R = {}> = (
  | {
      /** The object that the client creates. */
      readonly create: ReviewedObject<K>;
    }
  | {
      /** The object as it is stored. */
      readonly old: ReviewedObject<K>;
      /** The object as the client writes it. */
      readonly update: ReviewedObject<K>;
    }
  | {
      /** The stored object that the client deletes. */
      readonly delete: ReviewedObject<K>;
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
  /** What `review.client` is. @defaultValue a client whose every call throws */
  readonly client?: Client;
  /** The time, and the deadline of the functions. @defaultValue the clock of the machine */
  readonly clock?: Clock;
  /** What the functions log. @defaultValue nothing is logged */
  readonly log?: Logger;
} & ReviewedReads<R>;

/** A request for webhooks of any kind. */
type AnyRequest = ReviewedRequest<Kind> & { readonly reads?: Readonly<Record<string, unknown>> };

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
 * An object of another version is converted to the hub by the webhooks' own functions. The schema of its own version is checked, as the API
 * server does it. The outcome is in the version of the hub.
 *
 * Selectors and `matchConditions` are not evaluated: every object is reviewed. For kinds of others there are no defaults.
 *
 * @throws CallError when a function throws, hangs, is not at rest or returns no problems; its `cause` is the author's error. ConversionError
 *   when `up` or `down` throws. An Error for an object of an unknown version or another kind, for a read without a value, and for a
 *   problem with a path that an own kind does not have. TypeError for a request without an object
 */
export async function review<K extends Kind, R = {}>(
  webhooks: Webhooks<K, R>,
  request: NoInfer<ReviewedRequest<K, R>>,
): Promise<ReviewOutcome<ObjectOf<K>>> {
  const settled = settledOf(webhooks);
  const asked = request as unknown as AnyRequest; // the same without its types
  const { operation, given, old, writtenIn } = partsOf(settled, asked);
  const env = envOf(settled, asked);
  const ask = async (type: "mutate" | "validate", object: KubernetesObject): Promise<Response> => {
    const answer = await answerAdmission(settled, type, bodyOf(settled, asked, { operation, object, old, writtenIn }), env);
    return (answer as { readonly response: Response }).response;
  };

  const filled = await ask("mutate", given);
  const changed = filled.patch === undefined ? given : patched(given, filled.patch);
  const object = withDefaults(writtenIn && settled.kind, changed);
  const outcome = { object: object as ObjectOf<K>, problems: [], warnings: filled.warnings ?? [] };
  if (!filled.allowed) return { ...outcome, ...refusalOf(filled) };
  const broken = operation === "DELETE" || operation === "CONNECT" ? [] : schemaProblems(settled, object, writtenIn);
  if (broken.length > 0) return { ...outcome, problems: broken };
  const checked = await ask("validate", object);
  const warnings = [...new Set([...outcome.warnings, ...(checked.warnings ?? [])])];
  const refusal = checked.allowed ? {} : refusalOf(checked);
  if (asked.subresource === undefined || asked.subresource === "") checkPaths(settled, refusal.problems ?? []);
  return { ...outcome, warnings, ...refusal };
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

/** What a request is about, in the version of the hub. */
interface Parts {
  readonly operation: Operation;
  readonly given: KubernetesObject;
  readonly old: KubernetesObject | undefined;
  /** The version in which the client writes; undefined where the object has no schema. */
  readonly writtenIn: Kind | undefined;
}

function partsOf(webhooks: AnyWebhooks, request: AnyRequest): Parts {
  checkRequest(request);
  const { subresource = "" } = request;
  const complete = (object: unknown): Pick<Parts, "given" | "writtenIn"> => {
    const full = completed(webhooks, object);
    if (subresource !== "") return { given: full, writtenIn: undefined };
    const writtenIn = versionOf(webhooks, full);
    return { given: atHub(webhooks, withDefaults(writtenIn, full), request.log), writtenIn };
  };
  if ("create" in request) return { operation: "CREATE", ...complete(request.create), old: undefined };
  if ("update" in request) return { operation: "UPDATE", ...complete(request.update), old: complete(request.old).given };
  if ("delete" in request) return { operation: "DELETE", ...complete(request.delete), old: complete(request.delete).given };
  return { operation: "CONNECT", given: completed(webhooks, request.connect), old: undefined, writtenIn: undefined };
}

/** Untyped code may pass anything. */
function checkRequest(request: AnyRequest): void {
  const parts: Readonly<Record<string, unknown>> = { ...request };
  const given = ["create", "update", "delete", "connect"].filter((part) => parts[part] !== undefined);
  if (given.length !== 1)
    throw new TypeError(
      `review: the request has ${given.length === 0 ? "none" : given.join(" and ")} of create, update, delete and connect: give one, as in { create: object }`,
    );
  if (given[0] === "update" && parts["old"] === undefined)
    throw new TypeError("review: an update needs the stored object: give { old: object, update: object }");
}

/** A copy with what the API server adds. */
function completed({ kind }: AnyWebhooks, given: unknown): KubernetesObject {
  const { metadata, ...rest } = structuredClone(given) as Partial<KubernetesObject>;
  const namespace = kind.scope === "Namespaced" ? { namespace: "default" } : {};
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...rest,
    metadata: { ...namespace, ...metadata } as KubernetesObject["metadata"],
  };
}

/** Returns the kind in the version of an object. @throws Error when the webhooks do not know it */
function versionOf({ kind, convert }: AnyWebhooks, object: KubernetesObject): Kind {
  const others = Object.entries(kind.resource?.versions() ?? {}).flatMap(([version, of]) => (Object.hasOwn(convert, version) ? [of] : []));
  const known: readonly Kind[] = [kind, ...others];
  const found = object.kind === kind.kind ? known.find((of) => apiVersionOf(of) === object.apiVersion) : undefined;
  if (found !== undefined) return found;
  const got = `${object.kind} (${object.apiVersion})`;
  const versions = known.map(apiVersionOf).join(", ");
  throw new Error(`review: the object is a ${got}, and the webhooks know ${kind.kind} (${versions}): give it in one of these versions`);
}

function atHub(webhooks: AnyWebhooks, object: KubernetesObject, log: Logger = SILENT): KubernetesObject {
  // Kinds of others have one version here.
  if (object.apiVersion === apiVersionOf(webhooks.kind)) return object;
  const ignored = (reason: string): void => log.warn({ reason }, "review: the annotation treadle.dev/conversion is ignored");
  return converterOf(webhooks).convert(object, apiVersionOf(webhooks.kind), ignored);
}

function withDefaults(kind: Kind | undefined, object: KubernetesObject): KubernetesObject {
  return kind?.resource?.withDefaults(object) ?? object;
}

/** The API server checks an object in the version in which the client writes it. */
function schemaProblems(webhooks: AnyWebhooks, object: KubernetesObject, writtenIn: Kind | undefined): readonly Problem[] {
  if (writtenIn?.resource === undefined) return [];
  const written = writtenIn === webhooks.kind ? object : converterOf(webhooks).convert(object, apiVersionOf(writtenIn));
  return writtenIn.resource.problems(written);
}

/** @throws Error for a path that the kind does not have: a client would look for it in vain */
function checkPaths({ kind }: AnyWebhooks, problems: readonly Problem[]): void {
  const hub = viewsOf(kind).get(apiVersionOf(kind));
  const wrong = problems.find((each) => typeof each === "object" && hub !== undefined && !hasPath(hub.schema, each.path));
  if (wrong === undefined || typeof wrong === "string") return;
  throw new Error(`review: problems names the path ${JSON.stringify(wrong.path)}, which ${kind.kind} ${kind.version} does not have`);
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
  { user, isDryRun = false, subresource = "", options = {} }: AnyRequest,
  { operation, object, old, writtenIn }: Omit<Parts, "given"> & { readonly object: KubernetesObject },
): object {
  const { name, namespace } = object.metadata;
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "review",
      kind: { group, version, kind },
      requestKind: { group, version: writtenIn?.version ?? version, kind },
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

function envOf(
  { reads: declared }: AnyWebhooks,
  { client = NO_CLIENT, clock = systemClock, log = SILENT, reads = {} }: AnyRequest,
): CallEnv {
  return {
    client,
    clock,
    log,
    signal: new AbortController().signal,
    read: () => {
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
