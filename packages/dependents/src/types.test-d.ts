import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Secret } from "@treadle/apimachinery/kinds";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { handler } from "@treadle/reconcile";
import { one, anyKind, step } from "@treadle/reconcile";
import { dependentApply } from "./dependent-apply.ts";
import { dependentApplyAll } from "./dependent-apply-all.ts";

const App = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ text: z.string(), replicas: z.int32().optional() }),
});
const Other = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Other",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({}),
});
type AppObject = ObjectOf<typeof App>;

const input = step(App, { name: "input", do: (req) => req.next({ input: req.object.spec.text.length }) });
const config = dependentApply(App, {
  name: "config",
  kind: ConfigMap,
  desired: (app) => {
    expectTypeOf(app).toEqualTypeOf<AppObject>();
    return { data: { text: app.spec.text } };
  },
});
const web = dependentApply(App, {
  name: "web",
  kind: Deployment,
  dependsOn: [config],
  needs: [input],
  reads: { secret: one(Secret, (app) => app.spec.text) },
  objectName: (app) => `${app.metadata.name}-web`,
  desired: (app, { vars, reads, dependents }) => {
    expectTypeOf(vars.input).toEqualTypeOf<number>();
    expectTypeOf(reads.secret).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
    expectTypeOf(dependents.config).toEqualTypeOf<ObjectOf<typeof ConfigMap> | undefined>();
    // @ts-expect-error what it does not depend on is not there
    void dependents.other;
    return app.spec.text === "" ? undefined : { spec: { replicas: app.spec.replicas } };
  },
  readyWhen: (live, app, { dependents }) => {
    expectTypeOf(live).toEqualTypeOf<ObjectOf<typeof Deployment>>();
    void [app.spec.text, dependents.config];
    return live.status?.availableReplicas === 3 || "0 of 3";
  },
  status: (entry, live, error) => {
    expectTypeOf(live).toEqualTypeOf<ObjectOf<typeof Deployment> | undefined>();
    expectTypeOf(error).toBeUnknown();
    return entry;
  },
});

describe("dependentApply", () => {
  test("its place in the list is checked like that of any step", () => {
    handler(App).step(input).step(config).step(web);
    handler(App)
      .step(input)
      .step(dependentApplyAll("parts", [config, web]));
    // @ts-expect-error web needs vars.input
    handler(App).step(config).step(web);
    // @ts-expect-error one of the parts needs vars.input
    handler(App).step(dependentApplyAll("parts", [config, web]));
    // @ts-expect-error it is for another kind
    handler(Other).step(config);
  });

  test("desired is a part of the kind, without name and status", () => {
    dependentApply(App, { name: "x", kind: ConfigMap, desired: { data: { a: "1" }, metadata: { labels: { a: "1" } } } });
    // @ts-expect-error no field of a ConfigMap
    dependentApply(App, { name: "x", kind: ConfigMap, desired: { dta: {} } });
    // @ts-expect-error a number is no value
    dependentApply(App, { name: "x", kind: ConfigMap, desired: () => ({ data: { a: 1 } }) });
    // @ts-expect-error the name is said by objectName
    dependentApply(App, { name: "x", kind: ConfigMap, desired: { metadata: { name: "y" } } });
    // @ts-expect-error pure, so at once
    dependentApply(App, { name: "x", kind: ConfigMap, desired: async () => ({ data: {} }) });
  });

  test("dependentApplyAll takes only dependents", () => {
    // @ts-expect-error a plain step
    dependentApplyAll("parts", [input]);
  });

  test("a dependent for anyKind fits each kind of that shape", () => {
    const generic = dependentApply(anyKind<{ spec: { text: string } }>(), {
      name: "x",
      kind: ConfigMap,
      desired: (o) => ({ data: { text: o.spec.text } }),
    });
    handler(App).step(generic);
    // @ts-expect-error the kind lacks the field
    handler(Other).step(generic);
  });
});
