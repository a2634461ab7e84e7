/** `node scripts/schemas.ts`: writes the JSON Schemas of the documents of `-o json`. Tests check the output by the same declarations. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { checkReport } from "./check-schemas.ts";
import { devEvent } from "./dev-schemas.ts";
import { generatedFiles } from "./generate-schemas.ts";
import { pipelineGraph } from "./graph-schemas.ts";
import { explanation, objectTree } from "./object-schemas.ts";
import { RELEASE_SCHEMAS } from "./release-schemas.ts";

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "check-report.json": checkReport,
  "dev-event.json": devEvent,
  "explanation.json": explanation,
  "generated-files.json": generatedFiles,
  "object-tree.json": objectTree,
  "pipeline-graph.json": pipelineGraph,
  ...RELEASE_SCHEMAS,
};

/** Returns the text of each file in `schemas`. */
export function schemaFiles(): ReadonlyMap<string, string> {
  const text = (schema: z.ZodType): string => `${JSON.stringify(z.toJSONSchema(schema, { io: "input" }), undefined, 2)}\n`;
  return new Map(Object.entries(SCHEMAS).map(([name, schema]) => [name, text(schema)]));
}

if (import.meta.main) for (const [name, text] of schemaFiles()) writeFileSync(join(import.meta.dirname, "..", "schemas", name), text);
