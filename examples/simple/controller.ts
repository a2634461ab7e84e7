/** The handler: its steps, in the order in which they run. */
import { conditions, handler } from "treadle";
import { checkInput } from "./check-input.ts";
import { divide } from "./divide.ts";
import { Simple } from "./simple.ts";

export const simple = handler(Simple).step(conditions()).step(checkInput).step(divide).build();
