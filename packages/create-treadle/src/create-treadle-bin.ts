#!/usr/bin/env node
/** The program that `npm create treadle` runs. */
import { create } from "./index.ts";

await create();
