/** ResourceQuotas: what their controller counts, and what pods that exceed a quota do to their owners. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, template } from "../scenario.ts";

const uses =
  (used: Json) =>
  ({ resourcequotas: [quota] }: Objects): boolean => {
    const now = (quota?.["status"]?.used ?? {}) as Json;
    return Object.entries(used).every(([name, amount]) => now[name] === amount);
  };

function quota(hard: Json, spec: Json = {}): Json {
  return { metadata: { name: "limits" }, spec: { hard, ...spec } };
}

function pod(name: string, spec: Json = {}): Json {
  const { metadata, ...rest } = template("work", { spec });
  return { metadata: { ...metadata, name }, ...rest };
}

const small = { containers: [{ name: "main", image: "app:1", resources: { requests: { cpu: "100m" } } }] };

export const resourceQuotas: readonly Scenario[] = [
  {
    name: "quota counts what exists and what ends",
    async run({ create, merge, remove, settle }) {
      await create("pods", pod("before", small));
      await create("services", { metadata: { name: "before" }, spec: { ports: [{ port: 80 }], type: "NodePort" } });
      const hard = { pods: "5", "count/pods": "5", "requests.cpu": "1", services: "2", "services.nodeports": "2", "count/jobs.batch": "1" };
      await create("resourcequotas", quota(hard));
      await settle("counted", uses({ pods: "1", "requests.cpu": "100m", "services.nodeports": "1", "count/jobs.batch": "0" }));
      const spec = { ...small, restartPolicy: "Never" };
      await create("pods", { ...pod("ends", spec), metadata: { name: "ends", labels: { "treadle.dev/stand-in": "exit-1" } } });
      await settle("finished", uses({ pods: "1", "count/pods": "2", "requests.cpu": "100m" }));
      await merge("services", "before", { spec: { type: "ClusterIP" } });
      await settle("without ports", uses({ "services.nodeports": "0" }));
      await remove("pods", "before");
      await remove("pods", "ends");
      await settle("empty", (objects) => uses({ pods: "0", "count/pods": "0", "requests.cpu": "0" })(objects) && objects.pods.length === 0);
    },
  },
  {
    name: "quota changes",
    async run({ create, merge, settle }) {
      await create("pods", pod("one", small));
      await create("resourcequotas", quota({ pods: "2" }));
      await settle("counted", uses({ pods: "1" }));
      await merge("resourcequotas", "limits", { spec: { hard: { pods: null, "requests.cpu": "2" } } });
      await settle("another resource", uses({ "requests.cpu": "100m" }));
      await merge("resourcequotas", "limits", { spec: { hard: { "requests.cpu": "3" } } });
      await settle("another limit", ({ resourcequotas: [one] }) => one?.["status"].hard["requests.cpu"] === "3");
    },
  },
  {
    name: "quota of a scope",
    async run({ create, merge, settle }) {
      await create("resourcequotas", quota({ pods: "2" }, { scopes: ["NotTerminating"] }));
      await settle("empty", uses({ pods: "0" }));
      await create("pods", pod("stays", small));
      await create("pods", pod("stops", { ...small, activeDeadlineSeconds: 3000 }));
      await settle("one of two", uses({ pods: "1" }));
      await merge("pods", "stays", { spec: { activeDeadlineSeconds: 3000 } });
      await settle("none", uses({ pods: "0" }));
    },
  },
  {
    name: "quota stops a deployment",
    async run({ create, merge, settle }) {
      await create("resourcequotas", quota({ pods: "1" }));
      await settle("counted", uses({ pods: "0" }));
      const spec = { replicas: 2, selector: { matchLabels: { app: "work" } }, template: template("work") };
      await create("deployments", { metadata: { name: "work" }, spec });
      const isRefused = ({ replicasets: [one] }: Objects): boolean =>
        one?.["status"]?.availableReplicas === 1 && one["status"].conditions?.[0]?.reason === "FailedCreate";
      await settle("one of two", isRefused);
      await merge("deployments", "work", { spec: { replicas: 1 } });
      await settle("enough", ({ deployments: [one] }) => one?.["status"].replicas === 1 && one["status"].observedGeneration === 2);
    },
  },
];
