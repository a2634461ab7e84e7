import { defineConfig } from "vitest/config";

/** Set by `npm run test:e2e`: tests that start a cluster get a real API server. */
const isOnRealServer = (process.env["TREADLE_TEST_KUBECONFIG"] ?? "") !== "";

/** Of its own, since the types of vitest 5.1 know it of the command line only. */
const TAGS = { tagsFilter: [isOnRealServer ? "!memory" : "!real"] };

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
    ],
    ...TAGS,
    testTimeout: isOnRealServer ? 180_000 : 20_000,
    hookTimeout: isOnRealServer ? 60_000 : 10_000,
    // One server for all: a cluster begins by emptying it.
    fileParallelism: !isOnRealServer,
    execArgv: ["--conditions=@treadle/source"],
    // The second is for `npm test`, which sums up all workspaces.
    reporters: ["default", ["json", { outputFile: isOnRealServer ? ".results/e2e.json" : ".results/tests.json" }]],
  },
});
