/** The two servers that an outside suite is run against, each by its kubeconfig. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalCluster } from "@treadle/apiserver";
import { capture } from "../../src/run.ts";
import { startControlPlane } from "../../controlplane/src/control-plane.ts";

/** `real` is the yardstick. */
export const SIDES = ["real", "memory"] as const;
export type Side = (typeof SIDES)[number];

export interface ServersOptions {
  /** Of kube-controller-manager; none: neither server has any, as in envtest. */
  readonly controllers: readonly string[];
  /** Time between two compactions of the history. @defaultValue 300, that of kube-apiserver */
  readonly compactionSeconds?: number;
  /** A folder of CRDs that both servers have from the start. */
  readonly manifests?: string;
  readonly log: (line: string) => void;
}

export interface Servers extends AsyncDisposable {
  /** Of an administrator. */
  readonly kubeconfigs: Readonly<Record<Side, string>>;
  /** The folder of the programs of the real one. */
  readonly assetsDir: string;
}

/**
 * Starts both. With controllers, the one in memory has what stands for them: garbage collection, the contents of namespaces, tokens; with all
 * of them (`*`) workloads, too.
 */
export async function startServers({ controllers, compactionSeconds = 300, manifests, log }: ServersOptions): Promise<Servers> {
  const dir = mkdtempSync(join(tmpdir(), "treadle-peers-"));
  const kubeconfigs = { real: join(dir, "real.kubeconfig"), memory: join(dir, "memory.kubeconfig") };
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(dir, { recursive: true, force: true }));
  const hasControllers = controllers.length > 0;
  // Workloads without nodes: beside the real server there are no kubelets either.
  const server = { workloads: controllers.includes("*") ? { nodes: 0 } : false, compactionIntervalMs: compactionSeconds * 1000 };
  stack.use(
    await startLocalCluster({
      kubeconfig: kubeconfigs.memory,
      controllers: hasControllers,
      server,
      ...(manifests !== undefined && { manifests }),
    }),
  );
  const plane = stack.use(await startControlPlane({ controllers, compactionSeconds, log }));
  copyFileSync(plane.kubeconfigPath, kubeconfigs.real);
  if (manifests !== undefined) await createCrds(join(plane.assetsDir, "kubectl"), kubeconfigs.real, manifests);
  const kept = stack.move();
  return { kubeconfigs, assetsDir: plane.assetsDir, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function createCrds(kubectl: string, kubeconfig: string, dir: string): Promise<void> {
  for (const args of [["create"], ["wait", "--for=condition=established", "--timeout=30s"]]) {
    const { code, output } = await capture(kubectl, ["--kubeconfig", kubeconfig, ...args, "-f", dir]);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} -f ${dir} ended with ${code}:\n${output}`);
  }
}
