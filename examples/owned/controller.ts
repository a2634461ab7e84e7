/** The handler: its steps, in the order in which they run. */
import { conditions, handler } from "treadle";
import { copy } from "./copy.ts";
import { page } from "./page.ts";
import { NAME, Site } from "./site.ts";

export const sites = handler(Site, { name: NAME }).step(conditions()).step(page).step(copy).build();
