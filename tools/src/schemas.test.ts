/** The generated definitions of `@treadle/apimachinery/schemas`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { expect, test } from "vitest";
import { definitionsModule } from "../schemas/generate.ts";
import { definitionsFile, recordedDocument } from "../schemas/recorded.ts";
import { root } from "./workspaces.ts";

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

test("a bundle has only the definitions that its shapes need", async () => {
  const text = await bundled('import { envVar } from "treadle/schemas"; export const schema = envVar();');
  expect(text).toContain("SecretKeySelector");
  expect(text).not.toContain("PodSpec");
  expect(text.length).toBeLessThan(allDefinitions / 10);
});

const allDefinitions = readFileSync(definitionsFile, "utf8").length;

async function bundled(source: string): Promise<string> {
  const dir = mkdtempSync(join(root, "tools", ".fences-"));
  try {
    const input = join(dir, "entry.ts");
    writeFileSync(input, source);
    const made = await build({
      configFile: false,
      logLevel: "silent",
      root: dir,
      resolve: { conditions: ["@treadle/source"] },
      build: { write: false, minify: false, ssr: input, rolldownOptions: { external: ["zod"] } },
      ssr: { noExternal: true, resolve: { conditions: ["@treadle/source"] } },
    });
    return [made]
      .flat()
      .flatMap((each) => ("output" in each ? each.output.flatMap((chunk) => ("code" in chunk ? [chunk.code] : [])) : []))
      .join("");
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
