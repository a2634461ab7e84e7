#!/usr/bin/env node
/** The program `treadle`. */
import { launch } from "./launch.ts";

launch("treadle");
