/** The handler: the objects that the operator keeps for each App, and their order. */
import { conditions, dependentApplyAll, handler } from "treadle";
import { App } from "./app.ts";
import { config } from "./config.ts";
import { credentials } from "./credentials.ts";
import { migration } from "./migration.ts";
import { monitor } from "./monitor.ts";
import { pages } from "./pages.ts";
import { service } from "./service.ts";
import { store, storeService } from "./store.ts";
import { theme } from "./theme.ts";
import { web } from "./web.ts";

export const app = handler(App)
  .step(conditions())
  .step(dependentApplyAll("parts", [theme, config, pages, credentials, store, storeService, migration, web, service, monitor]))
  .build();
