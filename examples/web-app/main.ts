/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { webApp } from "./controller.ts";

const manager = createManager();
manager.add(webApp);
await manager.run();
