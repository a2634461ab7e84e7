/** The generated definitions of `@treadle/apimachinery/schemas`. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { definitionsModule } from "../schemas/generate.ts";
import { definitionsFile, recordedDocument } from "../schemas/recorded.ts";

test("the definitions are those of the recorded OpenAPI", async () => {
  const text = await definitionsModule(recordedDocument);
  expect(text === readFileSync(definitionsFile, "utf8"), "run `node --conditions=@treadle/source tools/schemas/main.ts`").toBe(true);
});

test("a definition that the server does not have is an error that names the list of definitions", async () => {
  await expect(definitionsModule(() => Promise.resolve({}))).rejects.toThrow(
    "/openapi/v3/api/v1 has no io.k8s.api.core.v1.Affinity: correct tools/schemas/roots.ts",
  );
});

test("a type that the program cannot turn into zod is an error that names the file to extend", async () => {
  const read = async (document: string) => {
    const schemas = await recordedDocument(document);
    const name = "io.k8s.api.core.v1.Toleration";
    return name in schemas
      ? { ...schemas, [name]: { type: "object", properties: { at: { type: "string", format: "date-time" } } } }
      : schemas;
  };
  await expect(definitionsModule(read)).rejects.toThrow(
    'packages/apimachinery/src/schemas/to-zod.ts has no case for the format "date-time"',
  );
});
