import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Namespace, Node, Pod, Secret } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, many, one, type Permission, type Reads, type Step, step } from "@treadle/reconcile";
import { defineStep } from "@treadle/reconcile/unstable/engine";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Runnable } from "../runnable.ts";
import { rbacManifests } from "./manifests.ts";
import { rightsOf } from "./rights.ts";
import { rbacComments, rbacRules } from "./rules.ts";

const definition = { group: "example.dev", version: "v1", kind: "Widget", spec: z.object({}), stepState: true } as const;
const Widget = defineResource({ ...definition, scope: "Namespaced" });
const Planet = defineResource({ ...definition, kind: "Planet", scope: "Cluster" });

type Reading = Reads<ObjectOf<typeof Widget>>;
type Steps = Parameters<typeof step<typeof Widget, never, readonly [], Reading, z.ZodObject<{}>, "labels" | "spec">>[1];
const of = (...definitions: readonly Partial<Steps>[]) => {
  let builder = handler(Widget).step(conditions());
  for (const [index, each] of definitions.entries()) builder = builder.step(step(Widget, { name: `s${index}`, ...each }));
  return builder.build();
};

/** `verbs resources` of each rule, in order. */
const said = (...definitions: readonly Partial<Steps>[]): readonly string[] =>
  rbacRules(of(...definitions)).cluster.map(
    ({ apiGroups, resources, verbs, resourceNames }) =>
      `${verbs.join(",")} ${resources.join(",")} of ${apiGroups.join(",") || "core"}${resourceNames === undefined ? "" : ` named ${resourceNames.join(",")}`}`,
  );

const PRIMARY = ["get,list,watch widgets of example.dev", "patch widgets/status of example.dev"];
const PATCHED = ["get,list,watch,patch widgets of example.dev", "patch widgets/status of example.dev"];

test.for<{ readonly name: string; readonly reason: string; readonly given: readonly Partial<Steps>[]; readonly want: readonly string[] }>([
  { name: "a step that declares nothing", reason: "the object itself is never written", given: [{}], want: PRIMARY },
  { name: "a cleanup", reason: "the finalizer stands in the object", given: [{ cleanup() {} }], want: PATCHED },
  { name: "writes", reason: "metadata stands in the object", given: [{ writes: ["labels"] }], want: PATCHED },
  {
    name: "state of a kind of ours",
    reason: "it stands in the status",
    given: [{ state: z.object({ n: z.int32().optional() }) }],
    want: PRIMARY,
  },
  {
    name: "one and many",
    reason: "informers list and watch; a live read is not theirs",
    given: [{ reads: { a: one(ConfigMap, () => "a"), b: many(Pod, () => ({ matchLabels: { a: "b" } })) } }],
    want: [...PRIMARY, "list,watch configmaps,pods of core"],
  },
  {
    name: "one Secret",
    reason: "what is in it is fetched",
    given: [{ reads: { a: one(Secret, () => "a") } }],
    want: [...PRIMARY, "get,list,watch secrets of core"],
  },
  {
    name: "a live read, one without a watch, and one of metadata",
    reason: "each asks for as much as it does",
    given: [
      {
        reads: {
          live: one(ConfigMap, () => "a", { live: true }),
          alone: one(Pod, () => "a", { watch: false }),
          selected: many(Deployment, () => ({ matchLabels: {} }), { watch: false }),
          metadata: one(Secret, () => "a", { metadata: true }),
        },
      },
    ],
    want: [...PRIMARY, "get,list,watch configmaps of core", "get pods of core", "list deployments of apps", "list,watch secrets of core"],
  },
  {
    name: "owns",
    reason: "an owner reference that blocks the owner's deletion needs the right to its finalizers",
    given: [{ owns: [ConfigMap] }],
    want: [...PRIMARY, "update widgets/finalizers of example.dev", "list,watch,create,patch configmaps of core"],
  },
  {
    name: "owns of a kind without namespaces",
    reason: "an object in a namespace cannot be its owner by reference",
    given: [{ owns: [Namespace] }],
    want: [...PRIMARY, "list,watch,create,patch namespaces of core"],
  },
  {
    name: "owns, and a cleanup in another step",
    reason: "only the step with the cleanup deletes what it owns",
    given: [{ owns: [Deployment] }, { owns: [ConfigMap], cleanup() {} }],
    want: [
      ...PATCHED,
      "update widgets/finalizers of example.dev",
      "list,watch,create,patch deployments of apps",
      "list,watch,create,patch,delete configmaps of core",
    ],
  },
  {
    name: "permissions",
    reason: "what nothing else says",
    given: [
      {
        permissions: [
          { kind: Pod, verbs: ["get"], subresource: "log" },
          { kind: ConfigMap, verbs: ["update", "get", "update"], names: ["b", "a"] },
        ],
      },
    ],
    want: [...PRIMARY, "get pods/log of core", "get,update configmaps of core named a,b"],
  },
  {
    name: "events",
    reason: "one is created, and its count patched; whoever records none writes none",
    given: [{ events: ["Stored", "Failed"] }, {}],
    want: [...PRIMARY, "create,patch events of events.k8s.io"],
  },
])("$name: $want", ({ given, want, reason }) => {
  // The rule of events comes last, and is every handler's.
  const events = "create,patch events of events.k8s.io";
  expect(said(...given), reason).toEqual([...want.filter((rule) => rule !== events), events]);
});

