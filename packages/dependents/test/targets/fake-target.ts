/** A target over a second server in memory, without watches: for tests of what a step does with any target. */
import { ApiError, type Clock, type KubernetesObject, systemClock } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { type Client, ConnectionError, intercept } from "@treadle/client";
import { type KubeconfigText, kubeconfigText } from "@treadle/client/unstable/kubeconfig";
import { one } from "@treadle/reconcile";
import { secretText } from "@treadle/testing";
import { Slots } from "../../src/slots.ts";
import { targetError } from "../../src/targets/target-error.ts";
import type { KnownTarget, Target, TargetConnection, TargetIdentity } from "../../src/targets/types.ts";

/** A cluster that a test can switch off. */
export interface FakeCluster {
  readonly client: Client;
  readonly id: string;
  isAway: boolean;
  /** The tokens that the cluster accepts. */
  readonly tokens: Set<string>;
  /** The number of calls by targets. */
  calls: number;
}

/** The contents of a Secret: a kubeconfig for a cluster, with a token. */
export const kubeconfigOf = (cluster: string, token: string): { readonly stringData: { readonly kubeconfig: string } } => ({
  stringData: {
    kubeconfig: JSON.stringify({
      clusters: [{ name: "c", cluster: { server: `https://${cluster}.clusters.example.com` } }],
      users: [{ name: "u", user: { token } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  },
});

/** Returns the name of the cluster and the token in a kubeconfig. */
export function clusterAndToken({ server, fields }: KubeconfigText): { readonly cluster: string; readonly token: string } {
  const [, cluster = ""] = /^https:\/\/([a-z]+)\./.exec(server) ?? [];
  return { cluster, token: (fields.user as { readonly token?: string } | undefined)?.token ?? "" };
}

/** Makes a target; the Secret of an owner has the name of the owner. */
export function fakeTarget<T extends KubernetesObject>(
  clusters: ReadonlyMap<string, FakeCluster>,
  options: {
    readonly secretOf: (owner: T) => string | undefined;
    readonly as?: (owner: T) => string | undefined;
    readonly slots?: number;
    readonly clock?: Clock;
    readonly held?: Set<string>;
  },
): Target<T> {
  const open = new Map<string, TargetConnection>();
  const { held = new Set<string>() } = options;
  const read = one(Secret, options.secretOf as never) as never;
  const identify = (
    owner: KubernetesObject,
    secret: KubernetesObject | undefined,
    stored?: { readonly as: { readonly user: string } | undefined },
  ): TargetIdentity => {
    if (secret === undefined)
      return { type: "refused", reason: "TargetUnreachable", message: "the Secret with the kubeconfig does not exist" };
    const text = secretText(secret as never)["kubeconfig"] ?? "";
    const { cluster, token } = clusterAndToken(kubeconfigText(text, "the Secret"));
    if (!clusters.has(cluster)) return { type: "refused", reason: "TargetRefused", message: "the kubeconfig is wrong" };
    const user = stored === undefined ? options.as?.(owner as T) : stored.as?.user;
    return {
      type: "known",
      digest: `${text} ${user ?? ""}`,
      secret: { name: secret.metadata.name, namespace: secret.metadata.namespace ?? "" },
      serverDigest: `server of ${cluster}`,
      as: user === undefined ? undefined : { user },
      config: { cluster, token },
      secrets: [token],
    };
  };
  const connect = (identity: KnownTarget): TargetConnection => {
    const before = open.get(identity.digest);
    if (before !== undefined) return before;
    const { cluster: name, token } = identity.config as { readonly cluster: string; readonly token: string };
    const cluster = clusters.get(name) as FakeCluster;
    const slots = new Slots({ limit: options.slots ?? 2, clock: options.clock ?? systemClock });
    const connection: TargetConnection = {
      client: checked(cluster, token),
      clusterId: async () => {
        requireAnswer(cluster, token);
        return cluster.id;
      },
      watches: {
        cache: { get: () => undefined, list: () => [] },
        hold: (kind) => ({ type: "unwatchable", kind: kind as never, reason: "the fake has no watches" }),
        release: () => undefined,
        covers: () => false,
        observe: () => undefined,
        observeDelete: () => undefined,
      },
      enter: (key, wake) => {
        const slot = slots.take(key, wake);
        return slot === undefined ? { type: "later" } : { type: "entered", slot };
      },
      hold: (key) => void held.add(`${key} ${identity.digest}`),
      release: (key) => void held.delete(`${key} ${identity.digest}`),
    };
    open.set(identity.digest, connection);
    return connection;
  };
  return { definition: { kubeconfig: read, permissions: [], identify, connect } };
}

function requireAnswer(cluster: FakeCluster, token: string): void {
  cluster.calls += 1;
  if (cluster.isAway)
    throw targetError(new ConnectionError({ code: "ERR_UNREACHABLE", message: "cannot reach the cluster: connection refused" }));
  if (!cluster.tokens.has(token))
    throw targetError(new ApiError({ message: "the token is not valid", status: 401, reason: "Unauthorized" }));
}

function checked(cluster: FakeCluster, token: string): Client {
  return intercept(
    cluster.client,
    (next) =>
      Object.fromEntries(
        (["get", "list", "create", "update", "patch", "apply", "delete", "raw"] as const).map((verb) => [
          verb,
          async (...given: readonly unknown[]) => {
            requireAnswer(cluster, token);
            try {
              return await (next[verb] as (...all: readonly unknown[]) => Promise<unknown>)(...given);
            } catch (error) {
              throw targetError(error);
            }
          },
        ]),
      ) as Partial<Client>,
  );
}
