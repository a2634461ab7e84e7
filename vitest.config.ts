import { defineConfig } from "vitest/config";

/** One configuration for every workspace: sources resolve through the custom condition, so tests need no build. */
export default defineConfig({
  resolve: { conditions: ["@treadle/source"] },
  ssr: { resolve: { conditions: ["@treadle/source"], externalConditions: ["@treadle/source"] } },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "*.test.ts"],
    testTimeout: 20_000,
    passWithNoTests: true,
    execArgv: ["--conditions=@treadle/source"],
  },
});
