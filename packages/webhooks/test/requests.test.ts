/** Stories of requests that are more than a write of an object: subresources, connections, and applies of each version. */
import { defineResource, type Kind } from "@treadle/apimachinery";
import { Deployment, Pod, Service } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { deny, webhooks } from "../src/index.ts";
import { outcomeOf } from "./outcome.ts";

interface Sent {
  readonly body?: object;
  readonly contentType?: string;
}

/** Sends what a client without types sends. Returns the status and the parsed answer. */
async function send(
  { client }: TestCluster,
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  { body, contentType = "application/json" }: Sent = {},
): Promise<{ readonly status: number; readonly answer: Record<string, never> }> {
  const headers = { accept: "application/json", ...(body === undefined ? {} : { "content-type": contentType }) };
  const answer = await client.raw({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { status: answer.status, answer: JSON.parse(answer.body ?? "{}") };
}

const MERGE = "application/merge-patch+json";
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "b" }] } };
const deployment = (name: string, replicas: number): never =>
  ({
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: { matchLabels: { app: "a" } }, template },
  }) as never; // a whole Deployment
const pod = (name: string): never => ({ metadata: { name, namespace: "default" }, spec: template.spec }) as never; // a whole Pod
const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

describe("a subresource", () => {
  test("scale is completed and refused as the Scale of the object", async () => {
    const scaled = webhooks(Deployment, {
      subresources: ["scale"],
      fill(spec, _, { subresource }) {
        if (subresource === "scale" && spec.replicas === 7) spec.replicas = 2;
      },
      problems: (object, { old, subresource }) =>
        subresource === "scale" && (object.spec?.replicas ?? 0) > 5
          ? [{ path: "spec.replicas", message: `at most 5, and ${object.kind} ${old?.metadata.name} has ${old?.spec?.replicas}` }]
          : [],
    });
    await using cluster = await startTestCluster({ webhooks: [scaled] });
    await cluster.client.create(Deployment, deployment("a", 1));
    const scale = async (replicas: number): Promise<{ readonly status: number; readonly answer: Record<string, never> }> =>
      await send(cluster, "PATCH", `${DEPLOYMENTS}/a/scale`, { body: { spec: { replicas } }, contentType: MERGE });
    expect(await scale(6)).toMatchObject({
      status: 422,
      answer: { details: { causes: [{ field: "spec.replicas", message: "at most 5, and Scale a has 1" }] } },
    });
    expect(await scale(7)).toMatchObject({ status: 200, answer: { kind: "Scale", spec: { replicas: 2 } } });
    expect((await cluster.get(Deployment, "a"))?.spec?.replicas).toBe(2);
  });

  test("scale that is not declared is not reviewed", async () => {
    const scaled = webhooks(Deployment, { problems: ({ spec }) => ((spec?.replicas ?? 0) > 5 ? ["at most 5"] : []) });
    await using cluster = await startTestCluster({ webhooks: [scaled] });
    await cluster.client.create(Deployment, deployment("a", 1));
    const body = { spec: { replicas: 6 } };
    expect((await send(cluster, "PATCH", `${DEPLOYMENTS}/a/scale`, { body, contentType: MERGE })).status).toBe(200);
  });

  test("scale of an own kind is reviewed", async () => {
    const Farm = defineResource({
      group: "farms.example.com",
      kind: "Farm",
      scope: "Namespaced",
      version: "v1",
      spec: z.object({ replicas: z.int32().default(1) }),
      status: z.object({ replicas: z.int32() }),
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    });
    const farm = webhooks(Farm, { subresources: ["scale"], problems: ({ spec }) => (spec.replicas > 5 ? ["at most 5"] : []) });
    await using cluster = await startTestCluster({ webhooks: [farm] });
    await cluster.create(Farm, { metadata: { name: "a" }, spec: {} });
    const path = "/apis/farms.example.com/v1/namespaces/default/farms/a/scale";
    const scale = async (replicas: number): Promise<number> =>
      (await send(cluster, "PATCH", path, { body: { spec: { replicas } }, contentType: MERGE })).status;
    expect([await scale(6), await scale(4)]).toEqual([422, 200]);
    expect((await cluster.get(Farm, "a"))?.spec.replicas).toBe(4);
  });

  test("status of a kind of others is reviewed when it is declared", async () => {
    const seen: unknown[] = [];
    const addresses = webhooks(Service, {
      subresources: ["status"],
      problems(object, { subresource }) {
        seen.push(subresource);
        const { ingress = [] } = object.status?.loadBalancer ?? {};
        return ingress.some(({ ip }) => ip === "10.0.0.1") ? [{ path: "status.loadBalancer.ingress[0].ip", message: "is taken" }] : [];
      },
    });
    await using cluster = await startTestCluster({ webhooks: [addresses] });
    const spec = { type: "LoadBalancer", ports: [{ port: 80 }] };
    await cluster.client.create(Service, { metadata: { name: "a", namespace: "default" }, spec });
    const write = (ip: string): Promise<unknown> =>
      cluster.client.patch(
        Service,
        { name: "a", namespace: "default" },
        { type: "merge", body: { status: { loadBalancer: { ingress: [{ ip }] } } } },
        { subresource: "status" },
      );
    expect(await outcomeOf(write("10.0.0.1"))).toMatch(/^422 .*status.loadBalancer.ingress\[0\].ip: is taken/);
    expect(await outcomeOf(write("10.0.0.2"))).toBe("accepted");
    expect(seen).toContain("status");
  });

  test("eviction and binding are reviewed as what the client posts", async () => {
    const kept = webhooks(Pod, {
      on: ["CREATE"],
      subresources: ["eviction", "binding"],
      problems: (object, { subresource, operation, isDryRun }) =>
        subresource === "" || isDryRun ? [] : deny(`${operation} of ${object.kind} ${object.metadata.namespace}/${object.metadata.name}`),
    });
    await using cluster = await startTestCluster({ webhooks: [kept] });
    await cluster.client.create(Pod, pod("a"));
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } };
    expect(await send(cluster, "POST", `${PODS}/a/eviction`, { body: eviction })).toMatchObject({
      status: 403,
      answer: { message: expect.stringContaining("CREATE of Eviction default/a") },
    });
    expect((await send(cluster, "POST", `${PODS}/a/eviction?dryRun=All`, { body: eviction })).status).toBe(201);
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "n" } };
    expect(await send(cluster, "POST", `${PODS}/a/binding`, { body: binding })).toMatchObject({
      status: 403,
      answer: { message: expect.stringContaining("CREATE of Binding default/a") },
    });
    expect((await cluster.get(Pod, "a"))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

test("a connection is reviewed with its options and the name of its pod", async () => {
  const seen: string[] = [];
  const closed = webhooks(Pod, {
    on: ["CONNECT"],
    subresources: ["exec", "attach", "portforward"],
    problems(object, { operation, subresource, user, old }) {
      const { command } = object as { readonly command?: readonly string[] }; // PodExecOptions
      seen.push([operation, subresource, object.kind, object.metadata.name, command?.join(" ") ?? "-", old === undefined].join(" "));
      return command?.[0] === "ls" ? [] : deny(`not for ${user.username === "" ? "anonymous" : "you"}`);
    },
  });
  await using cluster = await startTestCluster({ webhooks: [closed] });
  await cluster.client.create(Pod, pod("a"));
  for (const path of ["exec?command=sh&command=-c&stdin=true", "attach?container=a&stdout=true", "portforward?ports=80"])
    expect(await send(cluster, "POST", `${PODS}/a/${path}`)).toMatchObject({
      status: 403,
      answer: { message: expect.stringContaining("not for you") },
    });
  const { status, answer } = await send(cluster, "POST", `${PODS}/a/exec?command=ls&stdout=true`);
  // The test clusters have no kubelet to connect to.
  expect({ isFailure: status >= 400, message: String(answer["message"]) }).toEqual({
    isFailure: true,
    message: expect.not.stringContaining("denied"),
  });
  expect(seen).toEqual([
    "CONNECT exec PodExecOptions a sh -c true",
    "CONNECT attach PodAttachOptions a - true",
    "CONNECT portforward PodPortForwardOptions a - true",
    "CONNECT exec PodExecOptions a ls true",
  ]);
});

const Website = defineResource({
  group: "applied.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: {
    v1: {
      spec: z.object({
        host: z.string().optional(),
        replicas: z.int32().default(1),
        tls: z.object({ issuer: z.string() }).optional(),
      }),
    },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), size: z.int32().default(1) }) },
  },
});
const Alpha = Website.versions.v1alpha1;

