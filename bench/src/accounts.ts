/** Who the operators are to the API server: service accounts as kubelet would mount them, and the same as kubeconfigs. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";

export interface Account {
  /** By whose name the audit log knows its requests. */
  readonly user: string;
  readonly token: string;
}

export function accounts(names: readonly string[]): Map<string, Account> {
  return new Map(names.map((name) => [name, { user: `bench-${name}`, token: randomUUID() }]));
}

/** Flags of kube-apiserver that let them in, as administrators, after `file` was written. */
export function tokenFlags(file: string, all: Iterable<Account>): Record<string, string> {
  const lines = Array.from(all, ({ user, token }) => `${token},${user},${user},"system:masters"`);
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  return { "token-auth-file": file };
}

/** What a pod finds in its environment and its files. `adminKubeconfig` knows the certificate of the server. */
export function inCluster(dir: string, account: Account, server: string, adminKubeconfig: string): Record<string, string> {
  const { hostname, port } = new URL(server);
  const directory = join(dir, account.user);
  mkdirSync(directory);
  writeFileSync(join(directory, "token"), account.token, { mode: 0o600 });
  writeFileSync(join(directory, "ca.crt"), caOf(adminKubeconfig));
  writeFileSync(join(directory, "namespace"), "default");
  return { HOME: directory, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, BENCH_SERVICE_ACCOUNT: directory };
}

/** For those that look for the service account at one place only. */
export function kubeconfig(dir: string, account: Account, server: string, adminKubeconfig: string): Record<string, string> {
  const directory = join(dir, `${account.user}-home`);
  mkdirSync(directory);
  const file = join(directory, "config");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "bench", cluster: { server, "certificate-authority-data": caOf(adminKubeconfig).toString("base64") } }],
    users: [{ name: "bench", user: { token: account.token } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench", namespace: "default" } }],
    "current-context": "bench",
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return { HOME: directory, KUBECONFIG: file };
}

function caOf(kubeconfig: string): Buffer {
  const found = /certificate-authority-data"?: *"?([A-Za-z0-9+/=]+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
  if (found === undefined) throw new Error(`${kubeconfig} names no certificate-authority-data`);
  return Buffer.from(found, "base64");
}
