/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { fleet } from "./controller.ts";

const manager = createManager();
manager.add(fleet);
await manager.run();
