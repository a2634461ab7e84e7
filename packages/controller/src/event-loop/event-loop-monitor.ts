/**
 * Finds out when the event loop stood still, and which step held it: nothing else runs then, no probe, no renewal of a
 * lease. It looks ten times a second, and each time that a phase of a step begins, gives way or ends; what comes first
 * after a standstill is what caused it. Where no phase comes first, those in progress are named.
 */
import type { PhaseWatch, RunningPhase } from "@treadle/reconcile";

export interface Culprit extends RunningPhase {
  readonly controller: string;
}

/** A time in which the loop did not turn. */
export interface Block {
  readonly ms: number;
  /** Those that can have caused it: one that is known, or all that were in progress. */
  readonly culprits: readonly Culprit[];
  /** Whether it is the one culprit for certain. */
  readonly isCertain: boolean;
}

export interface EventLoopMonitorOptions {
  /** Milliseconds that nobody sets. */
  readonly now: () => number;
  readonly onBlock: (block: Block) => void;
}

/** Between two looks. */
const TICK_MS = 100;
/** Shorter standstills are none: garbage collection, a big list. */
export const BLOCK_MS = 500;

export class EventLoopMonitor {
  readonly #options: EventLoopMonitorOptions;
  readonly #running = new Set<Culprit>();
  #seenAt: number;
  #timer: NodeJS.Timeout | undefined;
  #last: { readonly block: Block; readonly endedAt: number } | undefined;
  /** By how much the last look was late. */
  lagMs = 0;

  constructor(options: EventLoopMonitorOptions) {
    this.#options = options;
    this.#seenAt = options.now();
  }

  start(): void {
    this.#seenAt = this.#options.now();
    this.#timer ??= setInterval(() => this.look(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The loop turns. */
  look(): void {
    this.lagMs = Math.max(0, this.#options.now() - this.#seenAt - TICK_MS);
    this.#seen(undefined);
  }

  began(controller: string, phase: RunningPhase): Pick<PhaseWatch, "returned"> & { ended(): void } {
    this.#seen(undefined);
    const culprit = { ...phase, controller };
    this.#running.add(culprit);
    return {
      returned: () => this.#seen(culprit),
      ended: () => {
        this.#seen(culprit);
        this.#running.delete(culprit);
      },
    };
  }

  /** The last standstill in words, if it ended less than `ms` ago; one that has just ended counts. */
  suspicion(ms: number): string | undefined {
    this.#seen(undefined);
    return this.#last !== undefined && this.#seenAt - this.#last.endedAt < ms ? blockText(this.#last.block) : undefined;
  }

  #seen(by: Culprit | undefined): void {
    const now = this.#options.now();
    const ms = now - this.#seenAt;
    this.#seenAt = now;
    if (ms < BLOCK_MS || this.#timer === undefined) return;
    const block = { ms, culprits: by === undefined ? [...this.#running] : [by], isCertain: by !== undefined };
    this.#last = { block, endedAt: now };
    this.#options.onBlock(block);
  }
}

/** `the event loop stood still for 3.2 s: step "x" (do) of widgets.example.dev for default/a`. */
export function blockText({ ms, culprits, isCertain }: Block): string {
  const names = culprits.slice(0, 5).map(({ step, phase, controller, ref }) => {
    const object = ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
    return `step "${step}" (${phase}) of ${controller} for ${object}`;
  });
  const more = culprits.length > names.length ? ` and ${culprits.length - names.length} more` : "";
  const who = isCertain
    ? names.join("")
    : names.length === 0
      ? "no step was in progress: a runnable, or the process was paused"
      : `in progress were ${names.join(", ")}${more}; or the process was paused`;
  return `the event loop stood still for ${Math.round(ms / 100) / 10} s: ${who}`;
}
