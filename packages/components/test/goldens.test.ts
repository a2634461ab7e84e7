/** expectGoldens() in a run of vitest: what it writes, and how it fails. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toYaml } from "../src/testing/to-yaml.ts";
import { database, webInterface } from "./web-app.ts";

const here = import.meta.dirname;
const config = join(here, "..", "..", "..", "vitest.config.ts");
const cli = join(dirname(fileURLToPath(import.meta.resolve("vitest/package.json"))), "vitest.mjs");
let folder = "";

const PROGRAM = `
import { expectGoldens } from ${JSON.stringify(join(here, "..", "src", "testing", "index.ts"))};
import { database, webInterface } from ${JSON.stringify(join(here, "web-app.ts"))};
const IMAGE = "web:1";
test("web", () => expectGoldens(webInterface, { cases: { basic: { object: { spec: { image: IMAGE } } } } }));
test("db", () => expectGoldens(database, { dir: "others", data: { user: "anna" }, cases: [{ name: "all", object: { spec: {} } }] }));
`;

/** Runs the program in a vitest of its own. */
async function run(program: string, ...flags: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  await writeFile(join(folder, "goldens.test.ts"), program);
  const args = [cli, "run", "--globals", "--config", config, "--root", folder, "--reporter", "default", ...flags];
  const child = spawn(process.execPath, args, { env: { ...process.env, NO_COLOR: "1" } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => void (output += data.toString()));
  const code = await new Promise<number | null>((done) => child.once("close", done));
  return { code, output };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "treadle-goldens-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test("the files are written by an update, compared afterwards, and a difference fails with both texts", async () => {
  await mkdir(join(folder, "goldens"));
  await writeFile(join(folder, "goldens", "web-interface.gone.yaml"), "");
  const written = await run(PROGRAM, "--update");
  expect(written.code).toBe(1);
  expect(written.output).toMatch(
    /Error: goldens of component "web-interface": goldens.web-interface\.gone\.yaml belongs to no case: delete it\n/,
  );
  expect(await readFile(join(folder, "goldens", "web-interface.basic.yaml"), "utf8")).toBe(toYaml(webInterface.preview({ spec: {} })));
  expect(await readFile(join(folder, "others", "database.all.yaml"), "utf8")).toBe(
    toYaml(database.preview({ spec: {} }, { data: { user: "anna" } })),
  );

  const changed = await run(PROGRAM.replace("web:1", "web:2"));
  expect(changed.code).toBe(1);
  expect(changed.output).toMatch(
    /Error: goldens of component "web-interface": goldens.web-interface\.basic\.yaml: .*; goldens.web-interface\.gone\.yaml belongs to no case: delete it; if the objects are right, run vitest -u/,
  );
  expect(changed.output).toContain("-           image: web:1");
  expect(changed.output).toContain("+           image: web:2");
  expect(changed.output).toContain("1 passed");

  await rm(join(folder, "goldens", "web-interface.gone.yaml"));
  expect(await run(PROGRAM)).toMatchObject({ code: 0 });
});
