/** The unit tests of the plugins in Go and Python, with the programs that `npm run test:programs` has built. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
/** The first test of Go compiles the libraries, in minutes on a slow machine. */
const SLOW = { timeout: 600_000 };

test("the unit tests of the plugin in Go pass", SLOW, async () => {
  const { stdout } = await run("go", ["test", "-count=1", "-v", "."], { cwd: join(import.meta.dirname, "go-plugin") });
  expect(stdout.match(/^ +--- PASS: TestPlans\//gm)).toHaveLength(2);
});

test("the unit tests of the plugin in Python pass", SLOW, async () => {
  const folder = process.env["TREADLE_TEST_PLUGIN_PYTHON"];
  if (folder === undefined)
    throw new Error("TREADLE_TEST_PLUGIN_PYTHON names no folder: run `npm run test:programs -- examples/capabilities`");
  // The modules of the protocol are made in the build.
  const env = { ...process.env, PYTHONPATH: join(folder, "app"), PYTHONDONTWRITEBYTECODE: "1" };
  const { stderr } = await run(join(folder, "venv/bin/python"), ["-m", "unittest", "-v", "test_plans"], {
    cwd: join(import.meta.dirname, "python"),
    env,
  });
  expect(stderr).toMatch(/Ran 1 test .*\s+OK/s);
});
