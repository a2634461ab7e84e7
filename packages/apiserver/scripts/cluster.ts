/** `npm run cluster`: runs the in-memory API server over HTTPS until Ctrl-C, from the sources of this repository. */
import { runClusterCommand } from "../src/cluster/command.ts";

process.exitCode = await runClusterCommand({ name: "cluster", usage: "npm run cluster --" }, process.argv.slice(2));
