/** Runs the engine of sets for one release: the options that all commands share. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { RunCluster, type RunDecision, type RunReport, runSet, type StoredOwner } from "@treadle/dependents/unstable/run";
import { RELEASES } from "../name.ts";
import { Release } from "../store/record.ts";

/** How objects of a release are written. */
export interface WriteRules {
  /** Whether existing objects without an owner are taken. */
  readonly adopts: boolean;
  /** Whether objects of releases of Helm are taken as well. */
  readonly takesHelm: boolean;
  /** Prefixes of the field managers whose fields are taken, so that fields which only they have set are removed. */
  readonly reclaims: readonly string[];
  /** Whether missing namespaces are created. */
  readonly createsNamespaces: boolean;
}

/** One run. */
export interface EngineRun {
  readonly owner: StoredOwner;
  readonly cluster: RunCluster;
  readonly objects: readonly KubernetesObject[];
  readonly rules: WriteRules;
  readonly signal: AbortSignal;
  /** Makes the run a dry run whose writes go through this client. @defaultValue writes are sent */
  readonly dryRun?: (client: Client) => Client;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  onPass(report: RunReport): RunDecision | Promise<RunDecision>;
}

/** Rules of a run that only removes objects. */
export const NO_WRITES: WriteRules = { adopts: false, takesHelm: false, reclaims: [], createsNamespaces: false };

/** A run has a limit of its own. */
const NEVER_MS = 10 * 365 * 24 * 3_600_000;

/** @throws the reason of the signal, and what `onPass` throws */
export async function runEngine({ owner, cluster, objects, rules, signal, dryRun, sleep, onPass }: EngineRun): Promise<void> {
  const { adopts, reclaims, createsNamespaces } = rules;
  await runSet({
    kind: Release,
    handlerName: RELEASES,
    owner,
    cluster,
    signal,
    sleep,
    onPass,
    ...(dryRun === undefined ? {} : { isDryRun: true, through: dryRun }),
    set: {
      name: "objects",
      condition: "ObjectsReady",
      objects: () => objects,
      defaults: {
        adopt: adopts ? "ifUnowned" : "never",
        missingNamespaces: createsNamespaces ? "create" : "fail",
        ...(reclaims.length === 0 ? {} : { update: "apply-and-reclaim" as const, reclaim: reclaims }),
      },
      placement: (release: KubernetesObject) => ({
        namespace: (release as { readonly spec?: { readonly targetNamespace?: string } }).spec?.targetNamespace,
      }),
      timeoutMs: NEVER_MS,
    },
  });
}

/** Why a pass did not look at the objects, if that is no matter of time. */
export function problemIn({ progress, result }: RunReport): string | undefined {
  if (progress !== undefined) return undefined;
  if (result.outcome.type === "wait" && result.waitReason === "Error") return result.outcome.reason;
  return result.error === undefined ? undefined : (result.error as Error).message;
}
