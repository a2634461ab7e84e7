#!/usr/bin/env node
/** The program `treadle`. */
import { runTreadle } from "./program.ts";
import { processTerminal } from "./terminal/terminal.ts";

process.exitCode = await runTreadle(process.argv.slice(2), processTerminal());
