#!/usr/bin/env node
/** The program `treadle-rbac`. What it loads may hold timers or sockets, so it ends by itself. */
import { main } from "./rbac-command.ts";

let code = 2;
try {
  code = await main(process.argv.slice(2));
} catch (error) {
  console.error(`treadle-rbac: ${error instanceof Error ? error.message : String(error)}`);
}
process.exit(code);
