/**
 * A local cluster: one in-memory API server that people and other programs use over HTTPS on the loopback address. It writes
 * a kubeconfig, collects garbage, and gives each namespace its usual contents. No pods run in it.
 */
import { randomUUID } from "node:crypto";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { isObject } from "../internal/json.ts";
import { KUBECONFIG_NAME } from "../front/kubeconfig.ts";
import { type HttpsFront, serveHttps } from "../front/http.ts";
import { createServer } from "../server.ts";
import type { ApiServer, ApiServerOptions } from "../api-server.ts";
import { LocalClusterError, reasonOf, systemCode } from "./errors.ts";
import { createManifests, readManifests } from "./manifests.ts";
import { createOwnService } from "./own-service.ts";
import { namespaceContents } from "./namespace-contents.ts";

/** Options of {@link startLocalCluster}. */
export interface LocalClusterOptions {
  /** Port on 127.0.0.1. @defaultValue 0: any free port */
  readonly port?: number;
  /** File that the kubeconfig is written to, with mode 0600. An existing file is replaced only if an earlier local cluster wrote it. */
  readonly kubeconfig: string;
  /** Folder with manifests to create before the cluster is ready. CRDs are created first, the others in any order. */
  readonly manifests?: string;
  /**
   * Whether the work of controllers is done: garbage collection, the contents of namespaces, and tokens in Secrets. With `false` the cluster
   * behaves as a kube-apiserver alone.
   * @defaultValue true
   */
  readonly controllers?: boolean;
  /**
   * Options of the API server. They override the defaults of a local cluster: `garbageCollection: true`,
   * `authorization: "RBAC"` and `compactionIntervalMs: 300000`. The kubeconfig always has the rights of the administrator.
   */
  readonly server?: ApiServerOptions;
}

/** A running local cluster. `await using` closes it. */
export interface LocalCluster extends AsyncDisposable {
  /** API server of the cluster. */
  readonly server: ApiServer;
  /** URL of the API server, without a trailing slash. */
  readonly url: string;
  /** Number of objects that the manifests contain. */
  readonly manifestCount: number;
  /** Stops the server and removes the kubeconfig, unless another program has replaced the file. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a local cluster. When the promise resolves, the server listens, the manifests exist and the kubeconfig is written.
 * @throws LocalClusterError when the port or a file cannot be used, or a manifest is wrong
 */
export async function startLocalCluster(options: LocalClusterOptions): Promise<LocalCluster> {
  const manifests = options.manifests === undefined ? [] : await readManifests(options.manifests);
  await checkKubeconfig(options.kubeconfig);
  const hasControllers = options.controllers ?? true;
  const server = createServer({
    garbageCollection: hasControllers,
    authorization: "RBAC",
    compactionIntervalMs: COMPACTION_INTERVAL_MS,
    ...options.server,
  });
  let front: HttpsFront | undefined;
  try {
    front = await listen(server, options.port ?? 0);
    await createOwnService(server, front.url);
    if (hasControllers) {
      server.run(namespaceContents(front.caPem));
      server.fillTokenSecrets(front.caPem);
    }
    await createManifests(server, manifests);
    await server.settled();
    await writeKubeconfig(options.kubeconfig, `${MARK}${front.kubeconfig()}`);
    return new Cluster({ server, front, manifestCount: manifests.length, file: options.kubeconfig });
  } catch (error) {
    await front?.close();
    await server.close();
    throw error;
  }
}

/** Default of the flag `--etcd-compaction-interval` of a kube-apiserver. */
const COMPACTION_INTERVAL_MS = 300_000;

const MARK = "# Written by treadle for an in-memory cluster; the next cluster replaces it, and the end of this cluster removes it.\n";

interface Parts {
  readonly server: ApiServer;
  readonly front: HttpsFront;
  readonly manifestCount: number;
  readonly file: string;
}

class Cluster implements LocalCluster {
  readonly server: ApiServer;
  readonly url: string;
  readonly manifestCount: number;
  readonly #parts: Parts;
  #closing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.server = parts.server;
    this.url = parts.front.url;
    this.manifestCount = parts.manifestCount;
    this.#parts = parts;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #end(): Promise<void> {
    const { server, front, file } = this.#parts;
    await front.close();
    await server.close();
    if ((await onlyServerOf((await contentOf(file)) ?? "")) === this.url) await rm(file, { force: true });
  }
}

async function listen(server: ApiServer, port: number): Promise<HttpsFront> {
  try {
    return await serveHttps(server, { port, auth: { token: randomUUID() } });
  } catch (error) {
    const code = systemCode(error);
    if (code === "EADDRINUSE")
      throw new LocalClusterError("ERR_PORT", `port ${port} of 127.0.0.1 is in use: choose another, or 0 for a free one`, { cause: error });
    if (code === "EACCES")
      throw new LocalClusterError("ERR_PORT", `this user may not use port ${port}: choose one above 1023`, { cause: error });
    throw error;
  }
}

/** Checks that a kubeconfig of other clusters is not overwritten. @throws LocalClusterError */
async function checkKubeconfig(file: string): Promise<void> {
  const content = await contentOf(file);
  if (content === undefined || content.trim() === "" || (await onlyServerOf(content)) !== undefined) return;
  throw new LocalClusterError(
    "ERR_KUBECONFIG",
    `cannot use ${file} for the kubeconfig: it exists, and no local cluster wrote it. Name another file, or remove it`,
  );
}

/** Returns the server of a kubeconfig that contains only a cluster of this kind. `kubectl config` may have rewritten the file. */
async function onlyServerOf(content: string): Promise<string | undefined> {
  const { parse } = await import("yaml");
  let config: unknown;
  try {
    config = parse(content);
  } catch {
    return undefined; // no kubeconfig, so nothing of ours
  }
  const clusters = isObject(config) && Array.isArray(config["clusters"]) ? config["clusters"] : [];
  const [only] = clusters;
  if (clusters.length !== 1 || !isObject(only) || only["name"] !== KUBECONFIG_NAME || !isObject(only["cluster"])) return undefined;
  const { server } = only["cluster"];
  return typeof server === "string" ? server : undefined;
}

const OTHER_FILE = "Name a file in a folder that exists and that this user may write to";

async function writeKubeconfig(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 });
    // The mode of writeFile applies only to a new file.
    await chmod(file, 0o600);
  } catch (error) {
    throw new LocalClusterError("ERR_KUBECONFIG", `cannot write the kubeconfig ${file}: ${reasonOf(error)}. ${OTHER_FILE}`, {
      cause: error,
    });
  }
}

/** Returns the content of a file, or `undefined` when it does not exist. @throws LocalClusterError when it cannot be read */
async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new LocalClusterError("ERR_KUBECONFIG", `cannot use ${file} for the kubeconfig: ${reasonOf(error)}. ${OTHER_FILE}`, {
      cause: error,
    });
  }
}
