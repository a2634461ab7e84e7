import { defineResource, kind, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Secret } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { all, anyKind, conditions, handler, one, step } from "@treadle/reconcile";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { component } from "./component.ts";
import type { AnyKindRecord, KindRecord } from "./kinds/kind-record.ts";
import { expectGoldens } from "./testing/index.ts";

const App = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ text: z.string().default("a"), on: z.boolean().default(true) }),
});
type App = ObjectOf<typeof App>;
const Other = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Other",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ size: z.int32() }),
});

const region = step(App, { name: "region", conditions: ["RegionReady"], do: (req) => req.next({ region: req.object.spec.text }) });
const role = dependentApply(App, { name: "role", kind: Secret, created: false, gives: { arn: (live) => live.data?.["arn"] } });
const bucket = dependentApply(App, {
  name: "bucket",
  kind: ConfigMap,
  needs: [role, region],
  desired: (_app, { vars }) => ({ data: { arn: vars.arn, region: vars.region } }),
});
const web = dependentApply(App, { name: "web", kind: Deployment, desired: {} });
const other = dependentApply(Other, { name: "other", kind: ConfigMap, desired: {} });
const access = component(App, { name: "access", condition: "AccessReady", resources: [role] });
const storage = component(App, { name: "storage", condition: "StorageReady", after: [access, region], resources: [bucket] });

describe("component", () => {
  test("its functions get the owner, the vars of needs, and the reads", () => {
    component(App, {
      name: "web",
      condition: { type: "WebReady", ready: "ignored" },
      needs: [region],
      reads: { secret: one(Secret, (app) => app.spec.text) },
      enabled: (app, { vars, reads }) => {
        expectTypeOf(app).toEqualTypeOf<App>();
        expectTypeOf(vars.region).toEqualTypeOf<string>();
        expectTypeOf(reads.secret).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
        return undefined;
      },
      suspended: [(app) => app.spec.on, (_app, { vars }) => vars.region === "eu"],
      until: async (app, { vars, reads }) => {
        expectTypeOf(app).toEqualTypeOf<App>();
        expectTypeOf(vars.region).toEqualTypeOf<string>();
        expectTypeOf(reads.secret).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
        return app.spec.text === "" || "no text yet";
      },
      resources: [web],
    });
  });

  test("vars of steps that are not in needs are not there", () => {
    component(App, {
      name: "web",
      condition: "WebReady",
      // @ts-expect-error region is not in needs
      enabled: (_app, { vars }) => vars.region === "eu",
      // @ts-expect-error there are no reads
      until: (_app, { reads }) => reads.secret !== undefined || "no secret",
      resources: [web],
    });
  });

  test("it needs the vars that its resources need, and provides those that they give", () => {
    const after = step(App, {
      name: "after",
      needs: [access],
      do: (req) => {
        expectTypeOf(req.vars.arn).toEqualTypeOf<string>();
      },
    });
    handler(App).step(conditions()).step(region).step(access).step(storage).step(after).build();
    handler(App)
      .step(region)
      .step(all("components", [access, storage]));
    handler(App)
      .step(region)
      .step(component(App, { name: "both", condition: "Both", resources: [role, bucket] }))
      .step(after);
    // @ts-expect-error storage needs vars.arn
    handler(App).step(region).step(storage);
    // @ts-expect-error storage needs vars.region
    handler(App).step(access).step(storage);
    // @ts-expect-error arn is already provided
    handler(App).step(role).step(access);
  });

  test("an empty list of resources compiles, and needs nothing", () => {
    const empty = component(App, { name: "empty", condition: "EmptyReady", resources: [] });
    handler(App).step(empty).build();
    expectTypeOf(empty.preview({ spec: {} })[0]?.kind).toEqualTypeOf<string | undefined>();
  });

  test("other steps read its condition by name", () => {
    step(App, {
      name: "reader",
      do: (req) => {
        void req.conditions.of(storage, "StorageReady")?.status;
        void req.conditions.of(storage)?.status;
        // @ts-expect-error the component does not set it
        void req.conditions.of(storage, "AccessReady");
      },
    });
  });

  test("a component for any kind fits each kind of that shape", () => {
    const Shape = anyKind<{ spec: { text: string } }>();
    const text = dependentApply(Shape, { name: "text", kind: ConfigMap, desired: (o) => ({ data: { text: o.spec.text } }) });
    const any = component(Shape, { name: "any", condition: "AnyReady", enabled: (o) => o.spec.text !== "", resources: [text] });
    handler(App).step(any);
    component(App, { name: "mixed", condition: "MixedReady", resources: [text, web] });
    // @ts-expect-error the kind has no text
    handler(Other).step(any);
  });
});

describe("the resources of a component", () => {
  test("are for owners of its kind", () => {
    // @ts-expect-error it is for another kind
    component(App, { name: "web", condition: "WebReady", resources: [other] });
    // @ts-expect-error one of them is for another kind
    component(App, { name: "web", condition: "WebReady", resources: [web, other] });
  });

  test("are made by dependentApply", () => {
    // @ts-expect-error a plain step
    component(App, { name: "web", condition: "WebReady", resources: [region] });
    // @ts-expect-error a component
    component(App, { name: "web", condition: "WebReady", resources: [access] });
    // @ts-expect-error a kind
    component(App, { name: "web", condition: "WebReady", resources: [ConfigMap] });
  });

  test("provide each var once", () => {
    const twin = dependentApply(App, { name: "twin", kind: ConfigMap, desired: {}, gives: { arn: (live) => live.data?.["arn"] } });
    // @ts-expect-error two resources give vars.arn
    component(App, { name: "web", condition: "WebReady", resources: [role, twin] });
  });
});

