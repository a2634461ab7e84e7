/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { buckets, configs, users } from "./controller.ts";

const manager = createManager();
for (const each of [buckets, users, configs]) manager.add(each);
await manager.run();
