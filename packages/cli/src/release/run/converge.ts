/** Runs the engine for a locked release until its objects are ready, have failed, or the time is over. */
import type { Ref } from "@treadle/apimachinery";
import { type Client, intercept } from "@treadle/client";
import { RunCluster, type RunObject, type RunProgress } from "@treadle/dependents/unstable/run";
import type { KubernetesObject } from "@treadle/apimachinery";
import { idOf, type ObjectName } from "../../cluster/object-name.ts";
import { apiVersionOf, type Kind } from "@treadle/apimachinery";
import { RENEW_MS } from "../store/lock.ts";
import type { LockedRelease } from "../store/locked-release.ts";
import type { ReleaseContext } from "../session.ts";
import { runEngine, type WriteRules } from "./engine.ts";
import { progressLine } from "./progress.ts";
import { type RunEnd, Verdict } from "./verdict.ts";

/** What a run is to do. */
export interface ConvergeRequest {
  readonly release: LockedRelease;
  readonly cluster: RunCluster;
  /** The objects; none for a release that is being deleted. */
  readonly objects: readonly KubernetesObject[];
  readonly rules: WriteRules;
  readonly waits: boolean;
  readonly timeoutMs: number;
}

/** What a run did. */
export interface Converged {
  readonly end: RunEnd;
  /** The objects as the last pass saw them. */
  readonly progress: RunProgress | undefined;
  /** What the run did to each object, by {@link idOf}: the most that any pass did. */
  readonly operations: ReadonlyMap<string, RunObject["operation"]["type"]>;
}

/** @throws the reason of Ctrl-C, CliError if another run took the release, and errors of the client */
export async function converge({ session, terminal }: ReleaseContext, request: ConvergeRequest): Promise<Converged> {
  const { release, cluster, objects, rules, waits, timeoutMs } = request;
  const line = progressLine(terminal);
  const verdict = new Verdict();
  const deadlineMs = terminal.nowMs() + timeoutMs;
  const operations = new Map<string, RunObject["operation"]["type"]>();
  let end: RunEnd | undefined;
  let progress: RunProgress | undefined;
  try {
    await runEngine({
      owner: release,
      cluster,
      objects,
      rules,
      signal: AbortSignal.any([session.signal, release.lost]),
      sleep: (ms, signal) => terminal.sleep(ms, signal),
      async onPass(report) {
        if (report.progress !== undefined) {
          progress = report.progress;
          line.update(progress);
          noteOperations(operations, progress);
        }
        const leftMs = deadlineMs - terminal.nowMs();
        end = verdict.of(report, { waits, isTimeOver: leftMs <= 0 });
        if (end !== undefined) return "end";
        await release.renew();
        return { atMostMs: Math.max(0, Math.min(RENEW_MS, leftMs)) };
      },
    });
  } finally {
    line.end();
  }
  return { end: end ?? { type: "ready" }, progress, operations };
}

function noteOperations(operations: Map<string, RunObject["operation"]["type"]>, { objects }: RunProgress): void {
  for (const object of objects) {
    const { type } = object.operation;
    const id = idOf(object);
    if (operations.get(id) === undefined || (type !== "unchanged" && operations.get(id) === "unchanged")) operations.set(id, type);
  }
}

/** Returns a client that notes the objects that it deletes. */
export function notingDeletes(client: Client, deleted: Map<string, ObjectName>): Client {
  return intercept(client, (next) => ({
    delete: async (kind, ref, options) => {
      const answer = await next.delete(kind, ref, options);
      if (options?.dryRun !== true) note(kind, ref);
      return answer;
    },
  }));

  function note(kind: Kind, { name, namespace }: Ref): void {
    const object = { apiVersion: apiVersionOf(kind), kind: kind.kind, name, ...(namespace === undefined ? {} : { namespace }) };
    deleted.set(idOf(object), object);
  }
}
