/**
 * Requests and answers between their objects and the messages of `v1.proto`, for host and author. An answer is checked by its form: what it
 * may do in the cluster is checked by the host.
 */
import { isConditionReason } from "@treadle/apimachinery";
import type { DependentState } from "@treadle/dependents";
import { core, z } from "zod";
import type { Description, PlanAnswer, PlanRequest } from "./messages.ts";
import { limitValues, OBJECT, OPTIONAL_LIMITED_OBJECT, OPTIONAL_OBJECT, RESOURCE } from "./objects.ts";
import { quoted, repeatedIn } from "./texts.ts";

/** The longest text of a state that the status of an owner shows, in characters. */
export const MAX_STATE_TEXT_LENGTH = 1_000;

/** Returns the message of a description. */
export function encodeDescription(description: Description): object {
  return { ...description, types: description.types.map((type) => ({ ...type, parameterSchema: bytesOf(type.parameterSchema) })) };
}

/** Returns what the plugin offers. @throws TypeError with what is wrong and where */
export function decodeDescription(wire: unknown): Description {
  return decode(DESCRIPTION, wire);
}

/** Returns the message of a request. */
export function encodePlan({ owner, parameters, live, ...rest }: PlanRequest): object {
  const objects = live.map(({ id, object }) => ({ id, object: bytesOf(object) }));
  return { ...rest, owner: bytesOf(owner), parameters: bytesOf(parameters), live: objects };
}

/** Returns the request of a host. @throws TypeError with what is wrong and where */
export function decodeRequest(wire: unknown): PlanRequest {
  // The host sends objects of Kubernetes.
  return decode(REQUEST, wire) as unknown as PlanRequest;
}

/** Returns the message of an answer. */
export function encodeAnswer(answer: PlanAnswer): object {
  if (answer.type === "error") return { error: answer.error };
  if (answer.type === "problems") return { problems: { problems: answer.problems } };
  return { dependents: { dependents: answer.dependents.map((each) => ({ ...each, object: bytesOf(each.object) })) } };
}

/** Returns the answer of the plugin. @throws TypeError with what is wrong and where */
export function decodeAnswer(wire: unknown): PlanAnswer {
  const { problems, dependents, error } = decode(ANSWER, wire);
  if (problems !== undefined) return { type: "problems", ...problems };
  if (error !== undefined) return { type: "error", error };
  if (dependents === undefined) throw new TypeError("it has no answer; set problems, dependents or error");
  return { type: "dependents", ...dependents };
}

/** The message names fields and texts of the plugin, and never a part of an object. */
function decode<T>(schema: z.ZodType<T>, wire: unknown): T {
  const { data, error } = schema.safeParse(wire);
  if (error === undefined) return data;
  const texts = error.issues.slice(0, 5).map(({ path, message }) => `${core.toDotPath(path)} ${message}`);
  // A list is in a message with a field of its own name.
  throw new TypeError(texts.join("; ").replace(/(problems|dependents)\.\1/g, "$1"));
}

function bytesOf(value: object | undefined): Buffer {
  return Buffer.from(value === undefined ? "" : JSON.stringify(value));
}

/** Refuses a text, and quotes it. */
const but = (rule: string) => (issue: { readonly input?: unknown }) => `is ${quoted(issue.input)}; ${rule}`;

/** Maximum number of values in the Secrets of an answer, and of their characters: each value is searched for in messages. */
const MAX_SECRET_VALUES = 1_000;
const MAX_SECRET_LENGTH = 1024 * 1024;

/** Refuses more values of Secrets than the host can hide. */
function limitSecrets(dependents: readonly { readonly object: Record<string, unknown> }[], context: core.$RefinementCtx): void {
  const fields = dependents
    .filter(({ object }) => object["apiVersion"] === "v1" && object["kind"] === "Secret")
    .flatMap(({ object }) => [object["data"] ?? {}, object["stringData"] ?? {}]);
  if (fields.some((field) => typeof field !== "object"))
    return context.addIssue("has a Secret whose data is no object; give an object of texts");
  const values = fields.flatMap((field) => Object.values(field));
  const length = values.reduce((sum: number, value) => sum + (typeof value === "string" ? value.length : 0), 0);
  if (values.length > MAX_SECRET_VALUES || length > MAX_SECRET_LENGTH)
    context.addIssue(`has Secrets with more than ${MAX_SECRET_VALUES} values or 1 MiB; give fewer`);
}

/** Maximum number of attributes of a state, as many as an owner shows. */
const MAX_ATTRIBUTES = 32;
/** Maximum number of characters in the states of an answer: the status of the owner holds them beside the rest. */
const MAX_STATES_LENGTH = 256 * 1024;

