/**
 * What users see of webhooks, from `kubectl apply` to the stored object: an operator with its own certificates, sockets, and a server in
 * memory; with TREADLE_TEST_KUBECONFIG a real one.
 */
import { defineResource, kind } from "@treadle/apimachinery";
import {
  ConfigMap,
  CustomResourceDefinition,
  Event,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import { connect } from "@treadle/client";
import { one } from "@treadle/reconcile";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { deny, webhooks } from "../src/index.ts";
import { newNames, startOperator, type TestOperator, useCluster } from "./cluster.ts";

const { group: GROUP, namespace: NAMESPACE } = newNames();
const cluster = useCluster({ group: GROUP, namespace: NAMESPACE });

const Website = defineResource({
  group: GROUP,
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().default(1),
        tls: z.object({ issuer: z.string() }).optional(),
        paths: z.array(z.string()).optional(),
      }),
      status: z.object({ url: z.string().optional() }),
    },
    v1alpha1: {
      spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }),
      status: z.object({ url: z.string().optional() }),
    },
  },
});
const Old = kind({ group: GROUP, version: "v1alpha1", kind: "Website", scope: "Namespaced" });

const website = webhooks(Website, {
  on: ["CREATE", "UPDATE", "DELETE"],
  reads: { limits: one(ConfigMap, () => "limits") },
  fill(spec, site) {
    spec.host ??= `${site.metadata.name}.example.com`;
  },
  problems(site, { old, operation, warn, isDryRun, reads }) {
    if (operation === "DELETE") return site.metadata.labels?.["keep"] === "yes" ? deny("remove the label keep first") : [];
    if (site.spec.replicas > 5) warn(`more than 5 replicas of ${site.metadata.name} cost extra${isDryRun ? ", if they were stored" : ""}`);
    const limit = Number(reads.limits?.data?.["replicas"] ?? 100);
    return [
      ...(site.spec.replicas > limit ? [{ path: "spec.replicas", message: `at most ${limit}` }] : []),
      ...(old && old.spec.host !== site.spec.host ? [{ path: "spec.host", message: "cannot change" }] : []),
    ];
  },
  convert: {
    v1alpha1: {
      up: ({ spec }) => ({ spec: { host: spec.domain, replicas: spec.size } }),
      down: ({ spec }) => ({ spec: { domain: spec.host, size: spec.replicas } }),
    },
  },
});

const warnings: string[] = [];
let user: Awaited<ReturnType<typeof connect>>;
let operator: TestOperator;

beforeAll(async () => {
  user = await connect({ config: cluster.config, fieldManager: "kubectl", onWarning: (warning) => void warnings.push(String(warning)) });
  operator = await startOperator(cluster, [website], { name: "stories-test" });
  // A server needs a moment until it knows new configurations.
  const refused = async (): Promise<unknown> =>
    await user.create(Website, site("probe", { replicas: 101 }), { dryRun: true }).then(
      () => 0,
      (error: unknown) => (error as { status?: number }).status,
    );
  await vi.waitUntil(async () => (await refused()) === 422, { timeout: 30_000 });
});
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await user.close();
});

const ref = (name: string): { readonly name: string; readonly namespace: string } => ({ name, namespace: NAMESPACE });
const site = (name: string, spec: object, metadata: object = {}): never => ({ metadata: { ...ref(name), ...metadata }, spec }) as never; // any spec

