/** The `fieldPath` of a rule: a JSON path of fields and map keys below the value of the rule. */
import type { CompiledSchema } from "../schema/schema.ts";

/** Returns the path as messages show it, or an empty text when it does not exist. */
export function normalFieldPath(path: string, schema: CompiledSchema): string {
  const steps = stepsOf(path);
  if (steps === undefined) return "";
  let at: CompiledSchema | undefined = schema;
  let text = "";
  for (const step of steps) {
    if (at === undefined) return "";
    if (at.properties.size > 0) {
      at = at.properties.get(step);
      text += text === "" ? step : `.${step}`;
    } else if (at.additional !== undefined && at.additional !== true) {
      at = at.additional;
      text += `[${step}]`;
    } else return "";
  }
  return at === undefined ? "" : text;
}

function stepsOf(path: string): readonly string[] | undefined {
  const steps: string[] = [];
  const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/gy;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (match === null) return undefined;
    steps.push(match[1] ?? (match[2] ?? "").replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char));
  }
  return steps;
}

const ESCAPES: Readonly<Record<string, string>> = { a: "\u0007", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
