#!/usr/bin/env node
/** The program `treadle-apiserver`: an in-memory API server for clients of any language, from the package alone. */
import { runClusterCommand } from "./cluster/command.ts";

process.exitCode = await runClusterCommand({ name: "treadle-apiserver", usage: "npx treadle-apiserver" }, process.argv.slice(2));
