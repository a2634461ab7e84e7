/** Each edit beside the transformer of the real kustomize that it is like: the same objects come out. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { edited, type Edit, type Manifest, type RenderContext } from "@treadle/dependents";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { images } from "./images.ts";
import { labels } from "./labels.ts";
import { namespace } from "./namespace.ts";
import { patch } from "./patch.ts";
import { valueAt } from "../fields.ts";

const owner = { apiVersion: "t.treadle.dev/v1", kind: "Platform", metadata: { name: "a" } };
const context = { name: "a", namespace: "default", reads: {}, vars: {} } as RenderContext;

/** Returns what `kustomize build` makes of objects, by their kind and name. */
function kustomized(objects: readonly Manifest[], kustomization: object): Readonly<Record<string, unknown>> {
  const folder = mkdtempSync(path.join(tmpdir(), "edits-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, "all.yaml"), objects.map((each) => stringify(each, { aliasDuplicateObjects: false })).join("---\n"));
  writeFileSync(path.join(folder, "kustomization.yaml"), stringify({ resources: ["all.yaml"], ...kustomization }));
  const text = execFileSync(process.env["TREADLE_KUSTOMIZE"] ?? "kustomize", ["build", folder], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: folder },
  });
  return byName(parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

function byName(objects: readonly Manifest[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(objects.map((each) => [`${each.kind}/${each.metadata.name}`, each]));
}

const object = (apiVersion: string, kind: string, name: string, more: object = {}): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(more as { metadata?: object }).metadata },
  ...Object.fromEntries(Object.entries(more).filter(([field]) => field !== "metadata")),
});
const template = (spec: object, labels: object = { app: "web" }): object => ({ metadata: { labels }, spec });

const web = object("apps/v1", "Deployment", "web", {
  metadata: { labels: { app: "web", tier: "front" }, annotations: { note: "x" }, finalizers: ["a/a", "b/b"] },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: template({
      initContainers: [{ name: "init", image: "nginx:1@sha256:aa" }],
      containers: [
        {
          name: "web",
          image: "nginx:1.25",
          args: ["a", "b"],
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
          ports: [
            { name: "http", containerPort: 80, protocol: "TCP" },
            { name: "dns", containerPort: 80, protocol: "UDP" },
          ],
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
        { name: "side", image: "registry:5000/side:1" },
        { name: "plain", image: "busybox" },
      ],
      tolerations: [{ key: "a", operator: "Exists" }],
      volumes: [
        { name: "data", emptyDir: {} },
        { name: "img", image: { reference: "nginx:1", pullPolicy: "Always" } },
      ],
      imagePullSecrets: [{ name: "pull" }],
      hostAliases: [{ ip: "10.0.0.1", hostnames: ["a"] }],
      topologySpreadConstraints: [
        { topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1, labelSelector: { matchLabels: { app: "web" } } },
      ],
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "node", labelSelector: { matchLabels: { app: "web" } } }],
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: "node", labelSelector: { matchLabels: { app: "web" } } } },
          ],
        },
      },
    }),
  },
});
const all: readonly Manifest[] = [
  web,
  object("apps/v1", "StatefulSet", "db", {
    metadata: { namespace: "other" },
    spec: {
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: template({ containers: [{ name: "db", image: "nginx" }] }, { app: "db" }),
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }],
    },
  }),
  object("batch/v1", "CronJob", "tick", {
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: template({ containers: [{ name: "c", image: "nginx:2" }] }) } } },
  }),
  object("batch/v1", "Job", "once", { spec: { template: template({ containers: [{ name: "c", image: "nginx:3" }] }) } }),
  object("v1", "Service", "web", {
    spec: {
      selector: { app: "web" },
      ports: [
        { name: "http", port: 80 },
        { name: "dns", port: 53, protocol: "UDP" },
      ],
    },
  }),
  object("v1", "ServiceAccount", "runner", { metadata: { namespace: "other" } }),
  object("v1", "ServiceAccount", "plain"),
  object("rbac.authorization.k8s.io/v1", "RoleBinding", "local", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [
      { kind: "ServiceAccount", name: "default", namespace: "x" },
      { kind: "ServiceAccount", name: "plain" },
      { kind: "ServiceAccount", name: "foreign", namespace: "kube-system" },
      { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
    ],
  }),
  object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "wide", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
    subjects: [
      { kind: "ServiceAccount", name: "runner", namespace: "other" },
      { kind: "ServiceAccount", name: "runner", namespace: "else" },
    ],
  }),
  object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hooks", {
    webhooks: [
      { name: "a.example.dev", clientConfig: { service: { name: "web", namespace: "default" } } },
      { name: "b.example.dev", clientConfig: { service: { name: "far", namespace: "far" } } },
      { name: "c.example.dev", clientConfig: { url: "https://a" } },
    ],
  }),
  object("apiregistration.k8s.io/v1", "APIService", "v1.x.dev", { spec: { group: "x.dev", service: { name: "web", namespace: "far" } } }),
  object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "robots.x.dev", {
    spec: {
      group: "x.dev",
      scope: "Namespaced",
      names: { kind: "Robot", plural: "robots" },
      containers: [{ image: "nginx" }],
      conversion: { strategy: "Webhook", webhook: { clientConfig: { service: { name: "web", namespace: "far" } } } },
    },
  }),
  object("x.dev/v1", "Robot", "r2", {
    spec: {
      containers: [{ name: "x", image: "nginx:1" }],
      parts: [{ name: "a", size: 1 }],
      image: "nginx:1",
      arms: [{ image: "nginx:1" }],
    },
  }),
  object("v1", "Namespace", "home"),
  object("networking.k8s.io/v1", "NetworkPolicy", "net", {
    spec: {
      podSelector: { matchLabels: { app: "web" } },
      ingress: [{ from: [{ podSelector: { matchLabels: { app: "db" } } }, { namespaceSelector: {} }] }],
      egress: [{ to: [{ podSelector: {} }] }],
    },
  }),
  object("policy/v1", "PodDisruptionBudget", "pdb", { spec: { selector: { matchLabels: { app: "web" } } } }),
];

