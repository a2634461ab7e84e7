/** Changes of the limits of a value: enums, numbers, lengths, patterns and formats. Pure. */
import type { JsonSchema } from "@treadle/apimachinery";
import { equal, type SchemaChange } from "./schema-change.ts";

/** Returns the changes of limits. A stored value that is outside of a new limit stays valid until someone changes it. */
export function limitChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  return [...enumChanges(old, next, path), ...boundChanges(old, next, path), ...textChanges(old, next, path)];
}

const REMEDY = "Make sure that nobody writes such values, or add a version. Stored values stay valid until someone changes them.";

function narrower(path: string, message: string): SchemaChange {
  return { id: "limit-narrowed", breaks: "clients", path, message, remedy: REMEDY };
}

function wider(path: string, message: string): SchemaChange {
  return { id: "limit-widened", breaks: "nothing", path, message, remedy: "" };
}

function enumChanges({ enum: old }: JsonSchema, { enum: next }: JsonSchema, path: string): readonly SchemaChange[] {
  if (equal(old, next)) return [];
  const shown = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(", ");
  if (old === undefined) return [narrower(path, `Only these values are valid now: ${shown(next ?? [])}.`)];
  if (next === undefined) return [wider(path, "Values are not limited any more.")];
  const gone = old.filter((value) => !next.some((other) => equal(value, other)));
  const come = next.filter((value) => !old.some((other) => equal(value, other)));
  return [
    ...(gone.length > 0 ? [narrower(path, `These values are not valid any more: ${shown(gone)}.`)] : []),
    ...(come.length > 0 ? [wider(path, `These values are valid now: ${shown(come)}.`)] : []),
  ];
}

const LOWER = ["minimum", "minLength", "minItems", "minProperties"] as const;
const UPPER = ["maximum", "maxLength", "maxItems", "maxProperties"] as const;

function boundChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  for (const name of [...LOWER, ...UPPER]) {
    const sign = LOWER.some((each) => each === name) ? 1 : -1;
    const [was, is] = [old[name], next[name]];
    if (was === is) continue;
    const isNarrower = is !== undefined && (was === undefined || sign * is > sign * was);
    // Nothing is shorter than 0.
    if (isNarrower && sign === 1 && name !== "minimum" && is === 0) continue;
    const text = `${name} was ${was ?? "not set"} and is ${is ?? "not set"}.`;
    changes.push(isNarrower ? narrower(path, text) : wider(path, text));
  }
  for (const [name, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if ((old[name] ?? false) === (next[name] ?? false)) continue;
    changes.push(
      next[name] === true ? narrower(path, `The ${bound} itself is not valid now.`) : wider(path, `The ${bound} itself is valid now.`),
    );
  }
  return changes;
}

function textChanges(old: JsonSchema, next: JsonSchema, path: string): readonly SchemaChange[] {
  return (["pattern", "format", "multipleOf"] as const)
    .filter((name) => old[name] !== next[name])
    .map((name) =>
      next[name] === undefined
        ? wider(path, `${name} ${String(old[name])} was removed.`)
        : narrower(path, `${name} was ${String(old[name] ?? "not set")} and is ${String(next[name])}: values may not fit.`),
    );
}
