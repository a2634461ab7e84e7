/** The loop monitor of a manager: what it finds is logged and counted. */
import { keyOf } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import type { ManagerMetrics } from "../metrics/prometheus.ts";
import { BLOCK_MS, type Block, blockText, LoopMonitor } from "./loop-monitor.ts";

/** A step that blocks in every pass is logged again after so long; each time is counted. */
const QUIET_MS = 60_000;

/** Only for managers in real time. */
export function watchLoop(log: Logger, metrics: ManagerMetrics | undefined): LoopMonitor {
  const logged = new Map<string, number>();
  const onBlock = (block: Block): void => {
    const { culprits, isCertain, ms } = block;
    const [culprit] = isCertain ? culprits : [];
    metrics?.loop.blocked(ms, culprit);
    const id = culprit === undefined ? "" : `${culprit.controller} ${culprit.step}`;
    const now = performance.now();
    if (now - (logged.get(id) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) return;
    logged.set(id, now);
    const where = culprit === undefined ? {} : { controller: culprit.controller, step: culprit.step, object: keyOf(culprit.ref) };
    log.warn({ ...where, blockedMs: Math.round(ms) }, `${blockText(block)}; ${ADVICE}`);
  };
  const monitor = new LoopMonitor({ now: () => performance.now(), onBlock });
  metrics?.loop.watch(() => monitor.lagMs);
  return monitor;
}

const ADVICE = `no probe is answered and no lease renewed meanwhile: give way at least every ${BLOCK_MS} ms, or work in a worker thread`;