const containers = (...list: readonly object[]): object => ({ spec: { template: { spec: { containers: list } } } });
const onWeb = { kind: "Deployment", name: "web" };
/** A strategic merge patch; kustomize wants the type and a name in it, which it ignores. */
const mergingOn = (kind: string, change: object): Case => {
  const apiVersion = all.find((each) => each.kind === kind)?.apiVersion;
  const { metadata, ...rest } = change as { readonly metadata?: object };
  const written = { apiVersion, kind, ...rest, metadata: { name: "ignored", ...metadata } };
  return [{ patches: [{ target: { kind }, patch: stringify(written) }] }, patch({ kind }, change as Record<string, unknown>)];
};
const merging = (change: object): Case => mergingOn("Deployment", change);
const operations = (
  ...list: readonly { op: "add" | "remove" | "replace" | "move" | "copy" | "test"; path: string; value?: unknown; from?: string }[]
): Case => [{ patches: [{ target: onWeb, patch: stringify(list) }] }, patch(onWeb, list)];
const selecting = (kustomize: object, ours: object): Case => [
  { patches: [{ target: kustomize, patch: stringify([{ op: "add", path: "/metadata/annotations", value: { hit: "yes1" } }]) }] },
  patch(ours, [{ op: "add", path: "/metadata/annotations", value: { hit: "yes1" } }]),
];

type Case = readonly [object, Edit];

