#!/usr/bin/env node
/** The plugin of kubectl: `kubectl treadle explain ...`. kubectl passes all arguments on, its own flags included. */
import { runTreadle } from "./program.ts";
import { endProcess, processTerminal } from "./terminal/terminal.ts";

endProcess(await runTreadle(process.argv.slice(2), processTerminal(), { name: "kubectl treadle" }));
