/** The operator's process: in a cluster, or beside one with a kubeconfig. */
import { createManager } from "treadle";
import { simple } from "./controller.ts";

const manager = createManager();
manager.add(simple);
await manager.run();
