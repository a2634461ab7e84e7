import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isLocalClusterError, type LocalCluster, startLocalCluster } from "../src/index.ts";
import type { Json } from "./harness.ts";

let dir = "";
let kubeconfig = "";
let cluster: LocalCluster | undefined;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "local-cluster-"));
  kubeconfig = join(dir, "kubeconfig");
});
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
  await rm(dir, { recursive: true });
});

async function manifests(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(dir, "manifests");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function get(path: string): Promise<Json> {
  const response = await cluster?.server.handle({ method: "GET", path, headers: {} });
  return JSON.parse(response?.body ?? "{}") as Json;
}

async function failure(options: Parameters<typeof startLocalCluster>[0]): Promise<{ readonly code: string; readonly message: string }> {
  const error: unknown = await startLocalCluster(options).then(
    async (started) => await started.close(),
    (reason: unknown) => reason,
  );
  if (!isLocalClusterError(error)) throw new Error(`another failure, or none: ${String(error)}`);
  return { code: error.code, message: error.message };
}

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`;
const THING = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t, namespace: shop}\nspec: {a: 1}\n";
const NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
const MAP = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

test("manifests can have any order, and can be in several documents, lists and folders", async () => {
  const list = JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "of-a-list" } }],
  });
  const folder = await manifests({
    "a.yaml": `---\n# first\n${THING}--- # second\n${NAMESPACE}---\n`,
    "deep/er/z.yml": CRD,
    "b.json": list,
    "kustomization.yaml": "kind: Kustomization\n",
    "README.md": "no manifest",
  });
  cluster = await startLocalCluster({ kubeconfig, manifests: folder });
  expect(cluster.manifestCount).toBe(4);
  expect((await get("/apis/example.com/v1/namespaces/shop/things/t"))["spec"]).toEqual({ a: 1 });
  expect((await get("/api/v1/namespaces/default/configmaps/of-a-list"))["kind"]).toBe("ConfigMap");
});

test("an existing object is merged with its manifest", async () => {
  const folder = await manifests({ "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: default, labels: {mine: really}}\n" });
  cluster = await startLocalCluster({ kubeconfig, manifests: folder });
  expect((await get("/api/v1/namespaces/default"))["metadata"].labels).toMatchObject({ mine: "really" });
});