describe("an object of an own kind", () => {
  test("is completed at field level", async () => {
    const { spec } = await user.create(Website, site("filled", { paths: ["/"] }));
    expect(spec).toEqual({ host: "filled.example.com", replicas: 1, paths: ["/"] });
  });

  test("that breaks rules is refused with the field", async () => {
    await expect(user.create(Website, site("many", { replicas: 101 }))).rejects.toMatchObject({
      status: 422,
      causes: [{ field: "spec.replicas", message: "at most 100" }],
    });
    await user.create(Website, site("fixed", { host: "a.example.com" }));
    const patch = { type: "merge", body: { spec: { host: "b.example.com" } } } as const;
    await expect(user.patch(Website, ref("fixed"), patch)).rejects.toMatchObject({
      message: expect.stringContaining("spec.host: cannot change"),
    });
  });

  test("gets warnings, also in a dry run, which stores nothing", async () => {
    await user.create(Website, site("warned", { replicas: 6 }), { dryRun: true });
    await user.create(Website, site("warned", { replicas: 6 }));
    const given = warnings.filter((warning) => warning.includes("replicas of warned"));
    expect(given).toEqual([
      expect.stringContaining("more than 5 replicas of warned cost extra, if they were stored"),
      expect.stringContaining("more than 5 replicas of warned cost extra"),
    ]);
  });

  test("of the other version is reviewed as the hub, and keeps its version for its client", async () => {
    const stored = await user.create(Old, site("old", { size: 2 }));
    expect(stored.spec).toEqual({ domain: "old.example.com", size: 2 });
    await expect(user.create(Old, site("old-many", { size: 101 }))).rejects.toMatchObject({ status: 422 });
  });

  test("that a rule denies is not deleted, and is deleted after the label is removed", async () => {
    await user.create(Website, site("kept", {}, { labels: { keep: "yes" } }));
    await expect(user.delete(Website, ref("kept"))).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining("remove the label keep first"),
    });
    await user.patch(Website, ref("kept"), { type: "merge", body: { metadata: { labels: null } } });
    await user.delete(Website, ref("kept"));
  });

  test("is checked with the objects that the rules read", async () => {
    await user.create(ConfigMap, { metadata: ref("limits"), data: { replicas: "3" } });
    const create = async (): Promise<unknown> =>
      await user.create(Website, site("limited", { replicas: 4 }), { dryRun: true }).then(
        () => "accepted",
        (error: unknown) => String(error),
      );
    await expect.poll(create).toContain("at most 3");
    await user.delete(ConfigMap, ref("limits"));
    await expect.poll(create).toBe("accepted");
  });
});

describe("conversion", () => {
  test("gives every version of every object, and a list over both", async () => {
    await user.create(Website, site("both", { host: "x.example.com", replicas: 3, tls: { issuer: "le" } }));
    expect((await user.get(Old, ref("both")))?.spec).toEqual({ domain: "x.example.com", size: 3 });
    const { items } = await user.list(Old, { namespace: NAMESPACE });
    expect(items.find(({ metadata }) => metadata.name === "both")).toMatchObject({ spec: { domain: "x.example.com", size: 3 } });
  });

  test("keeps what a client of the old version cannot see, through an update and an apply", async () => {
    await user.create(Website, site("kept-fields", { replicas: 3, tls: { issuer: "le" }, paths: ["/a"] }));
    await user.patch(Old, ref("kept-fields"), { type: "merge", body: { spec: { size: 4 } } });
    expect((await user.get(Website, ref("kept-fields")))?.spec).toMatchObject({ replicas: 4, tls: { issuer: "le" }, paths: ["/a"] });
    await user.apply(Old, { metadata: ref("kept-fields"), spec: { size: 5 } }, { force: true });
    expect((await user.get(Website, ref("kept-fields")))?.spec).toMatchObject({ replicas: 5, tls: { issuer: "le" }, paths: ["/a"] });
  });
});

test("the changes of the certificates are events of their Secret", async () => {
  const reasons = async (): Promise<readonly (string | undefined)[]> =>
    (await cluster.admin.list(Event, { namespace: NAMESPACE })).items
      .filter(({ regarding }) => regarding?.kind === "Secret" && regarding.uid !== undefined)
      .map(({ reason }) => reason);
  await expect.poll(reasons).toEqual(expect.arrayContaining(["AuthorityCreated", "CertificateIssued"]));
});

test("the CA is injected by the operator, and a configuration that is deleted does not make it unready", async () => {
  const config = await cluster.admin.get(ValidatingWebhookConfiguration, { name: "stories-test" });
  expect(config?.webhooks?.[0]?.clientConfig.caBundle).toBeTruthy();
  const crd = await cluster.admin.get(CustomResourceDefinition, { name: `websites.${GROUP}` });
  expect(crd?.spec.conversion?.webhook?.clientConfig?.caBundle).toBeTruthy();
  const readyz = `${operator.manager.addresses.probes?.url}/readyz?verbose`;
  expect(await (await fetch(readyz)).text()).toContain("[+]webhooks ok");
  await cluster.admin.delete(MutatingWebhookConfiguration, { name: "stories-test" });
  const missing = "MutatingWebhookConfiguration stories-test does not exist";
  await expect.poll(() => operator.lines.some(({ fields }) => String(fields["problem"]).includes(missing))).toBe(true);
  expect(await (await fetch(readyz)).text()).toContain("[+]webhooks ok");
});
