#!/usr/bin/env node
/** The program `treadle-build`. */
import { main } from "./command.ts";

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error("treadle-build:", error);
  process.exitCode = 1;
}