const website = webhooks(Website, {
  fill(spec, site) {
    spec.host ??= `${site.metadata.name}.example.com`;
  },
  problems: ({ spec }) => (spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []),
  convert: {
    v1alpha1: {
      up: ({ spec }) => ({ spec: { host: spec.domain, replicas: spec.size } }),
      down: ({ spec }) => ({ spec: { domain: spec.host, size: spec.replicas } }),
    },
  },
});

/** The managers of the spec of an object, with the version and the fields of each. */
async function ownersOf({ client }: TestCluster, kind: Kind, name: string): Promise<readonly string[]> {
  const object: { readonly metadata: { readonly managedFields?: readonly Owner[] } } | undefined = await client.get(kind, {
    name,
    namespace: "default",
  });
  return (object?.metadata.managedFields ?? [])
    .flatMap(({ manager, operation, apiVersion, fieldsV1 }) => {
      const fields = Object.keys((fieldsV1 as Fields)["f:spec"] ?? {}).filter((field) => field !== ".");
      return fields.length === 0 ? [] : [`${manager} ${operation} ${apiVersion?.split("/")[1]} ${fields.toSorted().join(" ")}`];
    })
    .toSorted();
}

interface Owner {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly fieldsV1?: unknown;
}
type Fields = Readonly<Record<string, object | undefined>>;

