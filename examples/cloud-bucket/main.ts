/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { myApp } from "./controller.ts";

const manager = createManager();
manager.add(myApp);
await manager.run();
