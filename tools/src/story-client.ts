/**
 * The cluster's side of the story of a new user (smoke-story.ts), for a machine without kubectl. The story copies this file into the project,
 * so that it runs with the packages from the tarballs:
 *
 *     node story-client.ts serve KUBECONFIG                    an in-memory cluster that demands rights, until SIGTERM
 *     node story-client.ts apply FOLDER                        as kubectl apply --server-side
 *     node story-client.ts token NAMESPACE ACCOUNT KUBECONFIG  writes the kubeconfig of a ServiceAccount
 *     node story-client.ts wait KIND NAME TEXT                 until the object in the namespace default has the text
 *     node story-client.ts delete FOLDER                       deletes objects, and waits until they and what they own no longer exist
 *
 * All but `serve` use KUBECONFIG.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isApiError, type KubernetesObject } from "@treadle/apimachinery";
import { startLocalCluster } from "@treadle/apiserver";
import { inOrder, readManifests } from "@treadle/apiserver/unstable/manifests";
import { type Client, connect, discovery } from "@treadle/client";
import { parse, stringify } from "yaml";

const LIMIT_MS = 30_000;
const NAMESPACE = "default";

const [command = "", ...words] = process.argv.slice(2);
const [first = "", second = "", third = ""] = words;
if (command === "serve") await serve(first);
else {
  const client = await connect({ fieldManager: "kubectl" });
  try {
    if (command === "apply") await apply(client, first);
    else if (command === "token") await token(client, { namespace: first, account: second, file: third });
    else if (command === "wait") await waitFor(client, { kind: first, name: second, text: third });
    else if (command === "gone") await waitFor(client, { kind: first, name: second, text: undefined });
    else if (command === "delete") await remove(client, first);
    else throw new Error(`story-client: there is no command "${command}"`);
  } finally {
    await client.close();
  }
}

async function serve(kubeconfig: string): Promise<void> {
  const cluster = await startLocalCluster({ kubeconfig, server: { workloads: true, authorization: "RBAC" } });
  console.log(`ready at ${cluster.url}`);
  process.once("SIGTERM", () => void cluster.close());
}

async function objectsIn(folder: string): Promise<readonly KubernetesObject[]> {
  // A manifest has apiVersion, kind and metadata.
  return inOrder(await readManifests(folder)).map(({ object }) => object as unknown as KubernetesObject);
}

async function apply(client: Client, folder: string): Promise<void> {
  for (const object of await objectsIn(folder))
    await eventually(`apply ${object.kind} ${object.metadata.name}`, async () => {
      // A new CRD is served a moment later.
      const kind = await discovery(client).kindOf(object);
      await client.apply(kind, placed(object, kind.scope), { force: true });
      return true;
    });
}

async function token(client: Client, { namespace, account, file }: Account): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} });
  const answer = await client.raw({ method: "POST", path, headers: { "content-type": "application/json" }, body });
  const { status }: { status: { token: string } } = JSON.parse(answer.body ?? "");
  const config = parse(readFileSync(process.env["KUBECONFIG"] ?? "", "utf8"));
  const clusters = config.clusters.slice(0, 1);
  const contexts = [{ name: account, context: { cluster: clusters[0].name, user: account, namespace } }];
  const users = [{ name: account, user: { token: status.token } }];
  writeFileSync(file, stringify({ apiVersion: "v1", kind: "Config", "current-context": account, clusters, contexts, users }), {
    mode: 0o600,
  });
}

interface Account {
  readonly namespace: string;
  readonly account: string;
  readonly file: string;
}

async function waitFor(client: Client, { kind, name, text }: Awaited): Promise<void> {
  let last = "";
  await eventually(
    text === undefined ? `end of ${kind} ${name}` : `${kind} ${name} with ${text}`,
    async () => {
      const object = await client.get(await kindNamed(client, kind), { name, namespace: NAMESPACE });
      last = JSON.stringify(object) ?? "";
      return text === undefined ? object === undefined : last.includes(text);
    },
    () => last,
  );
}

interface Awaited {
  /** Plural and group, such as `deployments.apps`. */
  readonly kind: string;
  readonly name: string;
  /** Absent: the object no longer exists. */
  readonly text: string | undefined;
}

async function kindNamed(client: Client, name: string): ReturnType<ReturnType<typeof discovery>["kindOf"]> {
  const [plural = "", ...group] = name.split(".");
  const found = (await discovery(client).kinds()).find((kind) => kind.plural === plural && kind.group === group.join("."));
  if (found === undefined) throw new Error(`the server has no kind ${name}`);
  return found;
}

async function remove(client: Client, folder: string): Promise<void> {
  const objects = [...(await objectsIn(folder))].reverse();
  for (const object of objects) {
    const kind = await discovery(client).kindOf(object);
    const { metadata } = placed(object, kind.scope);
    const { name, namespace } = metadata;
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    await client.delete(kind, ref, { propagationPolicy: "Background" });
    await eventually(`end of ${object.kind} ${name}`, async () => (await client.get(kind, ref)) === undefined);
  }
}

function placed(object: KubernetesObject, scope: "Namespaced" | "Cluster"): KubernetesObject {
  return scope === "Cluster" ? object : { ...object, metadata: { namespace: NAMESPACE, ...object.metadata } };
}

/** @throws Error with the last answer, after 30 s */
async function eventually(what: string, isDone: () => Promise<boolean>, last: () => string = () => ""): Promise<void> {
  let problem = "";
  for (const endMs = Date.now() + LIMIT_MS; Date.now() < endMs; await sleep(100))
    try {
      if (await isDone()) return;
    } catch (error) {
      if (isApiError(error) && error.status === 403) throw error;
      problem = String(error);
    }
  throw new Error(`story-client: no ${what} within ${LIMIT_MS / 1_000} s. ${problem} ${last()}`);
}
