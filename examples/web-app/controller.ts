/** The handler: one condition for each component. `all()` lets the others go on when one is not ready. */
import { all, conditions, handler } from "treadle";
import { cache } from "./cache.ts";
import { database } from "./database.ts";
import { webInterface } from "./web-interface.ts";
import { WebApp } from "./web-app.ts";

export const webApp = handler(WebApp)
  .step(conditions())
  .step(all("components", [database, cache, webInterface]))
  .build();
