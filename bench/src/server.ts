/** Builds the operators, and runs work on one real etcd and kube-apiserver that knows them as users. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, connect } from "@treadle/client";
import { startControlPlane } from "@treadle-workspace/tools/controlplane";
import { accounts, tokenFlags } from "./accounts.ts";
import { auditFlags } from "./audit.ts";
import type { Peer } from "./operator.ts";
import type { MakePeer } from "./peers.ts";
import { interruption, textOf } from "./settings.ts";

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
  /** By name, what builds an operator. */
  readonly builds: ReadonlyMap<string, () => Promise<MakePeer>>;
  /** Gets what fails: the page names it. */
  readonly failures: string[];
  readonly log: (line: string) => void;
  /** Ends the work. @defaultValue the signals of the process */
  readonly interrupted?: Promise<never>;
}

/**
 * Runs the work on a new server, and stops the server. Failures of operators and of the work are in `failures`.
 * @throws when it is interrupted: the caller writes nothing then
 */
export async function onServer({ builds, failures, log, interrupted }: ServerOptions, work: (site: Site) => Promise<void>): Promise<void> {
  const end = interrupted ?? interruption().interrupted;
  const dir = mkdtempSync(join(tmpdir(), "treadle-bench-"));
  try {
    const built = new Map<string, MakePeer>();
    for (const [name, build] of builds) {
      log(`building ${name}`);
      try {
        built.set(name, await build());
      } catch (error) {
        failures.push(`${name}: it could not be built: ${textOf(error)}`);
        log(failures.at(-1) ?? "");
      }
    }
    const known = accounts([...built.keys()]);
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
      const peers = Array.from(known, ([name, account]) => built.get(name)?.({ ...place, account }) ?? []).flat();
      const run = work({ client, kubeconfig, auditLog, peers }).catch((error: unknown) => void failures.push(textOf(error)));
      await Promise.race([run, end]);
      await client.close();
    } finally {
      await plane.stop();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
