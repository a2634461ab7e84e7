/** Reads what a server says of a CRD that it refuses: the places of the schema, instead of one long sentence. Pure. */
import type { CustomResourceDefinition } from "@treadle/apimachinery";
import { listAt, textAt } from "../../json.ts";
import { below } from "../schema-fields.ts";
import type { Finding } from "../problem.ts";

/** Returns one finding for each place. `error` is what the server threw. */
export function refusals(error: unknown, crd: CustomResourceDefinition): readonly Finding[] {
  const texts = new Map<string, Set<string>>();
  for (const cause of listAt(error, "status", "details", "causes")) {
    const message = shortened(textAt(cause, "message"));
    // It repeats the cost of one rule.
    if (message.startsWith("contributed to estimated rule cost")) continue;
    const where = placeOf(textAt(cause, "field"), crd);
    texts.set(where, (texts.get(where) ?? new Set()).add(message));
  }
  if (texts.size === 0) return [{ where: crd.metadata.name, message: error instanceof Error ? error.message : String(error) }];
  return [...texts].map(([where, messages]) => ({ where, message: [...messages].join("; ") }));
}

/** The server shows a whole rule as JSON, and its own words for the type of an error. */
function shortened(message: string): string {
  return message.replace(/^Invalid value: \{"Rule":.*?\}: /s, "").replace(/^(Forbidden|Required value): /, "");
}

/** `spec.versions[0].schema.openAPIV3Schema.properties[spec].items.type` is `spec[]` of the first version. */
function placeOf(field: string, { metadata, spec }: CustomResourceDefinition): string {
  const [, index, inSchema] = /^spec\.(?:validation|versions\[(\d+)\]\.schema)\.openAPIV3Schema(.*)$/.exec(field) ?? [];
  if (inSchema === undefined) return `${metadata.name} ${field}`;
  const path = [...inSchema.matchAll(/\.properties\[([^\]]+)\]|\.items\b|\.additionalProperties\b/g)].reduce(
    (at, [part, name]) => (part === ".items" ? `${at}[]` : below(at, name ?? "*")),
    "",
  );
  return [metadata.name, spec.versions[Number(index ?? 0)]?.name, path].filter((part) => part !== "").join(" ");
}
