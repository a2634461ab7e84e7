/** The operator's process: in a cluster, or beside one with a kubeconfig. */
import { createManager } from "treadle";
import { app } from "./controller.ts";

const manager = createManager();
manager.add(app);
await manager.run();
