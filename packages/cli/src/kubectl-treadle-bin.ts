#!/usr/bin/env node
/** The plugin of kubectl: `kubectl treadle explain ...`. kubectl passes all arguments on, its own flags included. */
import { runTreadle } from "./program.ts";
import { processTerminal } from "./terminal/terminal.ts";

process.exitCode = await runTreadle(process.argv.slice(2), processTerminal(), { name: "kubectl treadle" });
