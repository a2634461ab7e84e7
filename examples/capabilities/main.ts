/** The operator's process. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { capabilities, components, plugins } from "./controller.ts";

const manager = createManager();
manager.add(plugins);
manager.add(capabilities, { sources: [plugins.source] });
manager.add(components);
await manager.run();
