/** Writes of the status of built-in kinds: numbers, the phase of a namespace, the addresses of a pod. */
import type { Json, Scenario } from "../session.ts";

const merge = { "content-type": "application/merge-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };
const containers = [{ name: "a", image: "a" }];
const selector = { matchLabels: { a: "b" } };
const template = { metadata: { labels: { a: "b" } }, spec: { containers } };
const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never", containers } } } };

interface Counted {
  readonly plural: string;
  /** `group/version`. Empty: the core group. */
  readonly api: string;
  readonly spec: Json;
  /** Fields that may not be negative. */
  readonly counts: readonly string[];
  /** Fields that each write needs. */
  readonly needed?: Json;
  /** Further statuses, one after the other. */
  readonly others?: readonly Json[];
}

const replicas = { replicas: 1, readyReplicas: 2, availableReplicas: 3 };
const collisions: readonly Json[] = [{ collisionCount: 3 }, { collisionCount: 2 }, { collisionCount: null }];

const KINDS: readonly Counted[] = [
  {
    plural: "deployments",
    api: "apps/v1",
    spec: { selector, template },
    counts: [
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "observedGeneration",
      "collisionCount",
      "terminatingReplicas",
    ],
    others: [{ ...replicas, updatedReplicas: 2 }, ...collisions],
  },
  {
    plural: "replicasets",
    api: "apps/v1",
    spec: { selector, template },
    counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration", "terminatingReplicas"],
    others: [{ ...replicas, fullyLabeledReplicas: 2 }],
  },
  {
    plural: "statefulsets",
    api: "apps/v1",
    spec: { serviceName: "a", selector, template },
    counts: [
      "replicas",
      "readyReplicas",
      "currentReplicas",
      "updatedReplicas",
      "availableReplicas",
      "observedGeneration",
      "collisionCount",
    ],
    others: [{ ...replicas, currentReplicas: 2, updatedReplicas: 2 }, ...collisions],
  },
  {
    plural: "daemonsets",
    api: "apps/v1",
    spec: { selector, template },
    needed: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    counts: [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ],
    others: collisions,
  },
  {
    plural: "replicationcontrollers",
    api: "",
    spec: { selector: { a: "b" }, template },
    counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
    others: [{ ...replicas, fullyLabeledReplicas: 2 }],
  },
  {
    plural: "poddisruptionbudgets",
    api: "policy/v1",
    spec: { selector, minAvailable: 1 },
    needed: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    counts: ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"],
  },
  {
    plural: "horizontalpodautoscalers",
    api: "autoscaling/v2",
    spec: { maxReplicas: 2, scaleTargetRef: { kind: "Deployment", name: "a", apiVersion: "apps/v1" } },
    needed: { currentReplicas: 0, desiredReplicas: 0 },
    counts: ["currentReplicas", "desiredReplicas"],
  },
  { plural: "jobs", api: "batch/v1", spec: jobTemplate.spec, counts: ["active", "succeeded", "failed", "ready", "terminating"] },
  {
    plural: "resourcequotas",
    api: "",
    spec: { hard: { pods: "1" } },
    counts: [],
    others: [{ hard: { pods: "-1" } }, { used: { pods: "-1" } }, { used: { pods: "0.5" } }, { hard: { pods: "1" }, used: { pods: "1" } }],
  },
  {
    plural: "persistentvolumeclaims",
    api: "",
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    counts: [],
    others: [{ capacity: { storage: "-1" } }],
  },
];

const ADDRESSES: readonly (readonly [step: string, status: Json])[] = [
  ["one address", { podIP: "10.0.0.1" }],
  ["another address", { podIP: "10.0.0.2" }],
  ["an address and a list without it", { podIP: "10.0.0.3", podIPs: [{ ip: "10.0.0.4" }] }],
  ["a list without the address", { podIPs: [{ ip: "10.0.0.5" }] }],
  ["a list of two that begins with the address", { podIPs: [{ ip: "10.0.0.3" }, { ip: "fd00::1" }] }],
  ["no address and a list", { podIP: null }],
  ["an address and no list", { podIPs: null }],
  ["neither", { podIP: null, podIPs: null }],
  ["only a list", { podIPs: [{ ip: "10.0.0.7" }] }],
  ["the address of the host", { hostIP: "10.1.2.4", hostIPs: [{ ip: "10.1.2.4" }] }],
  ["another address of the host", { hostIPs: [{ ip: "10.1.2.5" }] }],
  ["the same address twice", { podIPs: [{ ip: "10.0.0.7" }, { ip: "10.0.0.7" }] }],
  ["two of one family", { podIPs: [{ ip: "10.0.0.7" }, { ip: "10.0.0.8" }] }],
  ["an address that is not valid", { podIP: "x" }],
];

export const statuses: readonly Scenario[] = [
  {
    name: "statuses of workloads",
    async run({ send, quietly, namespace }) {
      for (const { plural, api, spec, counts, needed = {}, others = [] } of KINDS) {
        const path = `${api === "" ? "/api/v1" : `/apis/${api}`}/namespaces/${namespace}/${plural}`;
        await quietly("POST", path, { body: { metadata: { name: "a" }, spec } });
        const write = (step: string, status: Json): Promise<Json> =>
          send(`${plural}: ${step}`, "PATCH", `${path}/a/status`, { body: { status }, headers: merge });
        for (const count of counts) await write(`negative ${count}`, { ...needed, [count]: -1 });
        if (counts.length > 0) await write("all negative", Object.fromEntries(counts.map((count) => [count, -1])));
        for (const status of others) await write(JSON.stringify(status), status);
      }
    },
  },
  {
    name: "phases of namespaces",
    async run({ send, namespace }) {
      const path = `/api/v1/namespaces/${namespace}`;
      const phase = (value: string | null): { readonly body: Json; readonly headers: typeof merge } => ({
        body: { status: { phase: value } },
        headers: merge,
      });
      for (const value of ["Terminating", "Odd", "", null, "Active"])
        await send(`the phase ${value}`, "PATCH", `${path}/status`, phase(value));
      await send("the phase in another write", "PATCH", path, phase("Terminating"));
    },
  },
  {
    name: "addresses of pods",
    async run({ send, quietly, namespace }) {
      const path = `/api/v1/namespaces/${namespace}`;
      await quietly("POST", `${path}/serviceaccounts`, { body: { metadata: { name: "default" } } });
      const spec = { containers, automountServiceAccountToken: false };
      await quietly("POST", `${path}/pods`, { body: { metadata: { name: "a" }, spec } });
      for (const [step, status] of ADDRESSES) await send(step, "PATCH", `${path}/pods/a/status`, { body: { status }, headers: merge });
      await send("an applied address", "PATCH", `${path}/pods/a/status`, {
        query: "fieldManager=m&force=true",
        body: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, status: { podIP: "10.9.9.9" } },
        headers: apply,
      });
    },
  },
];
