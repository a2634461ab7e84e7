import { join } from "node:path";
import { wireSuite } from "./suite.ts";

for (const [language, variable] of [
  ["Go", "TREADLE_TEST_PLUGIN_GO"],
  ["Python", "TREADLE_TEST_PLUGIN_PYTHON"],
] as const) {
  const folder = process.env[variable];
  if (folder === undefined) throw new Error(`${variable} names no folder: run \`npm run test:programs -- packages/plugins\``);
  wireSuite(language, { postgres: join(folder, "kube-postgres"), wireTest: join(folder, "wire-test") });
}
