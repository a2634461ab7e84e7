/** Plans of capabilities without a process: what is asked of the author, and checks of what the author returns. */
import { format } from "node:util";
import { apiVersionOf, isConditionReason, kindIdOf } from "@treadle/apimachinery";
import { core, toJSONSchema } from "zod";
import { decodeAnswer, decodeDescription, encodeAnswer, encodeDescription } from "../wire/codec.ts";
import type { Description, PlanAnswer, PlannedDependent, PlanProblem, PlanRequest } from "../wire/messages.ts";
import { API_VERSION } from "../wire/protos.ts";
import { type Capability, type Dependent, type KindsInput, type Plan, PlanError, type TypeInput } from "./capability.ts";

/** A capability whose types and kinds are not known. */
export interface AnyCapability extends Omit<Capability, "plan"> {
  /** Returns the desired objects of an owner. */
  plan(args: never): Plan | PromiseLike<Plan>;
}

/**
 * Declares a capability and returns it.
 * @throws TypeError if the name, the category or the types are not valid, or a type is there twice
 */
export function capability<
  const Types extends readonly TypeInput[],
  const Kinds extends KindsInput,
  Result extends Plan<Kinds> | PromiseLike<Plan<Kinds>>,
>(definition: Capability<Types, Kinds, Result>): Capability<Types, Kinds, Result> {
  describe([definition]);
  return definition;
}

/** Returns what the capabilities of one program offer. @throws TypeError if they are not of one name and category, or offer one type twice */
export function describe(capabilities: readonly AnyCapability[]): Description {
  const [first, ...others] = capabilities;
  if (first === undefined) throw new TypeError("servePlugin() needs a capability");
  const { name, category, version = "" } = first;
  const other = others.find((each) => each.name !== name || each.category !== category);
  if (other !== undefined)
    throw new TypeError(`one program has one name and category: ${name} (${category}) and ${other.name} (${other.category})`);
  const kinds = new Map(capabilities.flatMap((each) => Object.values(each.kinds).map((kind) => [kindIdOf(kind), kind] as const)));
  const description: Description = {
    name,
    version,
    category,
    apiVersions: { oldest: API_VERSION, newest: API_VERSION },
    types: capabilities.flatMap(({ types }) =>
      types.map((type) => ({
        name: type.name,
        versions: type.versions ?? [],
        // What the schema cannot express, such as a refinement, is checked by `safeParse` here.
        parameterSchema: type.parameters && toJSONSchema(type.parameters, { io: "input", unrepresentable: "any" }),
      })),
    ),
    kinds: Array.from(kinds.values(), ({ group, version: served, kind }) => ({ group, version: served, kind })),
  };
  try {
    return decodeDescription(encodeDescription(description));
  } catch (cause) {
    throw new TypeError(`capability "${name}": ${String(cause)}`, { cause });
  }
}

/** Returns the answer to a request. An exception of the author is an answer, too: it never throws. `report` gets its place. */
export async function answerOf(
  capabilities: readonly AnyCapability[],
  request: PlanRequest,
  report: (line: string) => void = () => undefined,
): Promise<PlanAnswer> {
  try {
    const found = capabilities.find((each) => typeOf(each, request) !== undefined) ?? capabilities[0];
    if (found === undefined) throw new TypeError("there is no capability");
    return await checkedPlan(found, request);
  } catch (error) {
    // Any value can be thrown.
    const message = error instanceof Error && error.message !== "" ? error.message : format("the plan failed: %s", error);
    if (!(error instanceof PlanError)) {
      // The message goes to the host, which hides values of Secrets in it. The place is for the author.
      const [place] = /^ {4}at .*$/m.exec(error instanceof Error ? (error.stack ?? "") : "") ?? [];
      if (place !== undefined) report(`the plan of ${request.type} failed ${place.trim()}`);
      return { type: "error", error: { code: "PlanFailed", message, retryAfterMs: undefined, terminal: false } };
    }
    const { code, retryAfterMs: ms, terminal } = error;
    const retryAfterMs = ms === undefined || !(ms >= 0) ? undefined : Math.min(Math.round(ms), 2 ** 31 - 1);
    return { type: "error", error: { code: isConditionReason(code) ? code : "PlanFailed", message, retryAfterMs, terminal } };
  }
}

/**
 * Returns the answer of one capability, checked; a promise if its `plan` returns one.
 * @throws Error of the author, or with what is wrong in the plan
 */
