/** `npm run cluster`: runs the in-memory API server over HTTPS until Ctrl-C, from the sources of this repository. */
import { runClusterCommand } from "../src/cluster/command.ts";

// npm runs scripts in the folder of package.json. Paths are relative to the folder of the user.
const folder = process.env["INIT_CWD"] ?? process.cwd();
process.exitCode = await runClusterCommand({ name: "cluster", usage: "npm run cluster --", folder }, process.argv.slice(2));