/** A handler of one step that a package made. */
const made = (definition: Omit<Parameters<typeof defineStep>[1], "name">): AnyHandler =>
  handler(Widget)
    .step(defineStep(Widget, { name: "made", ...definition }) as Step<ObjectOf<typeof Widget>>)
    .build();

describe("a step with refersFrom", () => {
  test("gets the rights to list and watch from owns, and the others from permissions", () => {
    const { cluster } = rbacRules(
      made({
        owns: [ConfigMap, Namespace],
        refersFrom: [],
        permissions: [{ kind: ConfigMap, verbs: ["patch"] }],
        cleanup: () => undefined,
      }),
      { events: false },
    );
    expect(cluster.slice(2)).toEqual([
      { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch", "patch"] },
      { apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] },
    ]);
  });

  test("gets the right to the finalizers of the primary for kinds in it, and no other right", () => {
    const { cluster } = rbacRules(made({ owns: [ConfigMap], refersFrom: [ConfigMap] }), { events: false });
    expect(cluster.map(({ resources, verbs }) => `${verbs.join()} ${resources.join()}`)).toEqual([
      "get,list,watch widgets",
      "patch widgets/status",
      "update widgets/finalizers",
      "list,watch configmaps",
    ]);
  });
});

describe("all rights", () => {
  const because = "its kinds are known at run time only";
  const all = made({ allRights: { because }, permissions: [{ kind: Pod, verbs: ["get"] }] });
  const WILDCARD = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };

  test("are a rule of wildcards for the whole cluster, beside the other rules", () => {
    expect(rbacRules(all, { events: false }).cluster.slice(2)).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      WILDCARD,
    ]);
    const { cluster, namespaced } = rbacRules(all, { namespaces: ["a"], events: false });
    expect([cluster, namespaced.length]).toEqual([[WILDCARD], 3]);
  });

  test("are explained, in a comment as well", () => {
    const given = rightsOf(all, { events: false });
    expect(given.at(-1)).toMatchObject({ verb: "*", because: `step "made" of widgets.example.dev asks for it: ${because}` });
    expect(rbacComments(WILDCARD as never, given)).toEqual([`* *.*: step "made" of widgets.example.dev asks for it: ${because}`]);
  });

  test("are replaced by the rights that are known to suffice", () => {
    const { cluster } = rbacRules(all, { events: false, insteadOfAll: [{ kind: ConfigMap, verbs: ["patch"] }] });
    expect(cluster.slice(2)).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      { apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] },
    ]);
  });
});

