#!/usr/bin/env node
/** The program `treadle`. */
import { runTreadle } from "./program.ts";
import { endProcess, processTerminal } from "./terminal/terminal.ts";

endProcess(await runTreadle(process.argv.slice(2), processTerminal()));
