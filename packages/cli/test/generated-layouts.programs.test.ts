/** Helm and Kustomize make the objects of the plain form from the generated layouts. */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClusterRole, CustomResourceDefinition, Deployment } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeFolder } from "../src/generate/files/folder.ts";
import { planFiles } from "../src/generate/files/plan.ts";
import { helmLayout, KEEP } from "../src/generate/layouts/helm.ts";
import { kustomizeLayout } from "../src/generate/layouts/kustomize.ts";
import type { Layout, LayoutInput } from "../src/generate/layouts/layout.ts";
import type { Manifest } from "../src/generate/manifest.ts";
import type { Operator, OperatorOptions } from "../src/generate/operator.ts";
import { inOrder, partsOf } from "../src/generate/parts.ts";
import { documentsOf } from "../src/generate/yaml.ts";
import { EXAMPLE_NAMES, exampleOperator, parsed } from "./generated-examples.ts";

const { TREADLE_HELM: helm4 = "", TREADLE_HELM3: helm3 = "", TREADLE_KUSTOMIZE: kustomize = "" } = process.env;
let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "treadle-layouts-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function written(operator: Operator, layoutOf: (input: LayoutInput) => Layout): Promise<string> {
  const folder = mkdtempSync(join(dir, "out-"));
  const layout = layoutOf({ operator, parts: partsOf(operator), source: "../main.ts", version: "1.2.3" });
  await writeFolder(folder, layout, planFiles(layout, { texts: new Map(), obstacles: new Set(), folders: new Set() }));
  return folder;
}

const run = (program: string, ...args: readonly string[]): string => execFileSync(program, args, { encoding: "utf8", stdio: "pipe" });

/** Objects by their names, without what only one of the forms has. */
function comparable(manifests: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const entries = manifests.map((manifest) => {
    const { annotations, ...metadata } = manifest.metadata;
    const { [KEEP]: _, ...kept } = (annotations ?? {}) as Readonly<Record<string, string>>;
    const given = { ...manifest, metadata: { ...metadata, ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }) } };
    return [`${manifest.kind} ${metadata.namespace ?? ""}/${metadata.name}`, given] as const;
  });
  return Object.fromEntries(entries);
}

/** The plain form, as it is read again from its text. */
function plainForm(operator: Operator, isChart: boolean): Readonly<Record<string, unknown>> {
  const all = parsed(documentsOf(inOrder(partsOf(operator), { withMonitoring: true })));
  return comparable(isChart ? all.filter(({ kind }) => kind !== "Namespace") : all);
}

const SCOPES: readonly (Partial<OperatorOptions> & { readonly scope: string })[] = [
  { scope: "all namespaces" },
  { scope: "two namespaces", namespaces: ["a", "b"] },
  { scope: "its own namespace", isNamespaced: true },
];
const MONITORED = ["--kube-version", "1.33.0", "--set", "monitoring.serviceMonitor=true,monitoring.alerts=true,monitoring.dashboard=true"];

describe.each(SCOPES)("for $scope", ({ namespaces, isNamespaced = false }) => {
  const options = { namespaces, isNamespaced };
  test.for(EXAMPLE_NAMES)("kustomize builds the plain form of the example %s", async (name) => {
    const operator = await exampleOperator(name, options);
    const folder = await written(operator, kustomizeLayout);
    const base = comparable(parsed(run(kustomize, "build", join(folder, "overlays", "production"))));
    const monitored = join(folder, "overlays", "monitored");
    await writeFolder(monitored, { generated: new Map(), once: new Map([["kustomization.yaml", WITH_MONITORING]]) }, [
      { path: "kustomization.yaml", state: "missing" },
    ]);
    expect(comparable(parsed(run(kustomize, "build", monitored)))).toEqual(plainForm(operator, false));
    expect(base).toEqual(comparable(parsed(documentsOf(inOrder(partsOf(operator), { withMonitoring: false })))));
    expect(run(kustomize, "build", join(folder, "overlays", "development"))).toContain("name: TREADLE_LOG_LEVEL");
  });

  test.for(EXAMPLE_NAMES)("helm renders the plain form of the example %s", async (name) => {
    const operator = await exampleOperator(name, options);
    const folder = await written(operator, helmLayout);
    for (const program of [helm4, helm3]) {
      const text = run(program, "template", "any", folder, "--namespace", operator.namespace, ...MONITORED);
      expect(comparable(parsed(text))).toEqual(plainForm(operator, true));
      expect(run(program, "lint", "--strict", folder, "--kube-version", "1.33.0", "--namespace", operator.namespace)).toContain(
        "0 chart(s) failed",
      );
    }
  });
});

const WITH_MONITORING = `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../../base]
components: [../../components/monitoring]
`;

