import { defineConfig } from "vitest/config";

/** Set by `npm run test:e2e`: tests that start a cluster get a real API server. */
const isOnRealServer = (process.env["TREADLE_TEST_KUBECONFIG"] ?? "") !== "";

/** Set by `npm run test:e2e` too: the version of that server, as in `v1.30.14`. */
const minor = Number(/^v1\.(\d+)/.exec(process.env["TREADLE_TEST_KUBERNETES"] ?? "")?.[1] ?? Number.POSITIVE_INFINITY);

/** Tests that need a server of at least this version have the tag `since-1.N`. */
const SINCE = [{ minor: 34, description: "nothing is created any more while its CRD is being removed" }];

/** Of its own, since the types of vitest 5.1 know it of the command line only. */
const TAGS = {
  tagsFilter: [isOnRealServer ? "!memory" : "!real", ...SINCE.filter((each) => each.minor > minor).map((each) => `!since-1.${each.minor}`)],
};

/** One configuration for every workspace: sources resolve through the custom condition, so tests need no build. */
export default defineConfig({
  resolve: { conditions: ["@treadle/source"] },
  ssr: { resolve: { conditions: ["@treadle/source"], externalConditions: ["@treadle/source"] } },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"],
    // Set by hand only on tests that cannot run on both servers; all others do.
    tags: [
      { name: "memory", description: "needs what a real API server has not: virtual time, faults, the server's own insides" },
      { name: "real", description: "needs a real API server: RBAC, admission, controllers of workloads" },
      ...SINCE.map((each) => ({ name: `since-1.${each.minor}`, description: each.description })),
    ],
    ...TAGS,
    testTimeout: isOnRealServer ? 180_000 : 20_000,
    hookTimeout: isOnRealServer ? 60_000 : 10_000,
    // Files of one worker share what they import, which takes longer than most of them: none may depend on the order in which they run.
    isolate: false,
    // One server for all: a cluster begins by emptying it.
    fileParallelism: !isOnRealServer,
    execArgv: ["--conditions=@treadle/source"],
    // The second is for `npm test`, which sums up all workspaces.
    reporters: ["default", ["json", { outputFile: isOnRealServer ? ".results/e2e.json" : ".results/tests.json" }]],
  },
});
