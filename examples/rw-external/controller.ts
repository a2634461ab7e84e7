/** The handler: its steps, in the order in which they run. */
import { conditions, handler } from "treadle";
import { distinct } from "./distinct.ts";
import { readInput } from "./read-input.ts";
import { NAME, RWExternal } from "./rw-external.ts";
import { storeOutput } from "./store-output.ts";

export const rwExternal = handler(RWExternal, { name: NAME }).step(conditions()).step(distinct).step(readInput).step(storeOutput).build();
