/** The nodes: creates those that exist from the start, and makes each node ready, as if a machine with a kubelet had joined. */
import { formatTime } from "@treadle/apimachinery";
import { Node } from "@treadle/apimachinery/kinds";
import type { Context, Controller } from "./controller.ts";

export function nodes({ clock, settings, objects, as }: Context): Controller {
  const write = as("kubelet");
  const lifecycle = as("node-controller");
  return {
    name: "kubelet-registration",
    kind: Node,
    async start() {
      for (let number = 1; number <= settings.nodes; number++) {
        const name = `node-${number}`;
        await write.create(Node, undefined, { metadata: { name, labels: labelsOf(name) } });
      }
    },
    async sync(key) {
      const node = objects.get(Node, key);
      if (node === undefined) return undefined;
      const now = formatTime(clock.now());
      if (!isReady(node)) await write.patchStatus(Node, node, statusOf(node, freeAddress(objects.list(Node)), now));
      else await taint(node, now);
      return undefined;
    },
  };

  /** Updates the taints for readiness and schedulability. */
  async function taint(node: Node, now: string): Promise<void> {
    const before = node.spec?.taints ?? [];
    const others = before.filter(({ key }) => key !== NOT_READY && (key !== CORDONED || node.spec?.unschedulable === true));
    const isMissing = node.spec?.unschedulable === true && !others.some(({ key }) => key === CORDONED);
    const after = isMissing ? [...others, { key: CORDONED, effect: "NoSchedule", timeAdded: now }] : others;
    if (after.length === before.length && !isMissing) return;
    await lifecycle.patch(Node, node, { spec: { taints: after.length === 0 ? null : after } });
  }
}

const NOT_READY = "node.kubernetes.io/not-ready";
const CORDONED = "node.kubernetes.io/unschedulable";

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type }) => type === "Ready") === true;
}

/** Returns the labels that kubelets set on their nodes. */
function labelsOf(name: string): Readonly<Record<string, string>> {
  return {
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
  };
}

/** Returns the first free address. */
function freeAddress(all: readonly Node[]): string {
  const taken = new Set(all.flatMap(({ status }) => (status?.addresses ?? []).map(({ address }) => address)));
  for (let number = 1; ; number++) {
    const address = `172.18.${number >> 8}.${number & 255}`;
    if (!taken.has(address)) return address;
  }
}

function statusOf({ metadata: { name } }: Node, address: string, now: string): object {
  const resources = { cpu: "64", "ephemeral-storage": "1Ti", memory: "256Gi", pods: "1000" };
  const healthy = (type: string, reason: string, message: string): object => ({
    type,
    status: type === "Ready" ? "True" : "False",
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return {
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ],
    allocatable: resources,
    capacity: resources,
    conditions: [
      healthy("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      healthy("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      healthy("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      healthy("Ready", "KubeletReady", "kubelet is posting ready status"),
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "simulated://",
      kernelVersion: "",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.3",
      machineID: "",
      operatingSystem: "linux",
      osImage: "simulated",
      systemUUID: "",
    },
  };
}
