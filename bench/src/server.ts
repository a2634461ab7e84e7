/** Builds the operators, and runs work on one real etcd and kube-apiserver that knows them as users. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, connect } from "@treadle/client";
import { startControlPlane } from "@treadle-workspace/tools/controlplane";
import { accounts, tokenFlags } from "./accounts.ts";
import { auditFlags } from "./audit.ts";
import type { Peer } from "./operator.ts";
import { buildPeer } from "./peers.ts";

/** A server, with what measures on it. */
export interface Site {
  /** Of the administrator. */
  readonly client: Client;
  /** Of the administrator. */
  readonly kubeconfig: string;
  readonly auditLog: string;
  /** The operators that could be built. */
  readonly peers: readonly Peer[];
}

export interface ServerOptions {
  readonly names: readonly string[];
  /** Gets what fails: the page names it. */
  readonly failures: string[];
  readonly log: (line: string) => void;
}

/**
 * Runs the work on a new server, and stops the server. Failures of operators and of the work are in `failures`.
 * @throws when it is interrupted: the caller writes nothing then
 */
export async function onServer({ names, failures, log }: ServerOptions, work: (site: Site) => Promise<void>): Promise<void> {
  const interrupted = interruption();
  const dir = mkdtempSync(join(tmpdir(), "treadle-bench-"));
  try {
    const builds = new Map<string, Awaited<ReturnType<typeof buildPeer>>>();
    for (const name of names) {
      log(`building ${name}`);
      try {
        builds.set(name, await buildPeer(name));
      } catch (error) {
        failures.push(`${name}: it could not be built: ${textOf(error).split("\n")[0]}`);
        log(failures.at(-1) ?? "");
      }
    }
    const known = accounts([...builds.keys()]);
    const users = Array.from(known.values(), ({ user }) => user);
    const auditLog = join(dir, "audit.log");
    const apiServerFlags = {
      ...auditFlags(join(dir, "policy.json"), auditLog, users),
      ...tokenFlags(join(dir, "tokens.csv"), known.values()),
    };
    const plane = await startControlPlane({ log, apiServerFlags });
    try {
      const kubeconfig = plane.kubeconfigPath;
      const client = await connect({ kubeconfig, fieldManager: "bench" });
      const place = { dir, server: plane.url, adminKubeconfig: kubeconfig };
      const peers = Array.from(known, ([name, account]) => builds.get(name)?.({ ...place, account }) ?? []).flat();
      const run = work({ client, kubeconfig, auditLog, peers }).catch((error: unknown) => void failures.push(textOf(error)));
      await Promise.race([run, interrupted]);
      await client.close();
    } finally {
      await plane.stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function interruption(): Promise<never> {
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => {
        reject(new Error(`interrupted by ${signal}`));
        // The second one does not wait for the control plane to end.
        process.once(signal, () => process.exit(1));
      });
  });
  interrupted.catch(() => undefined);
  return interrupted;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
