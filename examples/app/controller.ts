/** The handler: the objects that the operator keeps for each App, and their order. */
import { conditions, dependentApplyAll, handler } from "treadle";
import { App } from "./app.ts";
import { config } from "./config.ts";
import { service } from "./service.ts";
import { web } from "./web.ts";

export const app = handler(App)
  .step(conditions())
  .step(dependentApplyAll("parts", [config, web, service]))
  .build();
