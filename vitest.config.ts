import { defineConfig } from "vitest/config";

/** One configuration for every workspace: sources resolve through the custom condition, so tests need no build. */
export default defineConfig({
  resolve: { conditions: ["@treadle/source"] },
  ssr: { resolve: { conditions: ["@treadle/source"], externalConditions: ["@treadle/source"] } },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"],
    testTimeout: 20_000,
    execArgv: ["--conditions=@treadle/source"],
    // The second is for `npm test`, which sums up all workspaces.
    reporters: ["default", ["json", { outputFile: ".results/tests.json" }]],
  },
});
