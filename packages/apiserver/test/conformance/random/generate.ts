/** Random operations of three managers on one object. A sequence depends only on its seed. */
import { type Random, seededRandom } from "@treadle/apimachinery";
import type { Json } from "../session.ts";
import type { Kind, Shape } from "./kinds.ts";

/** One request, without the name of the object. `body` is completed with kind, version and name when it is sent. */
export interface Operation {
  readonly verb: "apply" | "create" | "put" | "merge" | "json" | "delete" | "get";
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: "" | "status";
  readonly query: string;
  /** For `put`: replaces the fields of the live object beside metadata. For `json`: a list of operations. */
  readonly body?: unknown;
}

const NOTHING: Omit<Operation, "verb" | "apiVersion"> = { manager: "base", subresource: "", query: "" };
const MANAGERS = ["one", "two", "three"] as const;

/** Returns the operations of a sequence. */
export function sequenceOf(kind: Kind, seed: number, length: number): readonly Operation[] {
  const dice = new Dice(seededRandom(seed));
  const operations = Array.from({ length }, () => operation(kind, dice));
  // Without a valid object of a built-in kind all operations would fail.
  if (Object.keys(kind.base).length === 0) return operations;
  const begin: Operation = { ...NOTHING, apiVersion: kind.apiVersions[0] ?? "", verb: "create", body: kind.base };
  return [begin, ...operations.slice(1)];
}

class Dice {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined && list.length === 0) throw new Error("nothing to pick from");
    return picked as T; // in range
  }

  /** Returns some items of a list in random order. */
  some<T>(list: readonly T[], most: number): readonly T[] {
    const left = [...list];
    return Array.from({ length: Math.min(this.below(most + 1), left.length) }, () => left.splice(this.below(left.length), 1)[0] as T);
  }
}

/** Weights of the verbs. */
const VERBS: readonly (readonly [Operation["verb"], number])[] = [
  ["apply", 60],
  ["merge", 14],
  ["put", 8],
  ["json", 7],
  ["delete", 4],
  ["create", 4],
  ["get", 3],
];

function operation(kind: Kind, dice: Dice): Operation {
  const rolled = weighted(dice);
  // On the real server an apply to the status of a missing service creates one without an address.
  const verb = rolled === "delete" && kind.name === "service" ? "get" : rolled;
  const isStatus = kind.status !== undefined && verb !== "delete" && verb !== "create" && dice.chance(0.2);
  const base = {
    verb,
    manager: dice.pick(MANAGERS),
    apiVersion: dice.pick(kind.apiVersions),
    subresource: isStatus ? ("status" as const) : ("" as const),
  };
  const dryRun = dice.chance(0.05) ? "&dryRun=All" : "";
  switch (verb) {
    case "apply":
      return { ...base, query: (dice.chance(0.35) ? "&force=true" : "") + dryRun, body: configuration(kind, dice, isStatus) };
    case "merge":
      return { ...base, query: dryRun, body: patch(kind, dice, isStatus) };
    case "json":
      return { ...base, query: dryRun, body: jsonPatch(kind, dice, isStatus) };
    case "create":
    case "put":
      return { ...base, query: dryRun, body: configuration(kind, dice, isStatus) };
    default:
      return { ...base, query: "" };
  }
}

function weighted(dice: Dice): Operation["verb"] {
  let left = dice.below(VERBS.reduce((sum, [, weight]) => sum + weight, 0));
  for (const [verb, weight] of VERBS) if ((left -= weight) < 0) return verb;
  return "get";
}

