/** The process of the operator. In a pod it uses the service account, elsewhere the kubeconfig. */
import { createManager } from "treadle";
import { templateKinds } from "./template-kind-handler.ts";

const manager = createManager({ leaderElection: { name: "template-operator" } });
manager.add(templateKinds);
await manager.run();
