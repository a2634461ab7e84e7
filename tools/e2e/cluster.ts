/** What tests need of a control plane besides itself: the mark that it may be emptied, and somebody who runs pods. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { connect } from "@treadle/client";
import type { ControlPlane } from "../controlplane/src/control-plane.ts";
import { startKubelet } from "./kubelet.ts";

/** See `packages/testing/src/internal/real-server.ts`. */
const MARK = { namespace: "kube-system", name: "treadle-test-cluster" };

/** Marks it as one that tests may empty, and runs its pods until it is disposed of. */
export async function prepare(plane: ControlPlane): Promise<AsyncDisposable> {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  await client.create(ConfigMap, { metadata: MARK });
  const kubelet = await startKubelet(client, (line) => console.error(`kubelet: ${line}`));
  return {
    async [Symbol.asyncDispose]() {
      await kubelet[Symbol.asyncDispose]();
      await client.close();
    },
  };
}