/** Returns a configuration: mostly fields of the kind, sometimes metadata, a status on the wrong path, or a null. */
function configuration(kind: Kind, dice: Dice, isStatus: boolean): Json {
  const fields = fill(kind.body, dice, isStatus ? 0.1 : 0.35) as Json;
  const withStatus = kind.status !== undefined && dice.chance(isStatus ? 0.95 : 0.1);
  const metadata = dice.chance(0.3) ? metadataOf(dice) : {};
  const whole = kind.isCustom || dice.chance(0.3) ? fields : laidOver(kind.base, fields);
  return {
    ...(isStatus && dice.chance(0.8) ? {} : whole),
    ...(withStatus ? { status: fill(kind.status as Shape, dice, 0.5) } : {}),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function metadataOf(dice: Dice): Json {
  // A kind that no server knows: a garbage collector ignores such owners, and would delete dependents of other missing ones.
  const owner = (uid: string): Json => ({
    apiVersion: "owners.example.com/v1",
    kind: "Owner",
    name: `owner-${uid}`,
    uid: `00000000-0000-0000-0000-00000000000${uid}`,
  });
  return {
    ...(dice.chance(0.6) ? { labels: mapOf(dice, ["l", "m"], ["a", "b"]) } : {}),
    ...(dice.chance(0.4) ? { annotations: mapOf(dice, ["x", "y"], ["a", "b"]) } : {}),
    ...(dice.chance(0.3) ? { finalizers: dice.some(["f.x/a", "f.x/b"], 2) } : {}),
    ...(dice.chance(0.2) ? { ownerReferences: dice.some(["1", "2"], 2).map(owner) } : {}),
  };
}

function mapOf(dice: Dice, keys: readonly string[], values: readonly string[]): Json {
  return Object.fromEntries(dice.some(keys, keys.length).map((key) => [key, dice.pick(values)]));
}

function patch(kind: Kind, dice: Dice, isStatus: boolean): Json {
  const shape: Shape = isStatus ? { fields: { status: kind.status as Shape } } : kind.body;
  const body = nulled(fill(shape, dice, 0.25), dice) as Json;
  // Sometimes all managers are reset.
  if (dice.chance(0.04)) return { metadata: { managedFields: [{}] } };
  const metadata = dice.chance(0.2) ? nulled(metadataOf(dice), dice) : undefined;
  return { ...body, ...(metadata === undefined ? {} : { metadata }) };
}

function jsonPatch(kind: Kind, dice: Dice, isStatus: boolean): readonly Json[] {
  return Array.from({ length: 1 + dice.below(2) }, () => {
    let [path, shape]: [string, Shape] = ["", isStatus ? { fields: { status: kind.status as Shape } } : kind.body];
    do {
      const parts: readonly (readonly [string, Shape])[] =
        "fields" in shape
          ? Object.entries(shape.fields)
          : "keys" in shape
            ? shape.keys.map((key) => [key, (shape as { of: Shape }).of] as const)
            : [];
      if (parts.length === 0) break;
      const [key, under] = dice.pick(parts);
      [path, shape] = [`${path}/${key}`, under];
    } while (path.split("/").length < 3 || dice.chance(0.4));
    return dice.chance(0.3) ? { op: "remove", path } : { op: dice.pick(["add", "replace"]), path, value: fill(shape, dice, 0.5) };
  });
}

/** Replaces members by null, which a merge patch removes. */
function nulled(value: unknown, dice: Dice): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, dice.chance(0.15) ? null : nulled(member, dice)]));
}

/** Returns a value of the shape. Each optional field has the given probability, and a few are null. */
function fill(shape: Shape, dice: Dice, density: number): unknown {
  if ("values" in shape) return dice.pick(shape.values);
  if ("members" in shape) return dice.some(shape.members, 3);
  if ("list" in shape) return Array.from({ length: dice.below(3) }, () => fill(shape.list, dice, 0.7));
  if ("keys" in shape) return Object.fromEntries(dice.some(shape.keys, 2).map((key) => [key, fill(shape.of, dice, 0.6)]));
  if ("items" in shape) return items(shape, dice);
  const object: Record<string, unknown> = {};
  for (const [field, under] of Object.entries(shape.fields)) {
    if (shape.always?.includes(field)) object[field] = fill(under, dice, 0.6);
    else if (dice.chance(density)) object[field] = dice.chance(0.02) ? null : fill(under, dice, 0.6);
  }
  return object;
}

/** Returns items with different keys, with rare exceptions. */
function items({ items: shape, by }: { readonly items: Shape; readonly by: readonly string[] }, dice: Dice): readonly unknown[] {
  const list = Array.from({ length: dice.below(4) }, () => fill(shape, dice, 0.5) as Json);
  if (dice.chance(0.02)) return list;
  const seen = new Set<string>();
  return list.filter((item) => {
    // An omitted key may be the default, so it counts as equal to all keys.
    const key = JSON.stringify(by.slice(0, 1).map((field) => item[field]));
    return !seen.has(key) && seen.add(key);
  });
}

/** Returns an object with the fields of another one over it. */
function laidOver(base: Json, over: Json): Json {
  const result: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(over)) {
    const under = base[field] as unknown;
    result[field] = isObject(under) && isObject(value) ? laidOver(under, value) : value;
  }
  return result;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
