/** Every example is generated, applied, and run under its generated rights, on the server in memory and on the real one. */
import type { Kind } from "@treadle/apimachinery";
import * as kinds from "@treadle/apimachinery/kinds";
import type { PolicyRule, RbacManifest } from "@treadle/controller";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import type { Manifest } from "../src/generate/manifest.ts";
import type { Operator } from "../src/generate/operator.ts";
import { inOrder, partsOf } from "../src/generate/parts.ts";
import { documentsOf } from "../src/generate/yaml.ts";
import { valueAt } from "../src/json.ts";
import { EXAMPLE_NAMES, exampleOperator, filesOf, parsed } from "./generated-examples.ts";

const isRight = ({ kind }: Manifest): boolean => /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind);

/** What a user applies: the text of the command, parsed. */
function manifestsOf(operator: Operator): readonly Manifest[] {
  return parsed(documentsOf(inOrder(partsOf(operator), { withMonitoring: false })));
}

test("there are examples", () => expect(EXAMPLE_NAMES.length).toBeGreaterThan(12));

test.for(EXAMPLE_NAMES)("the manifests of the example %s are accepted, and its rights are enough", { timeout: 120_000 }, async (name) => {
  const operator = await exampleOperator(name);
  const manifests = manifestsOf(operator);
  await using cluster = await startTestCluster({ checkStatus: false });
  for (const manifest of manifests) if (!isRight(manifest)) await cluster.apply(manifest);
  await removeWebhooks(cluster, manifests);
  const { handlers, runnables } = operator.rights;
  // Its server would listen, and wait for the API server to call it by a Service.
  const started = runnables.filter(({ name: runnable }) => runnable !== "webhooks");
  const rbac = manifests.filter(isRight) as unknown as readonly RbacManifest[]; // rbacManifests() made them
  const { namespaces } = operator;
  const running = await cluster.start(handlers, { rbac, runnables: started, ...(namespaces === undefined ? {} : { namespaces }) });
  // Its namespace enforces the Pod Security Standard "restricted", which the real server checks.
  await cluster.client.create(kinds.Pod, podOf(manifests), { dryRun: true });
  cluster.requests.clear();
  const own = new Map(handlers.map(({ name: handler, kind }) => [kind.kind, handler]));
  const samples = [...filesOf(name)].filter(([file]) => /^(?!rbac|install|refused|bad)/.test(file)).flatMap(([, objects]) => objects);
  for (const sample of samples) await cluster.apply(sample);
  await running.settled({ horizonMs: 0 }).catch(() => undefined);
  const seen = new Set(running.passes.map(({ handler }) => handler));
  expect(samples.flatMap(({ kind }) => own.get(kind) ?? []).filter((handler) => !seen.has(handler))).toEqual([]);
  expect(cluster.requests.filter().filter(({ status }) => status === 403)).toEqual([]);
});

test.for(EXAMPLE_NAMES)("the rights of the example %s are those that its own test proves to be necessary", async (name) => {
  const proven = filesOf(name).get("rbac.yaml") ?? filesOf(name).get("install.yaml");
  if (proven === undefined) return;
  const namespaces = proven.some(({ kind, metadata }) => kind === "Role" && metadata.name === name) ? ["default"] : undefined;
  const { rbac } = partsOf(await exampleOperator(name, { namespaces }));
  expect(rightsIn(rbac.map(({ manifest }) => manifest))).toEqual(rightsIn(proven));
});

test.for(EXAMPLE_NAMES)("the CRDs of the example %s describe what its schemas describe", async (name) => {
  const { crds } = partsOf(await exampleOperator(name));
  expect(crds.length).toBeGreaterThan(0);
  const described = crds.filter(({ manifest }) => JSON.stringify(manifest).includes('"description"'));
  expect(described).toEqual(crds);
});

/** The rights in roles, one text for each. The order of rules and resources follows that of the handlers. */
function rightsIn(manifests: readonly Manifest[]): readonly string[] {
  return manifests
    .filter(({ kind }) => /^(Cluster)?Role$/.test(kind))
    .flatMap(({ kind, rules }) =>
      (rules as readonly PolicyRule[]).flatMap(({ apiGroups, resources, verbs, resourceNames = [] }) =>
        resources.map((resource) => `${kind}: ${verbs.join()} ${resource} of ${apiGroups.join()} ${resourceNames.join()}`),
      ),
    )
    .toSorted();
}

/** The pod of the Deployment. */
function podOf(manifests: readonly Manifest[]): {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: never;
} {
  const deployment = manifests.find(({ kind }) => kind === "Deployment");
  const { spec } = valueAt(deployment, "spec", "template") as { readonly spec: never }; // every Deployment has a template
  return { metadata: { name: "probe", namespace: deployment?.metadata.namespace ?? "" }, spec };
}

/** Nobody answers the webhooks here: the example has tests of them. */
async function removeWebhooks(cluster: TestCluster, manifests: readonly Manifest[]): Promise<void> {
  for (const { kind, metadata } of manifests)
    for (const each of [kinds.MutatingWebhookConfiguration, kinds.ValidatingWebhookConfiguration] as readonly Kind[])
      if (each.kind === kind) await cluster.client.delete(each, metadata);
  const body = { spec: { conversion: { strategy: "None", webhook: null } } };
  for (const { kind, metadata, ...rest } of manifests)
    if (kind === "CustomResourceDefinition" && JSON.stringify(rest).includes('"strategy":"Webhook"'))
      await cluster.client.patch(kinds.CustomResourceDefinition, metadata, { type: "merge", body });
}
