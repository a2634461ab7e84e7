/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { websites } from "./controller.ts";
import { server } from "./server.ts";

const manager = createManager();
manager.add(websites);
manager.add(server);
await manager.run();
