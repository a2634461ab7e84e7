/** TSDoc of a schema: its description, and what the type cannot say. Pure. */
import type { JsonSchema } from "@treadle/apimachinery";

/** The width of the lines. */
const WIDTH = 110;

/** Returns a comment, indented; empty if there is nothing to say. */
export function commentOf(lines: readonly string[], indent: string): string {
  const broken = lines.flatMap((line) => wrap(line, WIDTH - indent.length)).map((line) => line.replaceAll("*/", "*\\/"));
  const [first] = broken;
  if (first === undefined) return "";
  if (broken.length === 1) return `${indent}/** ${first} */\n`;
  return `${indent}/**\n${broken.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Returns the lines about a schema: the description, rules and limits, and the default. */
export function linesAbout(schema: JsonSchema): readonly string[] {
  const { description = "" } = schema;
  const text = description.trim() === "" ? [] : description.trim().split(/\r?\n/);
  const more = [...limitsOf(schema), ...rulesOf(schema)];
  const isApart = text.length > 0 && more.length > 0;
  const given = schema.default === undefined ? [] : [`@defaultValue ${shownDefault(schema.default)}`];
  return [...text, ...(isApart ? [""] : []), ...more, ...given];
}

function shownDefault(value: unknown): string {
  const text = JSON.stringify(value);
  // Braces would be a tag.
  return text.length > 80 ? "a larger value: see the CRD" : `\`${text}\``;
}

function limitsOf(schema: JsonSchema): readonly string[] {
  const keys = schema["x-kubernetes-list-map-keys"];
  const type = schema["x-kubernetes-list-type"];
  const { format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const { minProperties, maxProperties, multipleOf } = schema;
  const limits = [
    format === undefined || format.startsWith("int") ? "" : `format ${format}`,
    minimum === undefined ? "" : `${exclusiveMinimum === true ? "above" : "at least"} ${minimum}`,
    maximum === undefined ? "" : `${exclusiveMaximum === true ? "below" : "at most"} ${maximum}`,
    multipleOf === undefined ? "" : `a multiple of ${multipleOf}`,
    range(minLength, maxLength, "signs"),
    range(minItems, maxItems, "entries"),
    range(minProperties, maxProperties, "entries"),
    pattern === undefined ? "" : `pattern \`${pattern.replaceAll(/\s/g, " ")}\``,
    type === "set" ? "each entry once" : "",
    type === "map" && keys !== undefined ? `each ${keys.join(" with ")} once` : "",
  ].filter((each) => each !== "");
  return limits.length === 0 ? [] : [`Limits: ${limits.join(", ")}.`];
}

function range(min: number | undefined, max: number | undefined, what: string): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max} ${what}`;
  if (min !== undefined) return `at least ${min} ${what}`;
  return max === undefined ? "" : `at most ${max} ${what}`;
}

/** The messages of rules in CEL; a rule without one is shown itself. */
function rulesOf(schema: JsonSchema): readonly string[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  return rules.map(({ message, rule }) => `Rule: ${(message ?? `\`${rule}\``).replaceAll(/\s+/g, " ")}`);
}

function wrap(line: string, width: number): readonly string[] {
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = "";
  for (const word of line.trim().split(/ +/)) {
    if (current !== "" && indent.length + current.length + 1 + word.length > width) {
      lines.push(indent + current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, indent + current];
}
