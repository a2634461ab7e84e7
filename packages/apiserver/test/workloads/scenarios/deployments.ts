/** Deployments: rollouts with both strategies, and what stops them. */
import type { Json } from "../../conformance/session.ts";
import { type Objects, type Scenario, template } from "../scenario.ts";

function deployment(spec: Json = {}): Json {
  return {
    metadata: { name: "web" },
    spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template: template("web"), ...spec },
  };
}

/** Reports whether the only Deployment is rolled out, as `kubectl rollout status` does. */
function isRolledOut({ deployments: [one] }: Objects): boolean {
  const { metadata, spec, status = {} } = one ?? {};
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration } = status as Json;
  return observedGeneration === metadata?.generation && [replicas, updatedReplicas, availableReplicas].every((n) => n === spec?.replicas);
}

function hasReason(reason: string): (objects: Objects) => boolean {
  return ({ deployments: [one] }) => ((one?.["status"]?.conditions ?? []) as Json[]).some((condition) => condition["reason"] === reason);
}

const image = (name: string): Json => ({ spec: { template: { spec: { containers: [{ name: "main", image: name }] } } } });

export const deployments: readonly Scenario[] = [
  {
    name: "deployment rolls out and scales",
    async run({ create, merge, settle }) {
      await create("deployments", deployment());
      await settle("rolled out", isRolledOut);
      await merge("deployments", "web", { spec: { replicas: 5 } });
      await settle("scaled up", isRolledOut);
      await merge("deployments", "web", { spec: { replicas: 1 } }, "scale");
      await settle("scaled down", isRolledOut);
      await merge("deployments", "web", { spec: { replicas: 0 } });
      await settle("scaled to nothing", isRolledOut);
    },
  },
  {
    name: "deployment rolls to another image and back",
    async run({ create, merge, settle }) {
      await create("deployments", deployment());
      await settle("rolled out", isRolledOut);
      await merge("deployments", "web", image("app:2"));
      await settle("another image", isRolledOut);
      await merge("deployments", "web", image("app:1"));
      await settle("the first again", isRolledOut);
      await merge("deployments", "web", { metadata: { labels: { tier: "front" }, annotations: { note: "new" } } });
      await settle("labelled", isRolledOut);
    },
  },
  {
    name: "deployment keeps two old revisions",
    async run({ create, merge, settle }) {
      await create("deployments", deployment({ replicas: 1, revisionHistoryLimit: 2 }));
      await settle("rolled out", isRolledOut);
      for (const name of ["app:2", "app:3", "app:4"]) {
        await merge("deployments", "web", image(name));
        await settle(name, isRolledOut);
      }
    },
  },
  {
    name: "deployment recreates",
    async run({ create, merge, settle }) {
      await create("deployments", deployment({ strategy: { type: "Recreate" } }));
      await settle("rolled out", isRolledOut);
      await merge("deployments", "web", image("app:2"));
      await settle("another image", isRolledOut);
    },
  },
  {
    name: "deployment is paused and resumed",
    async run({ create, merge, settle }) {
      await create("deployments", deployment());
      await settle("rolled out", isRolledOut);
      await merge("deployments", "web", { spec: { paused: true } });
      await settle("paused", hasReason("DeploymentPaused"));
      await merge("deployments", "web", { ...image("app:2"), spec: { ...image("app:2")["spec"], replicas: 4 } });
      await settle("changed while it is paused", ({ deployments: [one] }) => one?.["status"].replicas === 4);
      await merge("deployments", "web", { spec: { paused: null } });
      await settle("resumed", isRolledOut);
    },
  },
  {
    name: "deployment exceeds its deadline and rolls back",
    async run({ create, merge, settle }) {
      await create("deployments", deployment({ progressDeadlineSeconds: 5 }));
      await settle("rolled out", isRolledOut);
      await merge("deployments", "web", { spec: { template: template("web", { behaviour: "not-ready", image: "app:2" }) } });
      await settle("stalled", hasReason("ProgressDeadlineExceeded"));
      await merge("deployments", "web", {
        spec: { template: { ...template("web"), metadata: { labels: { "treadle.dev/stand-in": null } } } },
      });
      await settle("rolled back", isRolledOut);
    },
  },
  {
    name: "deployment is never ready",
    async run({ create, settle, merge }) {
      await create(
        "deployments",
        deployment({ replicas: 2, progressDeadlineSeconds: 5, template: template("web", { behaviour: "not-ready" }) }),
      );
      await settle("stalled", hasReason("ProgressDeadlineExceeded"));
      await merge("deployments", "web", { spec: { replicas: 4 } });
      await settle("scaled", ({ deployments: [one] }) => one?.["status"].replicas === 4 && one["status"].observedGeneration === 2);
    },
  },
  {
    name: "deployment scales in the middle of a rollout",
    async run({ create, settle, merge }) {
      await create("deployments", deployment({ replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }));
      await settle("rolled out", isRolledOut);
      await merge("deployments", "web", { spec: { template: template("web", { behaviour: "not-ready", image: "app:2" }) } });
      await settle("stuck", ({ deployments: [one] }) => one?.["status"].observedGeneration === 2 && one["status"].updatedReplicas === 5);
      await merge("deployments", "web", { spec: { replicas: 15 } });
      await settle(
        "scaled up in proportion",
        ({ deployments: [one] }) => one?.["status"].observedGeneration === 3 && one["status"].replicas === 18,
      );
    },
  },
  {
    name: "deployment needs pods ready for some seconds",
    async run({ create, settle }) {
      await create("deployments", deployment({ replicas: 2, minReadySeconds: 6 }));
      await settle("ready, not available", ({ deployments: [one] }) => one?.["status"].readyReplicas === 2);
      await settle("available", isRolledOut);
    },
  },
  ...(["Background", "Foreground", "Orphan"] as const).map(
    (policy) =>
      ({
        name: `deployment is deleted, ${policy}`,
        async run({ create, settle, remove }) {
          await create("deployments", deployment({ replicas: 2 }));
          await settle("rolled out", isRolledOut);
          await remove("deployments", "web", policy);
          await settle("deleted", ({ deployments: left, pods }) => left?.length === 0 && (policy === "Orphan" || pods?.length === 0));
        },
      }) satisfies Scenario,
  ),
];
