/** What tests need of a control plane besides itself: the mark that it may be emptied, and somebody who runs pods. */
import { connect } from "@treadle/client";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import type { ControlPlane } from "../controlplane/src/control-plane.ts";

/** See `packages/testing/src/internal/real-server.ts`. */
const MARK = { namespace: "kube-system", name: "treadle-test-cluster" };

/** Marks it as one that tests may empty. */
export async function prepare(plane: ControlPlane): Promise<AsyncDisposable> {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  await client.create(ConfigMap, { metadata: MARK });
  return { [Symbol.asyncDispose]: () => client.close() };
}
