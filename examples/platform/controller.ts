/** The handler: all objects are one step. */
import { conditions, handler } from "treadle";
import { announce } from "./announce.ts";
import { Platform } from "./platform.ts";
import { stack } from "./stack.ts";

export const platform = handler(Platform).step(conditions()).step(stack).step(announce).build();
