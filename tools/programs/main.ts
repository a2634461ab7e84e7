/**
 * Helm 4, Helm 3 and Kustomize from the command line, for tests and development. Needs Node 24 and, for a build, Go.
 *
 *     node tools/programs/main.ts
 *     node tools/programs/main.ts pin helm|helm3|kustomize VERSION
 */
import { parseArgs } from "node:util";
import { pinnedVersion, renderers } from "./src/catalog.ts";
import { obtainPrograms } from "./src/obtain.ts";
import { pin } from "./src/pin.ts";

const usage = `usage: node tools/programs/main.ts [COMMAND]
  build               obtains the programs, prints their folder on stdout (the default)
    --env             prints the variables for a shell instead of the folder
  pin NAME VERSION    moves go.mod and go.sum of a program to another version
programs: ${renderers.map((each) => `${each.id} ${pinnedVersion(each)} (${each.variable})`).join(", ")}
  --dir DIR           where the programs are kept (default: treadle/programs in $XDG_CACHE_HOME)
A variable that is set names a program, which is then not built.`;

try {
  await main();
} catch (error) {
  console.error(`programs: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { dir: { type: "string" }, env: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  const [command = "build", id, version, ...rest] = positionals;
  if (values.help === true) console.log(usage);
  else if (command === "build" && id === undefined) {
    const log = (line: string): void => console.error(`programs: ${line}`);
    const { dir, variables } = await obtainPrograms({ log, ...(values.dir !== undefined && { dir: values.dir }) });
    if (values.env === true) for (const [name, file] of Object.entries(variables)) console.log(`export ${name}='${file}'`);
    else console.log(dir);
  } else if (command === "pin" && id !== undefined && version !== undefined && rest.length === 0) await pin(id, version);
  else throw new Error(`these arguments are not understood\n${usage}`);
}
