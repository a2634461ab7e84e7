/** The files of the recordings, and their comparison with the simulation. */
import type { Step } from "./digest.ts";
import type { Scenario } from "./scenario.ts";

export function recordingOf({ name }: Scenario): URL {
  return new URL(`recorded/${name.replaceAll(/[^a-zA-Z]+/g, "-").toLowerCase()}.json`, import.meta.url);
}

/**
 * Returns a line for each difference: the path, the recorded and the simulated value. The order of conditions is ignored,
 * because it is that of the events that a controller saw.
 */
export function differences(recorded: readonly Step[], simulated: readonly Step[]): readonly string[] {
  return recorded.flatMap((one, index) => {
    const other = simulated[index];
    return compare(`${one.step}: `, byName(one), other === undefined ? undefined : byName(other));
  });
}

/** Indexes lists by the names of their objects, so that one more object does not shift the others. */
function byName({ objects }: Step): unknown {
  return Object.fromEntries(
    Object.entries(objects).map(([resource, list]) => {
      const names = new Map<string, number>();
      return [
        resource,
        Object.fromEntries(
          list.map((object) => {
            const name = String(object["metadata"].name);
            const count = (names.get(name) ?? 0) + 1;
            names.set(name, count);
            return [count === 1 ? name : `${name} ${count}`, object];
          }),
        ),
      ];
    }),
  );
}

function compare(path: string, recorded: unknown, simulated: unknown): readonly string[] {
  if (JSON.stringify(recorded) === JSON.stringify(simulated)) return [];
  if (!isParent(recorded) || !isParent(simulated) || Array.isArray(recorded) !== Array.isArray(simulated))
    return [`${path} recorded ${JSON.stringify(recorded)}, simulated ${JSON.stringify(simulated)}`];
  const [one, other] = [byType(recorded), byType(simulated)];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => compare(path.endsWith(": ") ? `${path}${key}` : `${path}.${key}`, one[key], other[key]));
}

/** Indexes conditions by their types. */
function byType(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Array.isArray(value) || !value.every((item) => isParent(item) && typeof item["type"] === "string")) return value;
  return Object.fromEntries(value.map((item: { readonly type: string }) => [item.type, item]));
}

function isParent(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
