/**
 * An API server that calls webhooks by sockets: the one in memory, or the real one that TREADLE_TEST_KUBECONFIG names. Both speak TLS, and
 * both reach the operator through a front that passes connections on only while `/readyz` answers 200, as a Service does.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kind } from "@treadle/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Namespace,
  Secret,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { type Client, type ClusterConfig, connect, loadConfig } from "@treadle/client";
import { createManager, type Manager, type ManagerOptions } from "@treadle/controller";
import { afterAll, beforeAll } from "vitest";
import { type WebhookManifest, webhookManifests, webhookServer, type WebhookServer, type WebhookServerOptions } from "../src/index.ts";
import type { Webhooks } from "../src/index.ts";

/** Names that one file uses. */
export interface Names {
  readonly group: string;
  readonly namespace: string;
}

/** Makes names for a file: a real server may still be deleting the objects of an earlier one. */
export function newNames(): Names {
  const id = randomUUID().slice(0, 8);
  return { group: `w${id}.treadle.dev`, namespace: `webhooks-${id}` };
}

export interface Cluster extends Names {
  readonly config: ClusterConfig;
  readonly admin: Client;
}

/** Starts the cluster for the tests of a file. */
export function useCluster(names: Names): Cluster {
  const { group, namespace } = names;
  const cleanUps: (() => Promise<unknown>)[] = [];
  let cluster: Cluster | undefined;
  const known = (): Cluster => {
    if (cluster === undefined) throw new Error("the cluster has not started");
    return cluster;
  };
  beforeAll(async () => {
    let kubeconfig = process.env["TREADLE_TEST_KUBECONFIG"] || undefined;
    if (kubeconfig === undefined) {
      const server = createApiServer();
      const front = await serveHttps(server, { auth: { clientCertificate: true } });
      const directory = await mkdtemp(join(tmpdir(), "treadle-"));
      kubeconfig = join(directory, "kubeconfig");
      await writeFile(kubeconfig, front.kubeconfig());
      cleanUps.push(
        () => front.close(),
        () => server.close(),
        () => rm(directory, { recursive: true }),
      );
    }
    const config = await loadConfig({ kubeconfig });
    cluster = { ...names, config, admin: await connect({ config, fieldManager: "test" }) };
    await cluster.admin.create(Namespace, { metadata: { name: namespace } });
  });
  afterAll(async () => {
    const { admin } = known();
    const { items } = await admin.list(CustomResourceDefinition);
    const ours = items.filter(({ spec }) => spec.group === group);
    const none = { type: "merge", body: { spec: { conversion: { strategy: "None", webhook: null } } } } as const;
    for (const { metadata } of ours) {
      await admin.patch(CustomResourceDefinition, metadata, none);
      await admin.delete(CustomResourceDefinition, metadata);
    }
    await admin.delete(Namespace, { name: namespace });
    await admin.close();
    for (const cleanUp of cleanUps) await cleanUp();
  });
  return {
    ...names,
    get config() {
      return known().config;
    },
    get admin() {
      return known().admin;
    },
  };
}

/** The address that the API server calls. */
export interface Front extends AsyncDisposable {
  readonly url: string;
  /** The number of connections that were passed on, and of those that were not because the operator was not ready. */
  readonly connections: { passed: number; refused: number };
  /** Leads to an operator. */
  lead(manager: Manager, server: WebhookServer): void;
}

/** Listens. A connection is passed on while the operator's `/readyz` answers 200. */
async function startFront(): Promise<Front> {
  const sockets = new Set<Socket>();
  const connections = { passed: 0, refused: 0 };
  let target: { readonly manager: Manager; readonly server: WebhookServer } | undefined;
  const passOn = async (socket: Socket): Promise<void> => {
    const probes = target?.manager.addresses.probes?.url;
    const response = probes === undefined ? undefined : await fetch(`${probes}/readyz`).catch(() => undefined);
    await response?.arrayBuffer();
    const port = target?.server.address?.port;
    if (response?.status !== 200 || port === undefined) {
      connections.refused++;
      socket.destroy();
      return;
    }
    connections.passed++;
    const onward = connectSocket(port, "127.0.0.1");
    sockets.add(onward);
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  };
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    void passOn(socket);
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo; // It listens on TCP.
  return {
    url: `https://127.0.0.1:${port}`,
    connections,
    lead: (manager, server) => void (target = { manager, server }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => void listener.close(() => resolve()));
    },
  };
}

export interface Line {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A running operator with its webhooks. */
export interface TestOperator extends AsyncDisposable {
  readonly manager: Manager;
  readonly server: WebhookServer;
  readonly front: Front;
  readonly lines: readonly Line[];
}

export interface OperatorOptions {
  /** The name of the configurations. */
  readonly name: string;
  readonly server?: Partial<WebhookServerOptions>;
  readonly manager?: ManagerOptions;
  /** Adds handlers. */
  readonly add?: (manager: Manager) => void;
}

/** Applies the manifests and starts an operator, which stops at the end of the scope. */
export async function startOperator(cluster: Cluster, webhooks: readonly Webhooks[], options: OperatorOptions): Promise<TestOperator> {
  const { name, add } = options;
  const lines: Line[] = [];
  const note = (level: string) => (fields: object, message: string) => void lines.push({ level, fields: { ...fields }, message });
  const front = await startFront();
  const placement = { name, url: front.url, namespace: cluster.namespace };
  const manifests = webhookManifests(webhooks, placement);
  if (options.server?.install !== true) await applyAll(cluster.admin, manifests);
  const server = webhookServer(webhooks, { ...placement, host: "127.0.0.1", port: 0, graceMs: 0, ...options.server });
  const manager = createManager({
    config: cluster.config,
    probes: { port: 0, host: "127.0.0.1" },
    metrics: false,
    signals: false,
    log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
    ...options.manager,
  });
  add?.(manager);
  manager.add(server);
  front.lead(manager, server);
  const stop = async (): Promise<void> => {
    await removeConfigurations(cluster.admin, name);
    await manager.stop();
    await front[Symbol.asyncDispose]();
  };
  try {
    await manager.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { manager, server, front, lines, [Symbol.asyncDispose]: stop };
}

/** Applies the manifests that an operator outside of the cluster needs, as a deployer does. */
async function applyAll(admin: Client, manifests: readonly WebhookManifest[]): Promise<void> {
  const kinds: readonly Kind[] = [Secret, CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
  for (const manifest of manifests) {
    const kind = kinds.find((each) => each.kind === manifest.kind);
    if (kind !== undefined) await admin.apply(kind, manifest, { fieldManager: "deployer", force: true });
  }
}

/** A configuration whose server no longer runs would block the writes of later tests. */
async function removeConfigurations(admin: Client, name: string): Promise<void> {
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
    if ((await admin.get<Kind>(kind, { name })) !== undefined) await admin.delete(kind, { name });
}
