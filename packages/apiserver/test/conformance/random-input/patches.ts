/** Random patches of the four types, most of them invalid. */
import type { Json } from "../session.ts";
import { APPLY, type Given, JSON_PATCH, MERGE, type Sent, STRATEGIC } from "./given.ts";
import { pathsIn, spoilt, withOddMember, withOtherType, withRawValue } from "./mutate.ts";

export function patched({ collection, name }: Given, type: string, body: string, query = ""): Sent {
  return { hasObject: true, method: "PATCH", path: `${collection}/${name}${query}`, headers: { "content-type": type }, body };
}

const POINTERS = [
  "",
  "/",
  "a",
  "/metadata",
  "/metadata/name",
  "/metadata/labels/of",
  "/metadata/labels/-",
  "/absent/deeper",
  "/spec",
  "/kind",
  "/apiVersion",
  "/metadata/annotations/a.b~1c",
  "/metadata/annotations/a.b~2c",
  "/metadata/annotations/a.b~",
  "/__proto__/a",
  "/constructor/prototype",
  "/metadata/uid",
  "/metadata/resourceVersion",
  "/metadata/finalizers/0",
  "/metadata/creationTimestamp",
];

export function jsonPatch(given: Given): Sent {
  const { dice, object } = given;
  const own = pathsIn(object).map((path) => path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
  const pointer = (): unknown =>
    dice.chance(0.08)
      ? dice.pick([1, null, true, {}])
      : dice.chance(0.5)
        ? dice.pick(own) + dice.pick(["", "", "/-", "/0", "/1", "/-1", "/01", "/x", "/"])
        : dice.pick(POINTERS);
  const operation = (): unknown => {
    if (dice.chance(0.06)) return dice.pick([null, 1, "add", [], {}]);
    const op = dice.chance(0.1)
      ? dice.pick(["Add", "", "append", 1, null, undefined])
      : dice.pick(["add", "remove", "replace", "move", "copy", "test"]);
    const made: Record<string, unknown> = { op, path: dice.chance(0.05) ? undefined : pointer() };
    if (dice.chance(0.75)) made["value"] = dice.pick([1, "x", null, {}, [], { a: "b" }, ["a"], true, "random-input"]);
    if (op === "move" || op === "copy" ? dice.chance(0.85) : dice.chance(0.05)) made["from"] = pointer();
    if (dice.chance(0.03)) made["extra"] = 1;
    return made;
  };
  if (dice.chance(0.1))
    return patched(given, JSON_PATCH, dice.pick(["", "null", "{}", "1", '"a"', "[null]", "[[]]", "[1]", "[", "[{}]", '{"op":"add"}']));
  return patched(given, JSON_PATCH, JSON.stringify(Array.from({ length: 1 + dice.below(3) }, operation)));
}

/** Returns a part of the object, corrupted. */
function mergeText({ dice, object }: Given): string {
  const { apiVersion, kind, metadata, ...rest } = object;
  const part: Json = dice.chance(0.3)
    ? { metadata: { labels: metadata.labels }, ...rest }
    : dice.chance(0.5)
      ? rest
      : { apiVersion, kind, metadata };
  const how = dice.below(10);
  if (how < 4) return JSON.stringify(withOtherType(dice, part));
  if (how < 6) return withOddMember(dice, part);
  if (how < 7) return spoilt(dice, JSON.stringify(part));
  if (how < 9) return withRawValue(dice, part);
  return dice.pick([
    "",
    "null",
    "[]",
    "1",
    '"a"',
    "{",
    '{"metadata":null}',
    '{"spec":null}',
    '{"kind":null}',
    '{"apiVersion":""}',
    '{"kind":"Other"}',
    '{"metadata":{"name":"other"}}',
    '{"metadata":{"name":null}}',
    '{"metadata":{"namespace":"other"}}',
    '{"metadata":{"uid":"x"}}',
    '{"metadata":{"resourceVersion":"x"}}',
    '{"metadata":{"managedFields":1}}',
    '{"status":1}',
  ]);
}

const VALIDATIONS = [
  "",
  "",
  "?fieldValidation=Strict",
  "?fieldValidation=Warn",
  "?fieldValidation=Ignore",
  "?force=true",
  "?fieldValidation=x",
];

export function mergePatch(given: Given): Sent {
  return patched(given, MERGE, mergeText(given), given.dice.pick(VALIDATIONS));
}

const DIRECTIVES: readonly Json[] = [
  { $patch: "delete" },
  { $patch: "replace" },
  { $patch: "other" },
  { $patch: 1 },
  { $patch: null },
  { $retainKeys: ["a"] },
  { $retainKeys: "a" },
  { $retainKeys: [1] },
  { "$setElementOrder/ports": [] },
  { "$setElementOrder/ports": "x" },
  { "$setElementOrder/ports": [1] },
  { "$deleteFromPrimitiveList/finalizers": ["a"] },
  { "$deleteFromPrimitiveList/finalizers": "a" },
  { "$deleteFromPrimitiveList/ports": [{}] },
  { ports: [{ $patch: "delete" }] },
  { ports: [{ $patch: "replace" }] },
  { ports: [{ $patch: "x", port: 80 }] },
  { ports: [1] },
  { ports: [null] },
  { ports: { a: 1 } },
  { ports: [[]] },
  { containers: [{ image: "x" }] },
  { containers: [{ $patch: "delete" }] },
  { containers: [{ name: 1 }] },
  { containers: "a" },
  { finalizers: [1] },
  { finalizers: {} },
  { labels: { $patch: "replace", a: "b" } },
  { labels: { $patch: 5 } },
];

export function strategicPatch(given: Given): Sent {
  const { dice } = given;
  if (dice.chance(0.4)) return patched(given, STRATEGIC, mergeText(given), dice.pick(VALIDATIONS));
  const directive = dice.pick(DIRECTIVES);
  const wrapped = dice.pick<Json>([
    directive,
    { metadata: directive },
    { spec: directive },
    { spec: { template: { spec: directive } } },
    { data: directive },
    { rules: [directive] },
    { status: directive },
  ]);
  return patched(given, STRATEGIC, JSON.stringify(wrapped), dice.pick(VALIDATIONS));
}

export function apply(given: Given): Sent {
  const { dice, object, collection, name } = given;
  const how = dice.below(5);
  const { metadata, ...rest } = object;
  const mine = { ...rest, metadata: { name, ...(dice.chance(0.3) ? { labels: metadata.labels } : {}) } };
  const body =
    how === 0
      ? JSON.stringify(withOtherType(dice, mine))
      : how === 1
        ? withOddMember(dice, mine)
        : how === 2
          ? withRawValue(dice, mine)
          : how === 3
            ? JSON.stringify({
                ...mine,
                metadata: {
                  ...mine.metadata,
                  ...dice.pick<Json>([
                    { name: "other" },
                    { name: "" },
                    { managedFields: [] },
                    { managedFields: [{}] },
                    { resourceVersion: "1" },
                    { uid: "x" },
                    { namespace: "other" },
                    { generateName: "x" },
                  ]),
                },
              })
            : dice.pick(["", "null", "[]", "1", "a", "{}", "{", "kind: X", `{"kind":"${object["kind"]}"}`, "metadata: {name: x}", "- a"]);
  const query = dice.pick([
    "?fieldManager=m",
    "?fieldManager=m",
    "?fieldManager=m&fieldValidation=Strict",
    "?fieldManager=m&force=true",
    "",
    "?fieldManager=",
    "?fieldManager=m&force=maybe",
    "?fieldManager=m&dryRun=All",
  ]);
  return { hasObject: dice.chance(0.5), method: "PATCH", path: `${collection}/${name}${query}`, headers: { "content-type": APPLY }, body };
}
