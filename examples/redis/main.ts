/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { redis } from "./redis.ts";

const manager = createManager();
manager.add(redis);
await manager.run();