export function checkedPlan(given: AnyCapability, request: PlanRequest): PlanAnswer | Promise<PlanAnswer> {
  const { version, owner } = request;
  const type = typeOf(given, request);
  if (type === undefined) {
    const names = given.types.map((each) => each.name).join(", ");
    return problemsOf([{ path: "spec.type", message: `"${request.type}" is not offered; the types are ${names}` }]);
  }
  const { versions = [] } = type;
  const offered = versions.length === 0 ? "the type has no versions" : `the versions are ${versions.join(", ")}`;
  const parsed = type.parameters?.safeParse(request.parameters);
  const problems = [
    ...(version === "" || versions.includes(version) ? [] : [{ path: "spec.version", message: `"${version}" is not offered; ${offered}` }]),
    ...(parsed?.error?.issues ?? []).map(({ path, message }) => ({ path: core.toDotPath(["spec", "parameters", ...path]), message })),
  ];
  if (problems.length > 0) return problemsOf(problems);
  const plan = given.plan({
    type: type.name,
    version: version === "" ? undefined : version,
    owner: { spec: {}, ...owner },
    parameters: parsed?.data ?? {},
    live: Object.fromEntries(request.live.map(({ id, object }) => [id, object])),
    // The types of the declaration are not known here.
  } as never);
  const check = (result: Plan): PlanAnswer => decodeAnswer(encodeAnswer(answerIn(given.kinds, result, owner.metadata.name)));
  return isObject(plan) && "then" in plan ? Promise.resolve(plan).then(check) : check(plan);
}

function typeOf({ types }: AnyCapability, { type }: PlanRequest): TypeInput | undefined {
  return types.find(({ name }) => name.toLowerCase() === type.toLowerCase());
}

function problemsOf(problems: readonly PlanProblem[]): PlanAnswer {
  return { type: "problems", problems };
}

function answerIn(kinds: KindsInput, result: Plan, owner: string): PlanAnswer {
  if (isList(result)) return { type: "dependents", dependents: result.map((each) => plannedOf(kinds, each, owner)) };
  if (isObject(result) && isList(result.problems)) return problemsOf(result.problems);
  throw new TypeError("the plan is neither a list of dependents nor an object with problems");
}

function plannedOf(kinds: KindsInput, dependent: Dependent, owner: string): PlannedDependent {
  if (!isObject(dependent) || !isObject(dependent.kind)) throw new TypeError("the plan has an element that dependent() did not make");
  const { id, kind, body, config } = dependent;
  const title = `dependent ${JSON.stringify(id)}`;
  const allowed = isList(kinds) ? kinds : [Object.entries(kinds).find(([key]) => key === id)?.[1]];
  if (!allowed.some((each) => each !== undefined && kindIdOf(each) === kindIdOf(kind)))
    throw new TypeError(`${title}: \`kinds\` of the capability does not declare ${kindIdOf(kind)} for it`);
  const { metadata, ...fields } = body as { readonly metadata?: object };
  if (isObject(metadata) && "namespace" in metadata) throw new TypeError(`${title}: the namespace is always that of the owner`);
  const object = { ...fields, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: `${owner}-${id}`, ...metadata } };
  checkJson(object, title, [], []);
  const { ready, state, ...flags } = config;
  return { id, object, config: flags, state: state ?? stateOf(ready) };
}

function stateOf(ready: boolean | string | undefined): PlannedDependent["state"] {
  if (ready === undefined) return undefined;
  if (ready === true) return { type: "Ready", reason: "Ready", message: "" };
  return { type: "Pending", reason: "NotReady", message: ready === false ? "it is not ready yet" : ready };
}

/** Refuses what JSON would drop or change. Fields that are `undefined` are not sent. `parents` are the objects around `value`. */
function checkJson(value: unknown, title: string, path: readonly PropertyKey[], parents: readonly unknown[]): void {
  if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) return;
  const refuse = (what: string): never => {
    throw new TypeError(`${title}: ${core.toDotPath([...path])} is ${what}, which JSON does not have`);
  };
  if (typeof value !== "object") return refuse(typeof value === "number" ? String(value) : `of the type ${typeof value}`);
  if (parents.includes(value)) return refuse("a part of itself");
  const isArray = Array.isArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) return refuse(`of the class ${value.constructor.name}`);
  // The entries of Array.from() have the holes of a list.
  const entries: readonly (readonly [PropertyKey, unknown])[] = isArray
    ? Array.from(value, (each: unknown, index) => [index, each] as const)
    : Object.entries(value).filter(([, each]) => each !== undefined);
  for (const [key, each] of entries) checkJson(each, title, [...path, key], [...parents, value]);
}

function isObject<T>(value: T): value is T & object {
  return typeof value === "object" && value !== null;
}

function isList<T>(value: unknown): value is readonly T[] {
  return Array.isArray(value);
}
