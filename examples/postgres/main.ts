/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { configs, databases, roles } from "./controller.ts";

const manager = createManager();
for (const each of [configs, roles, databases]) manager.add(each);
await manager.run();
