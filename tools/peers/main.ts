/**
 * `npm run peers`: suites of others, before the in-memory server and a real one; what passes on the real one counts.
 *
 *     npm run peers -- informer                                   # client-go's informers
 *     npm run peers -- controller-runtime [--package NAME]...     # the tests of its packages
 *     npm run peers -- clients [--focus NAME]                     # clients in other languages, and Helm
 *     npm run peers -- e2e [--focus TEXT]                         # Kubernetes' own e2e specs; half an hour
 */
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareClients } from "./src/clients.ts";
import { comparePackage, PACKAGES } from "./src/controller-runtime.ts";
import { compareSpecs } from "./src/e2e.ts";
import { compareInformers, type Outcome } from "./src/informer.ts";

const SUITES = ["informer", "controller-runtime", "clients", "e2e"] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { package: { type: "string", multiple: true, default: [...PACKAGES] }, focus: { type: "string", default: "" } },
});
const unknown = positionals.filter((name) => !SUITES.includes(name as (typeof SUITES)[number]));
if (unknown.length > 0) throw new Error(`${unknown.join(", ")}: there are ${SUITES.join(", ")}`);
const strange = values.package.filter((name) => !PACKAGES.includes(name));
if (strange.length > 0) throw new Error(`--package ${strange.join(", ")}: there are ${PACKAGES.join(", ")}`);
const wanted = positionals.length === 0 ? ["informer", "controller-runtime"] : positionals;

const dir = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "treadle", "peers");
mkdirSync(dir, { recursive: true });
const log = (line: string): void => console.log(line);
const outcomes: Outcome[] = [];
if (wanted.includes("informer")) outcomes.push(await twice(() => compareInformers(dir, log)));
if (wanted.includes("controller-runtime"))
  for (const name of values.package) outcomes.push(await twice(() => comparePackage(name, dir, log)));
if (wanted.includes("clients")) outcomes.push(await twice(() => compareClients(dir, values.focus, log)));
if (wanted.includes("e2e")) outcomes.push(await compareSpecs(dir, values.focus, log));
for (const { line } of outcomes) console.log(line);
const problems = outcomes.flatMap((outcome) => outcome.problems);
for (const problem of problems) console.error(`problem: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Suites of others wait by the clock of the machine: only what fails again is a problem of ours. */
async function twice(play: () => Promise<Outcome>): Promise<Outcome> {
  const first = await play().catch((error: unknown): Outcome => ({ line: "", problems: [String(error)] }));
  if (first.problems.length === 0) return first;
  for (const problem of first.problems) console.error(`played again: ${problem}`);
  return await play();
}