describe("kubectl apply", () => {
  const at = { name: "a", namespace: "default" };

  test("server-side in each version keeps the fields and the owners of the other", async () => {
    await using cluster = await startTestCluster({ webhooks: [website] });
    const { client } = cluster;
    await client.apply(Website, { metadata: at, spec: { host: "x", tls: { issuer: "ca" } } }, { fieldManager: "new" });
    await client.apply(Alpha, { metadata: at, spec: { size: 3 } }, { fieldManager: "old" });
    const owners = ["new Apply v1 f:host f:tls", "old Apply v1alpha1 f:size"];
    expect(await ownersOf(cluster, Website, "a")).toEqual(owners);
    expect(await ownersOf(cluster, Alpha, "a")).toEqual(owners);
    expect((await client.get(Website, at))?.spec).toEqual({ host: "x", replicas: 3, tls: { issuer: "ca" } });
    // Again, with nothing new.
    await client.apply(Alpha, { metadata: at, spec: { size: 3 } }, { fieldManager: "old" });
    await client.apply(Website, { metadata: at, spec: { host: "x", tls: { issuer: "ca" } } }, { fieldManager: "new" });
    expect(await ownersOf(cluster, Website, "a")).toEqual(owners);
  });

  test("server-side conflicts with an owner in another version, and takes the field over by force", async () => {
    await using cluster = await startTestCluster({ webhooks: [website] });
    const { client } = cluster;
    await client.apply(Alpha, { metadata: at, spec: { domain: "x", size: 3 } }, { fieldManager: "old" });
    const apply = (force: boolean): Promise<unknown> =>
      client.apply(Website, { metadata: at, spec: { replicas: 4 } }, { fieldManager: "new", force });
    expect(await outcomeOf(apply(false))).toMatch(/^409 .*conflict with "old": \.spec\.size/);
    expect(await outcomeOf(apply(true))).toBe("accepted");
    expect(await ownersOf(cluster, Website, "a")).toEqual(["new Apply v1 f:replicas", "old Apply v1alpha1 f:domain"]);
    expect((await client.get(Alpha, at))?.spec).toEqual({ domain: "x", size: 4 });
  });

  test("server-side by one manager in another version moves its fields to that version", async () => {
    await using cluster = await startTestCluster({ webhooks: [website] });
    const { client } = cluster;
    await client.apply(Alpha, { metadata: at, spec: { domain: "x", size: 3 } }, { fieldManager: "kubectl" });
    await client.apply(Website, { metadata: at, spec: { replicas: 5, tls: { issuer: "ca" } } }, { fieldManager: "kubectl" });
    const owners = await ownersOf(cluster, Website, "a");
    expect(owners).toContain("kubectl Apply v1 f:replicas f:tls");
    expect(owners.filter((owner) => owner.includes("v1alpha1"))).toEqual([]);
    // The host of the first manifest was removed, so it is completed again.
    expect((await client.get(Website, at))?.spec).toEqual({ host: "a.example.com", replicas: 5, tls: { issuer: "ca" } });
  });

  test("server-side in another version leaves a number that the manifest no longer has, when its field has a default", async () => {
    await using cluster = await startTestCluster({ webhooks: [website] });
    const { client } = cluster;
    await client.apply(Alpha, { metadata: at, spec: { domain: "x", size: 3 } }, { fieldManager: "kubectl" });
    await client.apply(Website, { metadata: at, spec: { host: "y", tls: { issuer: "ca" } } }, { fieldManager: "kubectl" });
    // The defaults of a version do not count as changes of a client.
    expect((await client.get(Website, at))?.spec).toEqual({ host: "y", replicas: 3, tls: { issuer: "ca" } });
  });

  test("server-side that breaks a rule is refused in each version, and stores nothing", async () => {
    await using cluster = await startTestCluster({ webhooks: [website] });
    const { client } = cluster;
    await client.apply(Website, { metadata: at, spec: { replicas: 3 } }, { fieldManager: "new" });
    const options = { fieldManager: "old", force: true };
    expect(await outcomeOf(client.apply(Alpha, { metadata: at, spec: { size: 11 } }, options))).toMatch(/^422 .*at most 10/);
    expect(await outcomeOf(client.apply(Website, { metadata: at, spec: { replicas: 11 } }, options))).toMatch(/^422 .*at most 10/);
    expect(await ownersOf(cluster, Website, "a")).toEqual(expect.arrayContaining(["new Apply v1 f:replicas"]));
    expect((await client.get(Website, at))?.spec.replicas).toBe(3);
  });

  test("client-side in each version patches what changed, and keeps the rest", async () => {
    await using cluster = await startTestCluster({ webhooks: [website] });
    const { client } = cluster;
    const note = "kubectl.kubernetes.io/last-applied-configuration";
    const manager = { fieldManager: "kubectl-client-side-apply" };
    const applied = (version: string, spec: object): Readonly<Record<string, string>> => ({
      [note]: `${JSON.stringify({ apiVersion: `applied.example.com/${version}`, kind: "Website", metadata: { annotations: {}, ...at }, spec })}\n`,
    });
    await client.create(Alpha, { metadata: { ...at, annotations: applied("v1alpha1", { size: 3 }) }, spec: { size: 3 } }, manager);
    await client.patch(Website, at, { type: "merge", body: { spec: { tls: { issuer: "ca" } } } }, { fieldManager: "other" });
    // kubectl compares the last configuration, the live object and the manifest, and sends the difference.
    const inAlpha = { metadata: { annotations: applied("v1alpha1", { size: 4 }) }, spec: { size: 4 } };
    await client.patch(Alpha, at, { type: "merge", body: inAlpha }, manager);
    const spec = { host: "y", size: null, replicas: 5 };
    const inHub = { metadata: { annotations: applied("v1", { host: "y", replicas: 5 }) }, spec };
    await client.patch(Website, at, { type: "merge", body: inHub }, manager);
    const hub = await client.get(Website, at);
    expect(hub?.spec).toEqual({ host: "y", replicas: 5, tls: { issuer: "ca" } });
    expect(JSON.parse(hub?.metadata.annotations?.[note] ?? "")).toMatchObject({ spec: { host: "y", replicas: 5 } });
    expect((await client.get(Alpha, at))?.spec).toEqual({ domain: "y", size: 5 });
    const owners = await ownersOf(cluster, Website, "a");
    expect(owners).toEqual(expect.arrayContaining(["kubectl-client-side-apply Update v1 f:host f:replicas", "other Update v1 f:tls"]));
  });
});