describe("the options of a component", () => {
  const web1 = { name: "web", condition: "WebReady", resources: [web] } as const;
  test("are closed, and have their types", () => {
    component(App, { ...web1, graceMs: 5, warnOfGrace: false, blocked: "dependants", enabled: [], suspended: [] });
    // @ts-expect-error no such option
    component(App, { name: "web", condition: "WebReady", resources: [web], grace: 5 });
    // @ts-expect-error a text
    component(App, { ...web1, graceMs: "5m" });
    // @ts-expect-error a number is no answer
    component(App, { ...web1, until: () => 5 });
    // @ts-expect-error false has no reason
    component(App, { ...web1, until: () => false });
    // @ts-expect-error no such word
    component(App, { ...web1, blocked: "none" });
    // @ts-expect-error a gate is pure, so at once
    component(App, { ...web1, enabled: async () => true });
    // @ts-expect-error a gate says true or false
    component(App, { ...web1, suspended: () => "yes" });
    // @ts-expect-error a kind is no step
    component(App, { ...web1, after: [ConfigMap] });
    // @ts-expect-error the name is required
    component(App, { condition: "WebReady", resources: [web] });
    // @ts-expect-error the condition is required
    component(App, { name: "web", resources: [web] });
  });

  test("after takes components, and steps with one condition, of the same kind", () => {
    const two = step(App, { name: "two", conditions: ["One", "Two"], do: () => undefined });
    const none = step(App, { name: "none", do: () => undefined });
    const ofOther = component(Other, { name: "of-other", condition: "OtherReady", resources: [other] });
    component(App, { ...web1, after: [access, region] });
    // @ts-expect-error two conditions
    component(App, { ...web1, after: [two] });
    // @ts-expect-error no condition
    component(App, { ...web1, after: [none] });
    // @ts-expect-error it is for another kind
    component(App, { ...web1, after: [ofOther] });
  });

  test("two needs with one var are refused", () => {
    const twin = step(App, { name: "twin", do: (req) => req.next({ region: req.object.spec.text }) });
    // @ts-expect-error two steps provide vars.region
    component(App, { ...web1, needs: [region, twin] });
  });

  test("a record is of its kind", () => {
    const record: KindRecord<typeof Deployment> = {
      kind: Deployment,
      category: "workload",
      state: (live) => ({ reason: "Healthy", message: String(live.status?.readyReplicas) }),
    };
    const Certificate = kind<{ readonly spec: { readonly dns: string } }>({
      group: "cert-manager.io",
      version: "v1",
      kind: "Certificate",
      plural: "certificates",
      scope: "Namespaced",
    } as never);
    const list: readonly AnyKindRecord[] = [record];
    component(App, { ...web1, kinds: list });
    component(App, { ...web1, kinds: [record, { kind: Certificate, category: "integration" }] });
    component(App, {
      ...web1,
      kinds: [
        {
          kind: Deployment,
          category: "workload",
          state: (live, { operation }) => {
            expectTypeOf(live).toEqualTypeOf<ObjectOf<typeof Deployment>>();
            expectTypeOf(operation).toEqualTypeOf<"created" | "updated" | "none">();
            return { reason: "Healthy", message: String(live.status?.readyReplicas) };
          },
        },
        // @ts-expect-error a ConfigMap has no status
        { kind: ConfigMap, category: "workload", grace: (live) => (live.status === undefined ? "Down" : "Healthy") },
      ],
    });
    // @ts-expect-error no category
    component(App, { ...web1, kinds: [{ kind: Deployment }] });
    // @ts-expect-error no such category
    component(App, { ...web1, kinds: [{ kind: Deployment, category: "server" }] });
    component(App, {
      ...web1,
      // @ts-expect-error no such word
      kinds: [{ kind: Deployment, category: "workload", state: () => ({ reason: "Fine", message: "" }) }],
    });
    // @ts-expect-error the field is named by suspend.merge
    component(App, { ...web1, kinds: [{ kind: Deployment, category: "workload", suspend: { spec: { replicas: 0 } } }] });
  });
});

describe("a component in a handler", () => {
  test("is for owners of its kind", () => {
    handler(App)
      .step(region)
      .step(all("components", [access, storage]));
    // @ts-expect-error a component of another kind
    handler(Other).step(access);
    // @ts-expect-error one of the components is of another kind
    handler(Other).step(all("components", [access]));
  });
});

describe("a preview", () => {
  test("takes what a client may send, and what the server returns", () => {
    access.preview({ spec: {} });
    access.preview({ metadata: { name: "shop" }, spec: { text: "b" } });
    access.preview({} as App);
    // @ts-expect-error no such field
    access.preview({ spec: { txt: "b" } });
    // @ts-expect-error a number is no text
    access.firing({ spec: { text: 1 } });
  });

  test("types the vars in data", () => {
    storage.preview({ spec: {} }, { data: { arn: "a", region: "eu" } });
    storage.preview({ spec: {} }, { data: { arn: "a" } });
    // @ts-expect-error a number is no region
    storage.preview({ spec: {} }, { data: { region: 1 } });
    // @ts-expect-error no such var
    storage.preview({ spec: {} }, { data: { area: "eu" } });
  });

  test("is what the cases of goldens are", () => {
    void expectGoldens(storage, { data: { arn: "a" }, cases: { plain: { object: { spec: {} }, data: { region: "eu" } } } });
    void expectGoldens(storage, { cases: [{ name: "plain", object: { spec: { text: "b" } } }], dir: "goldens" });
    // @ts-expect-error no such field
    void expectGoldens(storage, { cases: { plain: { object: { spec: { txt: "b" } } } } });
    // @ts-expect-error a case in a list has a name
    void expectGoldens(storage, { cases: [{ object: { spec: {} } }] });
    // @ts-expect-error a step is not a component
    void expectGoldens(region, { cases: {} });
  });
});
