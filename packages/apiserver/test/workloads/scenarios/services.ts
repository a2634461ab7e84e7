/** Services and their endpoints; and disruption budgets, which count pods, too. */
import { type Objects, type Scenario, template } from "../scenario.ts";
import type { Json } from "../../conformance/session.ts";

const deployment: Json = {
  metadata: { name: "web" },
  spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: template("web") },
};

function addresses(count: number): (objects: Objects) => boolean {
  return ({ endpointslices: slices, deployments: [web] }) =>
    slices.flatMap((slice) => (slice["endpoints"] ?? []) as Json[]).filter(({ conditions }) => conditions.ready === true).length ===
      count && (web?.["status"].availableReplicas ?? 0) === count;
}

export const services: readonly Scenario[] = [
  {
    name: "service names ready pods",
    async run({ create, merge, settle }) {
      await create("services", {
        metadata: { name: "web", labels: { team: "a" } },
        spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
      });
      await settle("without pods", ({ endpointslices: slices }) => slices?.length === 1);
      await create("deployments", deployment);
      await settle("with pods", addresses(2));
      await merge("deployments", "web", { spec: { replicas: 1 } });
      await settle("fewer", addresses(1));
    },
  },
  {
    name: "service shows pods that are not ready",
    async run({ create, settle }) {
      await create("services", {
        metadata: { name: "web" },
        spec: { clusterIP: "None", selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] },
      });
      await create("pods", {
        ...template("web", { behaviour: "not-ready" }),
        metadata: { name: "slow", labels: { app: "web", "treadle.dev/stand-in": "not-ready" } },
      });
      await settle("not ready", ({ endpointslices: [slice], pods: [pod] }) => slice !== undefined && pod?.["status"].phase === "Running");
    },
  },
  {
    name: "service has no selector",
    async run({ create, settle, remove }) {
      await create("services", { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } });
      await settle("nothing is made");
      await remove("services", "web");
      await settle("deleted", ({ services: left }) => left?.length === 0);
    },
  },
  {
    name: "budget counts pods",
    async run({ create, merge, settle }) {
      await create("poddisruptionbudgets", {
        metadata: { name: "web" },
        spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
      });
      await settle("without pods", ({ poddisruptionbudgets: [one] }) => one?.["status"]?.conditions !== undefined);
      await create("deployments", deployment);
      await settle(
        "with pods",
        ({ poddisruptionbudgets: [one] }) => one?.["status"].currentHealthy === 2 && one["status"].disruptionsAllowed === 1,
      );
      await merge("poddisruptionbudgets", "web", { spec: { minAvailable: "100%" } });
      await settle(
        "none may go",
        ({ poddisruptionbudgets: [one] }) => one?.["status"].observedGeneration === 2 && one["status"].disruptionsAllowed === 0,
      );
      await merge("poddisruptionbudgets", "web", { spec: { minAvailable: null, maxUnavailable: 1 } });
      await settle(
        "one may go",
        ({ poddisruptionbudgets: [one] }) => one?.["status"].observedGeneration === 3 && one["status"].disruptionsAllowed === 1,
      );
    },
  },
];
