/** Finds out what a run would change, by one pass of the engine whose writes are dry runs of the server. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { RunCluster } from "@treadle/dependents/unstable/run";
import { CliError } from "../../cli-error.ts";
import { problemIn, runEngine, type WriteRules } from "../run/engine.ts";
import type { ReleaseObject, ReleaseRecord } from "../store/record.ts";
import { type Change, changesOf } from "./changes.ts";
import { Recorder } from "./recorder.ts";

/** What is looked at. */
export interface PreviewRequest {
  /** The present state. */
  readonly record: ReleaseRecord;
  readonly targetNamespace: string;
  readonly objects: readonly KubernetesObject[];
  readonly rules: WriteRules;
  /** Whether fields of other managers are taken. */
  readonly forces: boolean;
  readonly cluster: RunCluster;
  readonly signal: AbortSignal;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Passes that fail in a row before the preview ends with their error. */
const MAX_FAILURES = 4;

/** @throws CliError for objects that cannot be a release, and errors of the client */
export async function preview(request: PreviewRequest): Promise<readonly Change[]> {
  const { record, objects, rules, forces, cluster, signal, sleep } = request;
  const own = new Set(
    objects.filter(({ apiVersion, kind }) => apiVersion === "v1" && kind === "Namespace").map(({ metadata }) => metadata.name),
  );
  const recorder = new Recorder({ forces, makes: (namespace) => rules.createsNamespaces || own.has(namespace) });
  let changes: readonly Change[] | undefined;
  let failures = 0;
  await runEngine({
    owner: { current: withRequest(record.object, request), store: async (next) => next },
    cluster,
    objects,
    rules,
    signal,
    sleep,
    dryRun: (client) => recorder.through(client),
    onPass(report) {
      const { progress, result } = report;
      if (progress !== undefined) {
        changes = changesOf(progress, recorder.writes, rules);
        return "end";
      }
      const problem = problemIn(report);
      if (problem === undefined) return { atMostMs: 1_000 };
      if (result.error === undefined) throw new CliError(problem);
      // The engine passes on what was thrown, which is an error.
      if (++failures >= MAX_FAILURES) throw result.error as Error;
      return { atMostMs: 1_000 };
    },
  });
  return changes ?? [];
}

/** The owner as the run would store it. */
function withRequest(object: ReleaseObject, { targetNamespace }: Pick<PreviewRequest, "targetNamespace">): ReleaseObject {
  const revision = object.spec.revision + 1;
  return { ...object, metadata: { ...object.metadata, generation: revision }, spec: { revision, targetNamespace } };
}