test("the comments of a rule are the reasons that authors gave, one line for each", () => {
  const permissions: readonly Permission[] = [
    { kind: Pod, verbs: ["delete", "get"], because: "stuck ones are deleted" },
    { kind: Pod, verbs: ["watch"] },
    { kind: Pod, verbs: ["get"], names: ["a"], because: "one is special" },
    { kind: Pod, verbs: ["get"], subresource: "log", because: "for people" },
  ];
  const built = of({ permissions });
  const given = rightsOf(built, { events: false });
  const rules = rbacRules(built, { events: false }).cluster.slice(2);
  expect(rules.map((rule) => [rule.verbs.join(), rbacComments(rule, given)])).toEqual([
    ["get,watch,delete", ['get, delete pods: step "s0" of widgets.example.dev asks for it: stuck ones are deleted']],
    ["get", ['get pods: step "s0" of widgets.example.dev asks for it: one is special']],
    ["get", ['get pods/log: step "s0" of widgets.example.dev asks for it: for people']],
  ]);
});

test("a watch of the builder lists and watches", () => {
  const watching = handler(Planet)
    .step(step(Planet, { name: "s" }))
    .watch(Node, { map: () => [] })
    .build();
  expect(rbacRules(watching, { events: false }).cluster.at(-1)).toEqual({
    apiGroups: [""],
    resources: ["nodes"],
    verbs: ["list", "watch"],
  });
});

test("each right of several handlers is granted once", () => {
  const other = handler(Planet)
    .step(step(Planet, { name: "s", owns: [ConfigMap] }))
    .build();
  const rules = rbacRules([of({ owns: [ConfigMap] }), other]).cluster;
  const all = rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((each) => verbs.map((verb) => `${apiGroups[0]} ${each} ${verb}`)),
  );
  expect(new Set(all).size).toBe(all.length);
});

test("nothing is granted on CRDs, and nothing by a wildcard", () => {
  const text = JSON.stringify(rbacRules(of({ owns: [ConfigMap], cleanup() {}, writes: ["spec"] })));
  expect(text).not.toContain("customresourcedefinitions");
  expect(text).not.toContain("*");
});

test("a manager that writes no events needs no right to write them, whatever its steps declare", () => {
  const { cluster } = rbacRules(of({ events: ["Stored"] }), { events: false });
  expect(cluster.flatMap(({ resources }) => resources)).toEqual(["widgets", "widgets/status"]);
  const manifests = rbacManifests(of({}), { name: "op", namespace: "system", events: false });
  expect(JSON.stringify(manifests)).not.toContain("events");
});

test("every right says what it is for", () => {
  expect(
    rightsOf(of({ reads: { a: one(Secret, () => "a") } }), { events: false }).map(({ verb, because }) => `${verb}: ${because}`),
  ).toEqual([
    "list: handler widgets.example.dev reconciles it",
    "watch: handler widgets.example.dev reconciles it",
    "get: the newest version is read after a conflict",
    "patch: its status is stored",
    'get: step "s0" of widgets.example.dev reads a',
    'list: step "s0" of widgets.example.dev reads a',
    'watch: step "s0" of widgets.example.dev reads a',
  ]);
});