test.for<readonly [string, Case]>([
  ["a scalar", merging({ spec: { replicas: 3 } })],
  ["a new field", merging({ spec: { template: { spec: { serviceAccountName: "x" } } } })],
  ["null for a field", merging({ spec: { replicas: null, missing: null } })],
  ["null for a list", merging({ spec: { template: { spec: { containers: null, tolerations: null } } } })],
  ["one container of several", merging(containers({ name: "side", image: "x:2" }))],
  ["a new container", merging(containers({ name: "new", image: "x:2" }))],
  [
    "containers in another order",
    merging(containers({ name: "plain", image: "p" }, { name: "new", image: "n" }, { name: "web", tty: true })),
  ],
  ["a list without keys", merging(containers({ name: "web", args: ["c"] }))],
  [
    "variables of a container",
    merging(
      containers({
        name: "web",
        env: [
          { name: "C", value: "3" },
          { name: "B", value: "x" },
        ],
      }),
    ),
  ],
  ["a variable that is removed", merging(containers({ name: "web", env: [{ name: "A", $patch: "delete" }] }))],
  ["a container that is removed", merging(containers({ name: "side", $patch: "delete" }))],
  ["a list that is replaced", merging(containers({ name: "only", image: "only" }, { $patch: "replace" }))],
  ["a list that is deleted", merging({ spec: { template: { spec: { volumes: [{ $patch: "delete" }] } } } })],
  ["an object that is replaced", merging({ spec: { template: { metadata: { labels: { $patch: "replace", b: "c" } } } } })],
  ["an object that is deleted", merging({ spec: { template: { metadata: { $patch: "delete" } } } })],
  ["the object itself that is deleted", merging({ $patch: "delete" })],
  ["an object with the directive merge", merging({ spec: { $patch: "merge", replicas: 4 } })],
  ["a port with its protocol", merging(containers({ name: "web", ports: [{ containerPort: 80, protocol: "UDP", hostPort: 1 }] }))],
  ["a new port", merging(containers({ name: "web", ports: [{ containerPort: 90, protocol: "TCP", name: "n" }] }))],
  [
    "a mount",
    merging(
      containers({
        name: "web",
        volumeMounts: [
          { mountPath: "/data", readOnly: true, name: "data" },
          { mountPath: "/b", name: "b" },
        ],
      }),
    ),
  ],
  ["tolerations", merging({ spec: { template: { spec: { tolerations: [{ key: "b", operator: "Exists" }] } } } })],
  ["volumes", merging({ spec: { template: { spec: { volumes: [{ name: "data", emptyDir: null, configMap: { name: "c" } }] } } } })],
  ["pull secrets", merging({ spec: { template: { spec: { imagePullSecrets: [{ name: "more" }] } } } })],
  ["host aliases", merging({ spec: { template: { spec: { hostAliases: [{ ip: "10.0.0.1", hostnames: ["b"] }] } } } })],
  [
    "spread constraints",
    merging({
      spec: {
        template: { spec: { topologySpreadConstraints: [{ topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", maxSkew: 2 }] } },
      },
    }),
  ],
  ["names and kind", merging({ kind: "Other", metadata: { name: "other", namespace: "other" }, spec: { replicas: 9 } })],
  ["labels and finalizers", merging({ metadata: { labels: { x: "y" }, finalizers: ["c/c"] } })],
  ["an empty map", merging({ spec: { strategy: {} } })],
  ["maps that are new with nulls in them", merging({ spec: { strategy: { a: null, b: { c: null } } } })],
  ["subjects of a binding", mergingOn("RoleBinding", { subjects: [{ kind: "Group", name: "n" }] })],
  [
    "ports of a service",
    mergingOn("Service", {
      spec: {
        ports: [
          { port: 80, name: "http", targetPort: 1 },
          { port: 81, name: "x" },
        ],
      },
    }),
  ],
  ["webhooks", mergingOn("ValidatingWebhookConfiguration", { webhooks: [{ name: "b.example.dev", failurePolicy: "Ignore" }] })],
  ["a list of a custom resource", mergingOn("Robot", { spec: { parts: [{ name: "b" }] } })],
  [
    "an object without a target",
    [
      { patches: [{ patch: stringify({ apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { type: "NodePort" } }) }] },
      patch({ apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { type: "NodePort" } }),
    ],
  ],
] as const)("a merge patch of %s gives the same as kustomize", ([, given]) => compare(given));

test.for<readonly [string, Case]>([
  ["replaces", operations({ op: "replace", path: "/spec/replicas", value: 5 })],
  ["adds to a list", operations({ op: "add", path: "/spec/template/spec/containers/-", value: { name: "z" } })],
  ["adds at the beginning of a list", operations({ op: "add", path: "/spec/template/spec/containers/0", value: { name: "z" } })],
  ["removes", operations({ op: "remove", path: "/spec/template/spec/containers/1" })],
  [
    "moves and copies",
    operations({ op: "move", from: "/spec/replicas", path: "/spec/count" }, { op: "copy", from: "/spec/count", path: "/spec/more" }),
  ],
  ["tests", operations({ op: "test", path: "/spec/replicas", value: 1 }, { op: "replace", path: "/spec/replicas", value: 2 })],
  ["has escaped paths", operations({ op: "add", path: "/metadata/labels/a.b~1c", value: "d" })],
])("a JSON patch that %s gives the same as kustomize", ([, given]) => compare(given));

test.for<readonly [string, Case]>([
  ["kind", selecting({ kind: "Deployment" }, { kind: "Deployment" })],
  ["a part of the kind", selecting({ kind: "Deploy" }, { kind: "Deploy" })],
  ["a pattern of kinds", selecting({ kind: "Deployment|Stateful.*" }, { kind: "Deployment|Stateful.*" })],
  ["group and version", selecting({ group: "apps", version: "v1" }, { group: "apps", version: "v1" })],
  ["a pattern of names", selecting({ name: "w.*" }, { name: "w.*" })],
  ["namespace", selecting({ namespace: "other" }, { namespace: "other" })],
  ["labels", selecting({ labelSelector: "app=web,tier in (front, back)" }, { labels: "app=web,tier in (front, back)" })],
  ["absent labels", selecting({ labelSelector: "!app" }, { labels: "!app" })],
  ["annotations", selecting({ annotationSelector: "note=x" }, { annotations: "note=x" })],
])("a target by %s selects the same as in kustomize", ([, given]) => compare(given));

test.for<readonly [string, Case]>([
  ["a tag", [{ images: [{ name: "nginx", newTag: "9" }] }, images({ nginx: { tag: "9" } })]],
  ["a name", [{ images: [{ name: "nginx", newName: "ghcr.io/x/nginx" }] }, images({ nginx: { name: "ghcr.io/x/nginx" } })]],
  ["a digest", [{ images: [{ name: "nginx", digest: "sha256:bb" }] }, images({ nginx: { digest: "sha256:bb" } })]],
  [
    "a tag and a digest",
    [{ images: [{ name: "nginx", newTag: "9", digest: "sha256:bb" }] }, images({ nginx: { tag: "9", digest: "sha256:bb" } })],
  ],
  [
    "an image of a registry with a port",
    [{ images: [{ name: "registry:5000/side", newTag: "2" }] }, images({ "registry:5000/side": { tag: "2" } })],
  ],
  ["an image without a tag", [{ images: [{ name: "busybox", newTag: "2" }] }, images({ busybox: { tag: "2" } })]],
  ["a part of a name", [{ images: [{ name: "ngin", newTag: "2" }] }, images({ ngin: { tag: "2" } })]],
  [
    "one after the other",
    [
      {
        images: [
          { name: "nginx", newName: "a" },
          { name: "a", newName: "b" },
        ],
      },
      images({ nginx: { name: "a" }, a: { name: "b" } }),
    ],
  ],
])("images with %s gives the same as kustomize", ([, given]) => compare(given));

test.for<readonly [string, Case]>([
  ["alone", [{ labels: [{ pairs: { team: "a", app: "x" } }] }, labels({ team: "a", app: "x" })]],
  ["in templates", [{ labels: [{ pairs: { team: "a" }, includeTemplates: true }] }, labels({ team: "a" }, { templates: true })]],
  ["in selectors", [{ labels: [{ pairs: { team: "a" }, includeSelectors: true }] }, labels({ team: "a" }, { selectors: true })]],
])("labels %s gives the same as kustomize", ([, given]) => compare(given));

test("a namespace gives the same as kustomize", () => compare([{ namespace: "moved" }, namespace("moved")]));

/** Lists whose entries occur once by their key, parts of a pod. */
function podArbitrary(isPatch: boolean): fc.Arbitrary<object> {
  const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => (isPatch ? fc.option(arbitrary, { freq: 5 }) : arbitrary);
  const listOf = (entry: fc.Arbitrary<object>, keys: readonly string[]): fc.Arbitrary<object[] | null> =>
    orNull(
      fc.uniqueArray(entry, { maxLength: 4, minLength: 1, selector: (each) => keys.map((key) => String(valueAt(each, [key]))).join() }),
    );
  const text = fc.constantFrom("a", "b", "c", "d");
  const entry = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>, key: string): fc.Arbitrary<object> => {
    const whole = fc.record(fields, { requiredKeys: [key, "protocol"].filter((each) => each in fields) });
    return isPatch ? fc.oneof({ weight: 5, arbitrary: whole }, fc.record({ ...pick(fields, key), $patch: fc.constant("delete") })) : whole;
  };
  const ports = { containerPort: fc.constantFrom(80, 81), protocol: fc.constantFrom("TCP", "UDP"), hostPort: fc.nat(9) };
  const containers = entry(
    {
      name: text,
      image: orNull(text),
      args: orNull(fc.array(text, { minLength: 1, maxLength: 3 })),
      env: listOf(entry({ name: text, value: text }, "name"), ["name"]),
      volumeMounts: listOf(entry({ mountPath: text, name: text }, "mountPath"), ["mountPath"]),
      ports: listOf(fc.record(ports, { requiredKeys: ["containerPort", "protocol"] }), ["containerPort", "protocol"]),
      resources: orNull(fc.record({ limits: orNull(fc.dictionary(text, text, { minKeys: 1 })) })),
    },
    "name",
  );
  return fc.record(
    {
      containers: listOf(containers, ["name"]),
      initContainers: listOf(containers, ["name"]),
      nodeSelector: orNull(fc.dictionary(text, text, { minKeys: 1 })),
      volumes: listOf(entry({ name: text, emptyDir: orNull(fc.record({ medium: text })) }, "name"), ["name"]),
      priority: orNull(fc.nat(9)),
    },
    { requiredKeys: [] },
  );
}

function pick(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>, key: string): Record<string, fc.Arbitrary<unknown>> {
  return { [key]: fields[key] ?? fc.constant("a") };
}

test("random merge patches give the same as kustomize", async () => {
  const seed = Number(process.env["TREADLE_TEST_SEED"] || 1);
  const pods = fc.sample(podArbitrary(false), { numRuns: 150, seed });
  const patches = fc.sample(podArbitrary(true), { numRuns: 150, seed });
  const deployment = (i: number, pod: object): Manifest => object("apps/v1", "Deployment", `d-${i}`, { spec: { template: { spec: pod } } });
  const objects = pods.map((pod, i) => deployment(i, pod));
  const theirs = kustomized(objects, {
    patches: patches.map((pod, i) => ({ patch: stringify(deployment(i, pod), { aliasDuplicateObjects: false }) })),
  });
  const edits = patches.map((pod, i) => patch({ name: `d-${i}` }, { spec: { template: { spec: pod } } }));
  const ours = byName(await edited(objects, ...edits)(owner, context));
  for (const [i, pod] of patches.entries())
    expect(ours[`Deployment/d-${i}`], `${JSON.stringify(pods[i])} with ${JSON.stringify(pod)}, seed ${seed}`).toEqual(
      theirs[`Deployment/d-${i}`],
    );
});

/** Each of these is in the list of differences in docs/generators.md. */
test.for<readonly [string, Case, (object: unknown) => unknown, unknown, unknown]>([
  [
    "an entry with the directive replace is replaced; kustomize ignores the entry",
    merging(containers({ name: "plain", tty: true, $patch: "replace" })),
    (each) => valueAt(each, ["spec", "template", "spec", "containers"]),
    { name: "plain", tty: true },
    { name: "plain", image: "busybox" },
  ],
  [
    "null removes a label; kustomize writes the text null",
    merging({ metadata: { labels: { app: null } } }),
    (each) => [valueAt(each, ["metadata", "labels", "app"])],
    undefined,
    "null",
  ],
])("difference to kustomize: %s", async ([, [kustomization, edit], pick, ours, theirs]) => {
  const [mine] = pick(byName(await edited(all, edit)(owner, context))["Deployment/web"]) as readonly unknown[];
  const [other] = pick(kustomized(all, kustomization)["Deployment/web"]) as readonly unknown[];
  expect([mine, other]).toEqual([ours, theirs]);
});

async function compare([kustomization, edit]: Case): Promise<void> {
  const ours = await edited(all, edit)(owner, context);
  expect(byName(ours)).toEqual(kustomized(all, kustomization));
}
