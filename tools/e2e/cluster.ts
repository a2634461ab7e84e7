/** What tests need of a control plane besides itself: the mark that it may be emptied, somebody who runs pods, its version. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { connect } from "@treadle/client";
import type { ControlPlane } from "../controlplane/src/control-plane.ts";
import { startKubelet } from "./kubelet.ts";

/** See `packages/testing/src/internal/real-server.ts`. */
const MARK = { namespace: "kube-system", name: "treadle-test-cluster" };

/** Marks a control plane as one that tests may empty. */
export async function mark(plane: ControlPlane): Promise<void> {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  try {
    await client.create(ConfigMap, { metadata: MARK });
  } finally {
    await client.close();
  }
}

/** Marks it as one that tests may empty, and runs its pods until it is disposed of. */
export async function prepare(plane: ControlPlane): Promise<AsyncDisposable> {
  await mark(plane);
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  const kubelet = await startKubelet(client, (line) => console.error(`kubelet: ${line}`));
  return {
    async [Symbol.asyncDispose]() {
      await kubelet[Symbol.asyncDispose]();
      await client.close();
    },
  };
}

/** What a server says of itself, e.g. `v1.36.3`. */
export async function versionOf(kubeconfig: string): Promise<string> {
  const client = await connect({ kubeconfig });
  try {
    const { body = "" } = await client.raw({ method: "GET", path: "/version", headers: { accept: "application/json" } });
    return (JSON.parse(body) as { readonly gitVersion: string }).gitVersion;
  } finally {
    await client.close();
  }
}