describe("with namespaces", () => {
  const both = of({
    reads: { nodes: many(Node, () => ({ matchLabels: { a: "b" } })), maps: many(ConfigMap, () => ({ matchLabels: { a: "b" } })) },
  });

  test("only cluster-scoped kinds are granted in the whole cluster", () => {
    const { cluster, namespaced } = rbacRules(both, { namespaces: ["a"], events: false });
    expect(cluster).toEqual([{ apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"] }]);
    expect(namespaced.flatMap(({ resources }) => resources)).toEqual(["widgets", "widgets/status", "configmaps"]);
  });

  test("events are next to their object; those about cluster-scoped objects are in a namespace that may not be watched", () => {
    const planets = handler(Planet)
      .step(step(Planet, { name: "s", events: ["Seen"] }))
      .build();
    const rule = { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] };
    expect(rbacRules(planets, { namespaces: ["a"] }).cluster).toContainEqual(rule);
    const { cluster, namespaced } = rbacRules(of({ events: ["Seen"] }), { namespaces: ["a"] });
    expect([cluster, namespaced.at(-1)]).toEqual([[], rule]);
  });
  test("every namespace gets its Role and binding, once", () => {
    const manifests = rbacManifests(both, { name: "op", namespace: "system", namespaces: ["a", "b", "a"] });
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`)).toEqual([
      "ServiceAccount system/op",
      "ClusterRole /op",
      "ClusterRoleBinding /op",
      "Role a/op",
      "RoleBinding a/op",
      "Role b/op",
      "RoleBinding b/op",
    ]);
  });

  test("there is no ClusterRole without rules", () => {
    const manifests = rbacManifests(of({}), { name: "op", namespace: "system", namespaces: ["a"] });
    expect(manifests.map(({ kind }) => kind)).toEqual(["ServiceAccount", "Role", "RoleBinding"]);
  });

  test("an empty list of namespaces is refused", () => {
    expect(() => rbacRules(both, { namespaces: [] })).toThrow(/namespaces is empty/);
  });
});

describe("the rights of runnables", () => {
  const server: Runnable = {
    name: "webhooks",
    start() {},
    reads: [one(Secret, () => "a"), many(Pod, () => ({ matchLabels: {} })), one(Node, () => "a", { watch: false })],
    permissions: [{ kind: ConfigMap, verbs: ["patch"], names: ["a"], because: "it counts" }],
  };

  test("follow from their reads and permissions, with reasons", () => {
    expect(rightsOf([], { runnables: [server] }).map(({ kind, verb, because }) => `${verb} ${kind.plural}: ${because}`)).toEqual([
      'get secrets: runnable "webhooks" reads it',
      'list secrets: runnable "webhooks" reads it',
      'watch secrets: runnable "webhooks" reads it',
      'list pods: runnable "webhooks" reads it',
      'watch pods: runnable "webhooks" reads it',
      'get nodes: runnable "webhooks" reads it',
      'patch configmaps: runnable "webhooks" asks for it: it counts',
    ]);
  });

  test("are in the manifests beside those of the handlers", () => {
    const [, role] = rbacManifests(of({}), { name: "op", namespace: "system", runnables: [server] });
    expect(role?.rules?.map(({ resources, verbs, resourceNames }) => [resources.join(), verbs.join(), resourceNames?.join()])).toEqual([
      ["widgets", "get,list,watch", undefined],
      ["widgets/status", "patch", undefined],
      ["events", "create,patch", undefined],
      ["secrets", "get,list,watch", undefined],
      ["pods", "list,watch", undefined],
      ["nodes", "get", undefined],
      ["configmaps", "patch", "a"],
    ]);
  });

  test("of a runnable that declares nothing are none", () => {
    expect(rightsOf([], { runnables: [{ start() {} }] })).toEqual([]);
  });
});

test("bindings name the role and the account", () => {
  const [account, role, binding] = rbacManifests(of({}), { name: "op", namespace: "system" });
  expect(account).toEqual({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "op", namespace: "system", labels: { "app.kubernetes.io/name": "op" } },
  });
  expect(role?.rules).toEqual(rbacRules(of({})).cluster);
  expect(binding).toMatchObject({
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "op" },
    subjects: [{ kind: "ServiceAccount", name: "op", namespace: "system" }],
  });
});

test.for([
  { name: "Bad_Name", namespace: "a" },
  { name: "a", namespace: "" },
])("$name in $namespace is refused", (options) => {
  expect(() => rbacManifests(of({}), options)).toThrow(/is no name/);
});

test.for<{ readonly given: unknown; readonly says: RegExp }>([
  { given: [{ kind: Pod, verbs: ["read"] }], says: /"read" is not a verb: use get, list/ },
  { given: [{ kind: Pod, verbs: [] }], says: /permissions\[0\] of Pod allows nothing/ },
  { given: [{ kind: Pod, verbs: ["get"], subresource: "pods/log" }], says: /is not a subresource/ },
  { given: [{ kind: Pod, verbs: ["get"], because: "" }], says: /permissions\[0\] of Pod needs a reason that people can read/ },
  { given: [{ kind: Pod, verbs: ["get"], because: "a\nb" }], says: /because, one line of text/ },
  { given: [{ verbs: ["get"] }], says: /permissions\[0\] has no kind/ },
  { given: { kind: Pod }, says: /permissions must be a list/ },
])("a step that asks for $given is told what is wrong", ({ given, says }) => {
  expect(() => of({ permissions: given } as Partial<Steps>)).toThrow(says);
});

test.for([undefined, "", "a\nb", 3])("all rights for the reason %j are refused", (because) => {
  expect(() => made({ allRights: { because } as { because: string } })).toThrow(
    /step "made": allRights needs a reason that people can read/,
  );
});
