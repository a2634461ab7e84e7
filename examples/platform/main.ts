/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { platform } from "./controller.ts";

const manager = createManager();
manager.add(platform);
await manager.run();
