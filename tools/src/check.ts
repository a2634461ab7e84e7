/**
 * `npm run check`: everything that is checked without running the product; `-- NAME...` for some of the checks. All of them run,
 * whatever fails, and the end lists what did. Options go to the one check that is named: `-- api --update` writes the API reports.
 */
import { quietTurbo, run } from "./run.ts";

const checks: Readonly<Record<string, readonly [string, ...string[]]>> = {
  build: ["turbo", "run", "build", "--output-logs=errors-only"],
  types: ["tsc", "-p", "tsconfig.check.json"],
  lint: ["oxlint", "--type-aware", "--deny-warnings"],
  format: ["biome", "format"],
  order: ["node", "tools/src/dependency-order.ts"],
  circles: ["node", "tools/src/import-circles.ts"],
  words: ["node", "tools/src/engine-words.ts"],
  unused: ["knip", "--no-progress", "--no-config-hints"],
  api: ["node", "tools/src/api-reports.ts"],
  tarballs: ["node", "tools/src/tarball-lint.ts"],
  messages: ["node", "tools/src/type-messages.ts"],
};

const flags = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const unknown = asked.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  console.error(`there is no check "${unknown.join('", "')}": ${Object.keys(checks).join(", ")}`);
  process.exit(2);
}

if (flags.length > 0 && asked.length !== 1) {
  console.error(`${flags.join(" ")} goes to one check; name it: npm run check -- api ${flags.join(" ")}`);
  process.exit(2);
}

const failed: string[] = [];
for (const [name, [command, ...fixed]] of Object.entries(checks)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const args = [...fixed, ...flags];
  console.log(`--- ${name}: ${command} ${args.join(" ")}`);
  const started = performance.now();
  const code = await run(command, args, { env: { ...process.env, ...quietTurbo } });
  if (code !== 0) failed.push(name);
  console.log(`--- ${name}: ${code === 0 ? "ok" : "FAILED"} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`);
process.exitCode = failed.length > 0 ? 1 : 0;
