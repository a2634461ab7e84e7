#!/usr/bin/env node
/** The program `treadle`. */
import { main } from "./main.ts";

await main();