/** Refuses more states than the status of an owner can hold. */
function limitStates(dependents: readonly { readonly state?: DependentState | undefined }[], context: core.$RefinementCtx): void {
  const texts = dependents.flatMap(({ state }) => [
    state?.reason,
    state?.message,
    ...(state?.attributes ?? []).flatMap(({ name, value }) => [name, value]),
  ]);
  const length = texts.reduce((sum, text = "") => sum + Math.min(text.length, MAX_STATE_TEXT_LENGTH), 0);
  if (length > MAX_STATES_LENGTH) context.addIssue("has states of more than 256 KiB together; give shorter messages and fewer attributes");
}

/** Refuses two elements with the same text. */
const unique =
  <T>(textOf: (element: T) => string) =>
  (list: readonly T[], context: core.$RefinementCtx<readonly T[]>) => {
    const twice = repeatedIn(list.map(textOf));
    if (twice !== undefined) context.addIssue(`has ${quoted(twice)} twice; give each its own`);
  };

/** Texts that terminals show as they are. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;
const NOT_PRINTABLE = "has control characters; leave them out";
const TEXT = z.string().min(1, "is empty; set it");
const API_VERSION = z.string().regex(/^\d{1,9}\.\d{1,9}$/, { error: but('set one such as "1.0"') });
/** Category and type are the name of the CapabilityInfo. */
const LABEL = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/i, { error: but('set letters, digits and "-", 63 at most') });
const REASON = z.string().refine(isConditionReason, { error: but("set one CamelCase word") });
/** The longest name of an object, or of a file. */
const ID = TEXT.max(253, "is too long; set one of 253 characters at most").regex(PRINTABLE, NOT_PRINTABLE);
/** A version, which a CapabilityInfo shows. */
const VERSION = z.string().max(253, "is too long; set one of 253 characters at most").regex(PRINTABLE, NOT_PRINTABLE);
const FLAG = z.boolean().optional();

/** Each type leads to a CapabilityInfo. */
const MAX_TYPES = 1_000;

const DESCRIPTION = z.object({
  name: ID,
  version: VERSION,
  apiVersions: z.object(
    { oldest: API_VERSION, newest: API_VERSION },
    "are not set; set the oldest and the newest that the plugin supports",
  ),
  category: LABEL,
  types: z
    .array(z.object({ name: LABEL, versions: z.array(VERSION), parameterSchema: OPTIONAL_LIMITED_OBJECT }))
    .min(1, "is empty; offer at least one type")
    .max(MAX_TYPES, { error: `has more than ${MAX_TYPES} types; offer fewer`, abort: true })
    .superRefine(unique(({ name }) => name.toLowerCase())),
  kinds: z.array(z.object({ group: z.string(), version: TEXT, kind: TEXT })),
});

const REQUEST = z.object({
  type: z.string(),
  version: z.string(),
  owner: OBJECT,
  parameters: OPTIONAL_OBJECT.transform((parameters) => parameters ?? {}),
  live: z.array(z.object({ id: z.string(), object: OBJECT })),
});

const DEPENDENT = z.object({
  id: ID,
  object: RESOURCE,
  config: z
    .object({ owned: FLAG, created: FLAG, updated: FLAG, watched: FLAG, checkedForReadiness: FLAG })
    .nullish()
    .transform((config) => config ?? {}),
  state: z
    .object({
      type: z.enum(["Ready", "Pending", "Failed", "Unknown"], { error: but("set Ready, Pending, Failed or Unknown") }),
      reason: REASON,
      message: z.string(),
      attributes: z
        .array(z.object({ name: TEXT, value: z.string() }))
        .max(MAX_ATTRIBUTES, `has more than ${MAX_ATTRIBUTES} attributes; give fewer`)
        .optional(),
    })
    .nullish()
    .transform((state) => {
      if (state == null) return undefined;
      const { attributes = [], ...rest } = state;
      return attributes.length === 0 ? rest : { ...rest, attributes };
    }),
});

const ANSWER = z.object({
  problems: z
    .object({ problems: z.array(z.object({ path: z.string(), message: TEXT })).min(1, "is empty; give problems, or dependents") })
    .optional(),
  dependents: z
    .object({
      dependents: z
        .array(DEPENDENT)
        .superRefine(unique(({ id }) => id))
        .superRefine(limitSecrets)
        .superRefine(limitStates)
        .superRefine(limitValues),
    })
    .optional(),
  error: z
    .object({
      code: REASON,
      message: z.string(),
      retryAfterMs: z
        .int()
        .min(0)
        .max(2 ** 32 - 1)
        .optional(),
      terminal: z.boolean(),
    })
    .transform(({ retryAfterMs, ...rest }) => ({ ...rest, retryAfterMs }))
    .optional(),
});
