/** What `treadle new` makes: the projects compile, have no problem of their linter, and their tests pass, from the sources of this workspace. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { filesIn, run, testFolder } from "./new-folder.ts";

const PACKAGE = join(import.meta.dirname, "..");
const ROOT = join(PACKAGE, "../..");
const BIN = join(ROOT, "node_modules/.bin");

/** A project below this package, where the packages that it uses are found. */
async function project(kind: string, ...additions: readonly string[]): Promise<string> {
  const folder = join(testFolder(PACKAGE), "made");
  for (const line of [`operator my-operator --kind ${kind} --yes`, ...additions])
    expect(await run(`new ${line} --dir ${folder}`)).toMatchObject({ code: 0, err: "", out: expect.not.stringContaining("by hand") });
  return folder;
}

/** Runs a program of the workspace in a project. @throws with the output of the program */
async function inProject(folder: string, program: string, ...args: readonly string[]): Promise<string> {
  return await promisify(execFile)(join(BIN, program), args, { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => expect.fail(`${program}: ${stdout}${stderr}`),
  );
}

/** As `npm run check` and `npm test` there. Inside of the workspace, packages are their sources. */
async function checked(folder: string, ...tests: readonly string[]): Promise<void> {
  await inProject(folder, "tsc", "--customConditions", "@treadle/source");
  await inProject(folder, "oxlint", "--deny-warnings");
  await inProject(folder, "vitest", "run", "--config", join(ROOT, "vitest.config.ts"), "--root", folder, ...tests);
}

test("a new operator compiles, has no lint problem, and its tests pass", { timeout: 240_000 }, async () => {
  await checked(await project("Website"));
});

test("an operator whose kind has several words, and another name than its files, does so too", {
  tags: ["long"],
  timeout: 240_000,
}, async () => {
  await checked(await project("RWProxyPolicy", "step read-input", "webhook rules"));
});

describe("an operator with an addition", () => {
  test.for([
    "resource Database",
    "step read-input",
    "component web-interface",
    "dependents addresses",
    "managed Bucket",
    "webhook website-rules",
  ])("%s compiles, has no lint problem, and its tests pass", { tags: ["long"], timeout: 240_000 }, async (addition) => {
    await checked(await project("Website", addition));
  });

  test("of each type compiles, and the tests of the additions pass", { timeout: 240_000 }, async () => {
    const folder = await project(
      "Website",
      "resource Database",
      "step read-input --for Website",
      "step read-output --for Database",
      "component web-interface --for Website",
      "dependents addresses --for Website",
      "managed Bucket",
      "managed DNSZone",
      "webhook website-rules --for Website",
      "webhook database-rules --for Database",
    );
    await checked(folder, "read", "web-interface", "addresses", "bucket", "dns-zone", "rules");
    expect(filesIn(folder)["src/main.ts"]?.match(/manager\.add/g)).toHaveLength(7);
  });
});

test("the ranges of the package.json of a project are those that the workspace is tested with", () => {
  const read = (path: string): { readonly dependencies?: Record<string, string>; readonly devDependencies?: Record<string, string> } =>
    JSON.parse(readFileSync(join(ROOT, path), "utf8"));
  const tested = {
    ...read("packages/plugins/package.json").devDependencies,
    ...read("packages/apimachinery/package.json").dependencies,
    ...read("package.json").devDependencies,
  };
  for (const template of ["operator", "plugin"]) {
    const { dependencies, devDependencies } = read(`packages/cli/templates/${template}/package.json`);
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
      expect(`${name} ${range}`).toBe(/treadle/.test(name) ? `${name} 0.0.0-template` : `${name} ^${tested[name]?.replace("^", "")}`);
  }
});
