/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { clusters, tenants } from "./controller.ts";

const manager = createManager();
manager.add(clusters);
manager.add(tenants);
await manager.run();
