#!/usr/bin/env node
/** The program `treadle-apiserver`: an in-memory API server for clients of any language, from the package alone. */
import { runClusterCommand } from "./cluster/command.ts";

const program = { name: "treadle-apiserver", usage: "npx treadle-apiserver", folder: process.cwd() };
process.exitCode = await runClusterCommand(program, process.argv.slice(2));
