import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Set by `npm run test:e2e`: tests that start a cluster get a real API server. */
const isOnRealServer = (process.env["TREADLE_TEST_KUBECONFIG"] ?? "") !== "";

/** Set by `npm run test:e2e` too: the version of that server, as in `v1.30.14`. */
const minor = Number(/^v1\.(\d+)/.exec(process.env["TREADLE_TEST_KUBERNETES"] ?? "")?.[1] ?? Number.POSITIVE_INFINITY);

/** Tests that need a server of at least this version have the tag `since-1.N`. */
const SINCE = [{ minor: 34, description: "nothing is created any more while its CRD is being removed" }];

/** Set by `npm run test:long` to "1": the long tests, all of them and in full. Set by `npm test -- --all` to "all": the other tests, too. */
const long = process.env["TREADLE_TEST_LONG"] ?? "";
const isLongRun = long !== "" && long !== "all";

/**
 * Tests of real programs are in `*.programs.test.ts`. `npm run test:programs` sets "only" and runs them alone; `npm run test:e2e` sets
 * "too". Both name the programs. `npm test` runs none of them.
 */
const programs = process.env["TREADLE_TEST_PROGRAMS"] ?? "";
const OF_PROGRAMS = "**/*.programs.test.ts";

/** Chooses what runs of the long tests (tools/src/test-part.ts). `npm test` gives one to all workspaces. */
const seed = Number(process.env["TREADLE_TEST_SEED"] || Math.floor(Math.random() * 2 ** 31));
// Other programs read this file, too.
if ((process.env["TREADLE_TEST_SEED"] ?? "") === "" && /vitest/.test(process.argv[1] ?? ""))
  console.info(`long tests: a part by TREADLE_TEST_SEED=${seed}`);

/** Of its own, since the types of vitest 5.1 know it of the command line only. */
const TAGS = {
  tagsFilter: [
    isOnRealServer ? "!memory" : "!real",
    ...(isLongRun ? ["long || part"] : []),
    ...SINCE.filter((each) => each.minor > minor).map((each) => `!since-1.${each.minor}`),
  ],
};

const ALL_TESTS = ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"];
const TESTS = programs === "only" ? ALL_TESTS.map((glob) => glob.replace(/test\.ts$/, "programs.test.ts")) : ALL_TESTS;
const EXCLUDED = ["**/node_modules/**", ...(programs === "" ? [OF_PROGRAMS] : [])];

/** The test files of this workspace with a long test: to load the others takes longer than to look for the tags. */
function longTests(): readonly string[] {
  return globSync(TESTS, { exclude: EXCLUDED }).filter((file) => /tags: \[[^\]]*"(long|part)"/.test(readFileSync(file, "utf8")));
}

/** One configuration for every workspace: sources resolve through the custom condition, so tests need no build. */
export default defineConfig({
  resolve: { conditions: ["@treadle/source"] },
  ssr: { resolve: { conditions: ["@treadle/source"], externalConditions: ["@treadle/source"] } },
  test: {
    include: isLongRun ? [...longTests()] : TESTS,
    exclude: EXCLUDED,
    passWithNoTests: isLongRun,
    setupFiles: [join(import.meta.dirname, "tools/src/test-setup.ts")],
    provide: { part: { isWhole: long !== "" || isOnRealServer, seed } },
    tags: [
      { name: "long", description: "a random eighth of these tests runs in `npm test`; all run in `npm run test:long`" },
      { name: "part", description: "does an eighth of its cases in `npm test`, by the seed; all in `npm run test:long`" },
      // Set by hand only on tests that cannot run on both servers; all others do.
      { name: "memory", description: "needs what a real API server has not: virtual time, faults, the server's own insides" },
      { name: "real", description: "needs a real API server: RBAC, admission, controllers of workloads" },
      ...SINCE.map((each) => ({ name: `since-1.${each.minor}`, description: each.description })),
    ],
    ...TAGS,
    // No result may depend on the load of the machine: the limits end only what hangs.
    testTimeout: long !== "" ? 900_000 : isOnRealServer ? 180_000 : 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Files of one worker share what they import, which takes longer than most of them: none may depend on the order in which they run.
    isolate: false,
    // One server for all: a cluster begins by emptying it.
    fileParallelism: !isOnRealServer,
    execArgv: ["--conditions=@treadle/source"],
    // The second is for `npm test`, which sums up all workspaces.
    reporters: [
      "default",
      ["json", { outputFile: `.results/${isOnRealServer ? "e2e" : programs === "only" ? "programs" : "tests"}.json` }],
    ],
  },
});
