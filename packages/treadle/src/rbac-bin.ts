#!/usr/bin/env node
/** The program `treadle-rbac`. */
import { main } from "./rbac-command.ts";

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`treadle-rbac: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
