import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { and, not, or } from "@treadle/apimachinery";
import {
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Pod,
  ReplicaSet,
  RoleBinding,
  Secret,
  Service,
  StatefulSet,
} from "@treadle/apimachinery/kinds";
import { one, step } from "@treadle/reconcile";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { dependentApply } from "../dependent-apply.ts";
import type { Desired } from "../types.ts";
import { layered } from "./layered.ts";
import { containers, onPods } from "./pods.ts";
import { version } from "./version.ts";

const App = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ version: z.string(), tracing: z.boolean(), config: z.string() }),
});
type App = ObjectOf<typeof App>;

const region = step(App, { name: "region", do: (req) => req.next({ region: req.object.spec.version }) });
const ofApp = (app: App): string => app.spec.version;
const tracing = (app: App): boolean => app.spec.tracing;
const jaeger = { name: "jaeger", image: "jaeger:1" };
const baseline = (app: App) => ({ spec: { replicas: 1, template: { metadata: { labels: { app: app.metadata.name } } } } });

describe("layered as desired of dependentApply", () => {
  test("kind, owner and inputs are inferred", () => {
    const config = dependentApply(App, { name: "config", kind: ConfigMap, desired: {} });
    const web = dependentApply(App, {
      name: "web",
      kind: Deployment,
      needs: [region],
      dependsOn: [config],
      reads: { secret: one(Secret, (app) => app.spec.config) },
      desired: layered(baseline, [
        { name: "tracing", when: tracing, merge: onPods({ containers: [jaeger] }) },
        { name: "old-flags", layer: "compat", when: version(ofApp, "<2"), merge: onPods({ containers: { web: { args: ["--old"] } } }) },
        {
          name: "vars",
          when: (app, { vars, reads, dependents }) => {
            expectTypeOf(app).toEqualTypeOf<App>();
            expectTypeOf(vars.region).toEqualTypeOf<string>();
            expectTypeOf(reads.secret).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
            expectTypeOf(dependents.config).toEqualTypeOf<ObjectOf<typeof ConfigMap> | undefined>();
            return undefined;
          },
          merge: (draft, app, { vars }) => {
            draft.spec ??= {};
            draft.spec.paused = app.spec.version === vars.region;
          },
        },
        { name: "both", when: and(tracing, (app, { vars }) => vars.region === app.spec.version), merge: { spec: { paused: null } } },
        {
          name: "either",
          when: or(
            version((app) => app.spec.version, ">=2"),
            not(tracing),
          ),
          merge: { metadata: { labels: { a: null } } },
        },
        { name: "list", when: [tracing, version((_app, { vars }) => vars.region, "*")], merge: [onPods({}), { spec: { replicas: 2 } }] },
      ]),
    });
    expectTypeOf(web.$dependent.kind).toEqualTypeOf<typeof Deployment>();
  });

  test("wrong fields are refused", () => {
    dependentApply(App, {
      name: "web",
      kind: Deployment,
      desired: layered(baseline, [
        // @ts-expect-error no field of a Deployment
        { name: "a", merge: { spec: { replica: 1 } } },
        // @ts-expect-error no number
        { name: "b", merge: { spec: { replicas: "1" } } },
        // @ts-expect-error no field of a container
        { name: "c", merge: { spec: { template: { spec: { containers: [{ name: "web", img: "x" }] } } } } },
        // @ts-expect-error no field of a container
        { name: "d", merge: { spec: { template: { spec: { containers: { web: { img: "x" } } } } } } },
        // @ts-expect-error no field of the spec of a pod
        { name: "e", merge: onPods({ container: [] }) },
        // @ts-expect-error tolerations have no single key
        { name: "f", merge: onPods({ tolerations: { gpu: null } }) },
        // @ts-expect-error not in needs
        { name: "g", when: (_app, { vars }) => vars.region === "eu", merge: {} },
        // @ts-expect-error no phase
        { name: "h", layer: "last", merge: {} },
        // @ts-expect-error a gate is pure, so at once
        { name: "i", when: async () => true, merge: {} },
      ]),
    });
  });

  test("the baseline is checked against the kind", () => {
    // @ts-expect-error no number
    dependentApply(App, { name: "web", kind: Deployment, desired: layered(() => ({ spec: { replicas: "1" } }), []) });
    dependentApply(App, { name: "web", kind: Deployment, desired: layered({ spec: { replicas: 1 } }, [{ name: "a", merge: {} }]) });
    dependentApply(App, { name: "web", kind: Deployment, desired: layered((app) => (app.spec.tracing ? {} : undefined), []) });
  });

  test("onPods and containers fit every kind with pods, and no other", () => {
    const pods = { name: "pods", merge: onPods({ containers: [jaeger] }) };
    const web = { name: "web", merge: containers("web", { image: "web:2" }) };
    dependentApply(App, { name: "a", kind: Deployment, desired: layered({}, [pods, web]) });
    dependentApply(App, { name: "a", kind: StatefulSet, desired: layered({}, [pods, web]) });
    dependentApply(App, { name: "a", kind: DaemonSet, desired: layered({}, [pods, web]) });
    dependentApply(App, { name: "a", kind: ReplicaSet, desired: layered({}, [pods, web]) });
    dependentApply(App, { name: "a", kind: Job, desired: layered({}, [pods, web]) });
    dependentApply(App, { name: "a", kind: CronJob, desired: layered({}, [pods, web]) });
    dependentApply(App, { name: "a", kind: Pod, desired: layered({}, [pods, web]) });
    // @ts-expect-error no pods
    dependentApply(App, { name: "a", kind: ConfigMap, desired: layered({}, [pods]) });
    // @ts-expect-error no pods
    dependentApply(App, { name: "a", kind: Service, desired: layered({}, [web]) });
    // @ts-expect-error no pods
    dependentApply(App, { name: "a", kind: RoleBinding, desired: layered({}, [pods]) });
  });
});

describe("layered alone", () => {
  test("its kind types the layers", () => {
    const web = layered(baseline, [{ name: "a", when: tracing, merge: { spec: { paused: true } } }], { kind: Deployment });
    expectTypeOf(web.layers[0]?.name).toEqualTypeOf<string | undefined>();
    dependentApply(App, { name: "web", kind: Deployment, needs: [region], desired: web });
    // @ts-expect-error no field of a Deployment
    layered(baseline, [{ name: "a", merge: { spec: { replica: 1 } } }], { kind: Deployment });
  });

  test("a typed baseline types the layers as well", () => {
    const web = layered(
      (app: App): Desired<typeof Deployment> => ({ spec: { paused: app.spec.tracing } }),
      [{ name: "a", merge: { spec: { replicas: 3 } } }],
    );
    dependentApply(App, { name: "web", kind: Deployment, desired: web });
  });

  test("a third argument is passed on", () => {
    interface Shard {
      readonly key: string;
    }
    const shards = layered(
      (_app: App, _inputs: object, shard: Shard) => ({ data: { key: shard.key } }),
      [{ name: "a", when: (_app, _inputs, shard) => shard.key === "a", merge: { data: { first: "true" } } }],
      { kind: ConfigMap },
    );
    expectTypeOf(shards).toBeCallableWith({} as App, {} as never, { key: "a" });
  });
});