test("the values of a chart decide image, scope, resources, variables and volumes", async () => {
  const folder = await written(await exampleOperator("simple"), helmLayout);
  const values = {
    image: { repository: "r.example.com/a", digest: "sha256:abc", pullPolicy: "Always", pullSecrets: [{ name: "pull" }] },
    watch: { namespaces: ["x", "y"] },
    resources: { limits: { memory: "1Gi" } },
    env: [{ name: "TREADLE_LOG_LEVEL", value: "debug" }],
    podAnnotations: { a: "b" },
    nodeSelector: { disk: "fast" },
    tolerations: [{ operator: "Exists" }],
    priorityClassName: "high",
    extraVolumes: [{ name: "tls", secret: { secretName: "tls" } }],
    extraVolumeMounts: [{ name: "tls", mountPath: "/tls" }],
    crds: { install: false },
    networkPolicy: { enabled: false },
  };
  writeFileSync(join(folder, "my-values.json"), JSON.stringify(values));
  const objects = parsed(run(helm4, "template", "any", folder, "--namespace", "ops", "-f", join(folder, "my-values.json")));
  expect(objects.filter(({ kind }) => kind === "Role").map(({ metadata }) => metadata.namespace)).toEqual(["x", "y"]);
  expect(new Set(objects.map(({ kind }) => kind))).toEqual(new Set(["ServiceAccount", "Role", "RoleBinding", "Service", "Deployment"]));
  const deployment = objects.find(({ kind }) => kind === "Deployment") as unknown as {
    readonly spec: { readonly template: { readonly metadata: object; readonly spec: { readonly containers: readonly [object] } & object } };
  };
  const { template } = deployment.spec;
  expect(template.metadata).toMatchObject({ annotations: { a: "b" } });
  expect(template.spec).toMatchObject({
    imagePullSecrets: [{ name: "pull" }],
    nodeSelector: { disk: "fast" },
    tolerations: [{ operator: "Exists" }],
    priorityClassName: "high",
    volumes: [{ name: "tmp" }, { name: "tls" }],
  });
  expect(template.spec.containers[0]).toMatchObject({
    image: "r.example.com/a@sha256:abc",
    imagePullPolicy: "Always",
    resources: { limits: { memory: "1Gi" } },
    env: [{ name: "POD_NAMESPACE" }, { name: "TREADLE_NAMESPACES", value: "x,y" }, { name: "TREADLE_LOG_LEVEL", value: "debug" }],
    volumeMounts: [{ name: "tmp" }, { name: "tls" }],
  });
});

test.for([
  { name: "a misspelt value", set: "replica=1", text: /replica/ },
  { name: "two replicas of a program without leader election", set: "replicas=2", text: /replicas/ },
])("$name is refused by the chart", async ({ set, text }) => {
  const folder = await written(await exampleOperator("simple"), helmLayout);
  expect(() => run(helm4, "template", "any", folder, "--set", set)).toThrow(text);
});

test("a chart with webhooks is installed into the namespace of the program only", async () => {
  const folder = await written(await exampleOperator("websites"), helmLayout);
  expect(() => run(helm4, "template", "any", folder, "--namespace", "other")).toThrow(/install the chart with --namespace ops/);
  const text = run(helm4, "template", "any", folder, "--namespace", "other", "--set", "webhooks.namespace=");
  expect(text).toContain("namespace: other");
  expect(text).not.toContain("namespace: ops");
});

test("helm install, upgrade and uninstall work, and the CRDs are upgraded and kept", { tags: ["memory"], timeout: 120_000 }, async () => {
  await using cluster = await startTestCluster({ time: "real", https: true, checkStatus: false });
  const kubeconfig = join(dir, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig);
  const folder = await written(await exampleOperator("simple"), helmLayout);
  // The server runs in this process, so the wait for the program must not block it.
  const helm = async (...args: readonly string[]): Promise<void> => {
    const child = spawn(helm4, [...args, "--namespace", "simple-system", "--kubeconfig", kubeconfig], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let err = "";
    child.stderr.on("data", (text) => void (err += String(text)));
    const code = await new Promise((done) => child.once("close", done));
    expect([code, err], args.join(" ")).toEqual([0, expect.any(String)]);
  };
  await helm("install", "simple", folder, "--create-namespace");
  const crd = "simples.examples.treadle.dev";
  expect((await cluster.get(CustomResourceDefinition, crd))?.metadata.annotations).toMatchObject({ [KEEP]: "keep" });
  expect((await cluster.get(Deployment, "simple-system/simple"))?.spec?.replicas).toBe(1);
  const file = join(folder, "templates", "crds.yaml");
  writeFileSync(file, run("sed", "s/description: .*/description: changed/", file));
  await helm("upgrade", "simple", folder, "--set", "watch.namespaces={simple-system}");
  const text = JSON.stringify((await cluster.get(CustomResourceDefinition, crd))?.spec);
  expect(text).toContain('"description":"changed"');
  expect(await cluster.get(ClusterRole, "simple")).toBeUndefined();
  await helm("uninstall", "simple");
  expect(await cluster.get(CustomResourceDefinition, crd)).toBeDefined();
  expect(await cluster.get(Deployment, "simple-system/simple")).toBeUndefined();
});
