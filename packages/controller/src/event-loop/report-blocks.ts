/** Logs and counts the blocks of the event loop that the monitor of a manager finds. */
import { keyOf } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import type { ManagerMetrics } from "../metrics/prometheus.ts";
import { BLOCK_MS, type Block, blockText, EventLoopMonitor } from "./event-loop-monitor.ts";

/** How long a step that blocks in every pass is not logged again, in milliseconds. Every block is counted. */
const QUIET_MS = 60_000;

/** Makes the monitor of a manager that runs in real time. */
export function reportBlocks(log: Logger, metrics: ManagerMetrics | undefined): EventLoopMonitor {
  const logged = new Map<string, number>();
  const onBlock = (block: Block): void => {
    const { culprits, isCertain, ms } = block;
    const [culprit] = isCertain ? culprits : [];
    metrics?.loop.blocked(ms, culprit);
    const id = culprit === undefined ? "" : `${culprit.controller} ${culprit.step}`;
    const now = performance.now();
    if (now - (logged.get(id) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    logged.set(id, now);
    const where =
      culprit === undefined
        ? {}
        : { controller: culprit.controller, step: culprit.step, ...(culprit.ref && { object: keyOf(culprit.ref) }) };
    log.warn({ ...where, blockedMs: Math.round(ms) }, `${blockText(block)}; ${ADVICE}`);
  };
  const monitor = new EventLoopMonitor({ now: () => performance.now(), onBlock });
  metrics?.loop.watch(() => monitor.lagMs);
  return monitor;
}

const ADVICE = `meanwhile no probe is answered and no lease is renewed: yield at least every ${BLOCK_MS} ms, or use a worker thread`;