test("each namespace has its service account and the server's authority, also a later one", async () => {
  cluster = await startLocalCluster({ kubeconfig });
  await cluster.server.handle({
    method: "POST",
    path: "/api/v1/namespaces",
    headers: {},
    body: JSON.stringify({ metadata: { name: "later" } }),
  });
  for (const namespace of ["default", "kube-system", "later"]) {
    await expect.poll(async () => (await get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`))["kind"]).toBe("ServiceAccount");
    await expect.poll(async () => (await get(`/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`))["kind"]).toBe("ConfigMap");
  }
});

test("the range of Services exists and is ready", async () => {
  cluster = await startLocalCluster({ kubeconfig });
  const range = await get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
  expect(range).toMatchObject({ spec: { cidrs: ["10.96.0.0/12"] }, status: { conditions: [{ type: "Ready", status: "True" }] } });
});

test("the default objects of a namespace are restored when they are deleted or changed", async () => {
  cluster = await startLocalCluster({ kubeconfig });
  const { server } = cluster;
  const path = "/api/v1/namespaces/default/configmaps/kube-root-ca.crt";
  const content = async (): Promise<unknown> => ((await get(path))["data"] as { readonly [key: string]: unknown } | undefined)?.["ca.crt"];
  await expect.poll(content).toMatch("BEGIN CERTIFICATE");
  const authority = await content();
  await server.handle({ method: "DELETE", path, headers: {} });
  await expect.poll(content).toBe(authority);
  const headers = { "content-type": "application/merge-patch+json" };
  await server.handle({ method: "PATCH", path, headers, body: JSON.stringify({ data: { "ca.crt": "other", more: "x" } }) });
  await expect.poll(content).toBe(authority);
  const account = "/api/v1/namespaces/default/serviceaccounts/default";
  await server.handle({ method: "DELETE", path: account, headers: {} });
  await expect.poll(async () => (await get(account))["kind"]).toBe("ServiceAccount");
});

test("only the owner can read the kubeconfig, and it is removed with the cluster", async () => {
  await writeFile(kubeconfig, "", { mode: 0o644 });
  await chmod(kubeconfig, 0o644);
  cluster = await startLocalCluster({ kubeconfig });
  expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
  expect(await readFile(kubeconfig, "utf8")).toContain(cluster.url);
  await cluster.close();
  await expect(stat(kubeconfig)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a cluster has the Service of its API server, and without controllers none of their objects", async () => {
  cluster = await startLocalCluster({ kubeconfig, controllers: false });
  const { spec } = await get("/api/v1/namespaces/default/services/kubernetes");
  expect(spec).toMatchObject({
    clusterIP: "10.96.0.1",
    ports: [{ name: "https", port: 443, targetPort: Number(new URL(cluster.url).port) }],
  });
  expect(await get("/api/v1/serviceaccounts")).toMatchObject({ items: [] });
});

test("the kubeconfig of a later cluster is not removed by an earlier one", async () => {
  const first = await startLocalCluster({ kubeconfig });
  cluster = await startLocalCluster({ kubeconfig });
  await first.close();
  expect(await readFile(kubeconfig, "utf8")).toContain(cluster.url);
});

test("a kubeconfig of other clusters is not overwritten", async () => {
  const mine = "apiVersion: v1\nkind: Config\nclusters: [{name: production, cluster: {server: https://example.com}}]\n";
  await writeFile(kubeconfig, mine);
  expect(await failure({ kubeconfig })).toMatchObject({ code: "ERR_KUBECONFIG", message: expect.stringContaining(kubeconfig) });
  expect(await readFile(kubeconfig, "utf8")).toBe(mine);
});

test("a port in use and an unwritable file are named in the error, and nothing is left running", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => void taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo; // it listens on TCP
  expect(await failure({ kubeconfig, port })).toMatchObject({ code: "ERR_PORT", message: expect.stringContaining(`port ${port}`) });
  taken.close();
  const nowhere = join(dir, "no", "such", "folder");
  expect(await failure({ kubeconfig: nowhere })).toMatchObject({ code: "ERR_KUBECONFIG", message: expect.stringContaining(nowhere) });
  expect(await failure({ kubeconfig: dir })).toMatchObject({ code: "ERR_KUBECONFIG", message: expect.stringContaining("folder") });
});

test.for<readonly [problem: string, text: string, said: readonly string[]]>([
  ["is no YAML", `${MAP("a")}---\na: [\n`, ["x.yaml, document 2"]],
  ["is no object", `${MAP("a")}---\n- a\n`, ["x.yaml, document 2"]],
  ["has no kind", "metadata: {name: a}\n", ["x.yaml", "kind"]],
  ["is refused", `---\n${MAP("a")}---\n${MAP("B")}`, ["x.yaml, document 2", "ConfigMap B", "lowercase"]],
  ["is of an unknown kind", THING, ["x.yaml", "Thing t", "CRD"]],
  ["is in no namespace", `${CRD}---\n${THING}`, ["x.yaml, document 2", 'namespaces "shop" not found']],
])("a manifest that %s is named with file and document", async ([, text, said]) => {
  const folder = await manifests({ "x.yaml": text });
  const { code, message } = await failure({ kubeconfig, manifests: folder });
  expect(code).toBe("ERR_MANIFEST");
  for (const part of said) expect(message).toContain(part);
});

const SCRIPT = fileURLToPath(new URL("../scripts/cluster.ts", import.meta.url));

function run(...args: readonly string[]): {
  readonly child: ReturnType<typeof spawn>;
  readonly ended: Promise<readonly [number | null, string]>;
} {
  const child = spawn(process.execPath, ["--conditions=@treadle/source", SCRIPT, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
  return { child, ended: new Promise((resolve) => void child.once("close", (code) => resolve([code, output]))) };
}

test.for([
  "",
  "--port 70000 --kubeconfig x",
  "--port a --kubeconfig x",
  "--what",
  "--kubeconfig x more",
  "--kubeconfig x --crds a --manifests a",
])("wrong arguments end with 2 and the usage: %j", async (line) => {
  const [code, output] = await run(...line.split(" ").filter((word) => word !== "")).ended;
  expect(code).toBe(2);
  expect(output).toContain("usage: npm run cluster");
});

test("the command reports in one line that it is ready, and ends on a signal", async () => {
  const { child, ended } = run("--port", "0", "--kubeconfig", kubeconfig);
  await new Promise((resolve) => void child.stdout?.once("data", resolve));
  expect(await readFile(kubeconfig, "utf8")).toContain("https://127.0.0.1:");
  child.kill("SIGTERM");
  const [code, output] = await ended;
  expect(code).toBe(0);
  expect(output.split("\n")).toEqual([
    expect.stringContaining("ready at https://127.0.0.1:"),
    expect.stringContaining("ended by SIGTERM"),
    "",
  ]);
});

test.for(["--crds", "--manifests"])("the command creates the objects of the folder that %s names", async (option) => {
  const folder = await manifests({ "a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n" });
  const { child, ended } = run("--kubeconfig", kubeconfig, option, folder);
  await new Promise((resolve) => void child.stdout?.once("data", resolve));
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, expect.stringContaining(`with 1 objects of ${folder}`)]);
});
