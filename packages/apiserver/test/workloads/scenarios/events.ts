/** The events of the controllers. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, template } from "../scenario.ts";

const has =
  (...reasons: readonly string[]) =>
  ({ events }: Objects): boolean =>
    reasons.every((reason) => events.some((event) => event["reason"] === reason));

function job(behaviour: string | undefined, spec: Json = {}): Json {
  const { metadata, ...pod } = template("work", { spec: { restartPolicy: "Never" }, ...(behaviour === undefined ? {} : { behaviour }) });
  return { metadata: { name: "work" }, spec: { template: { metadata, ...pod }, ...spec } };
}

const available =
  (count: number) =>
  (objects: Objects): boolean => {
    const [one] = [...objects.deployments, ...objects.replicasets, ...objects.statefulsets];
    return one?.["status"]?.availableReplicas === count && objects.pods.length === count;
  };

export const events: readonly Scenario[] = [
  {
    name: "events of a deployment",
    hasEvents: true,
    async run({ create, merge, settle }) {
      const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template: template("web") };
      await create("deployments", { metadata: { name: "web" }, spec });
      await settle("started", available(1));
      await merge("deployments", "web", { spec: { replicas: 3 } });
      await settle("scaled up", available(3));
      await merge("deployments", "web", { spec: { replicas: 1 } });
      await settle("scaled down", available(1));
      await merge("deployments", "web", { spec: { template: { spec: { containers: [{ name: "main", image: "app:2" }] } } } });
      await settle("rolled", (objects) => available(1)(objects) && objects.replicasets.length === 2);
    },
  },
  {
    name: "events of a replicaset with many pods",
    hasEvents: true,
    async run({ create, settle }) {
      const spec = { replicas: 12, selector: { matchLabels: { app: "web" } }, template: template("web") };
      await create("replicasets", { metadata: { name: "web" }, spec });
      await settle("started", available(12));
    },
  },
  {
    name: "events of a statefulset with claims",
    hasEvents: true,
    async run({ create, merge, settle }) {
      const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
      const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: claim }];
      const spec = { replicas: 2, serviceName: "db", selector: { matchLabels: { app: "db" } }, template: template("db") };
      await create("statefulsets", { metadata: { name: "db" }, spec: { ...spec, volumeClaimTemplates } });
      await settle("started", available(2));
      await merge("statefulsets", "db", { spec: { replicas: 1 } });
      await settle("scaled down", available(1));
    },
  },
  {
    name: "events of a daemonset",
    hasEvents: true,
    async run({ namespace, create, merge, settle }) {
      const pods = template("agent", { spec: { nodeSelector: { [`${namespace}`]: "yes" } } });
      const metadata = { name: `node-${namespace}`, labels: { [namespace]: "yes", "treadle.dev/stand-in": "node" } };
      await create("nodes", { metadata });
      await create("daemonsets", { metadata: { name: "agent" }, spec: { selector: { matchLabels: { app: "agent" } }, template: pods } });
      await settle("started", ({ pods: all }) => all.length === 1 && all[0]?.["status"].phase === "Running");
      await merge("nodes", metadata.name, { metadata: { labels: { [namespace]: null } } });
      await settle("left", ({ pods: all }) => all.length === 0);
    },
  },
  {
    name: "events of a job that completes",
    hasEvents: true,
    async run({ create, settle }) {
      await create("jobs", job(undefined, { completions: 2 }));
      await settle("completed", has("Completed"));
    },
  },
  {
    name: "events of a job that fails",
    hasEvents: true,
    async run({ create, settle }) {
      await create("jobs", job("exit-1", { backoffLimit: 0 }));
      await settle("failed", has("BackoffLimitExceeded"));
    },
  },
  {
    name: "events of a job that is suspended",
    hasEvents: true,
    async run({ create, merge, settle }) {
      await create("jobs", job("runs"));
      await settle("running", ({ pods }) => pods.length === 1 && pods[0]?.["status"].phase === "Running");
      await merge("jobs", "work", { spec: { suspend: true } });
      await settle("suspended", (objects) => has("Suspended", "SuccessfulDelete")(objects) && objects.pods.length === 0);
      await merge("jobs", "work", { spec: { suspend: false } });
      await settle("resumed", (objects) => has("Resumed")(objects) && objects.pods.length === 1);
    },
  },
  {
    name: "events of a cronjob",
    hasEvents: true,
    async run({ create, settle }) {
      const { metadata: _, ...jobTemplate } = job(undefined);
      await create("cronjobs", { metadata: { name: "tick" }, spec: { schedule: "* * * * *", jobTemplate } });
      await settle("one run", has("SawCompletedJob"));
    },
  },
];
