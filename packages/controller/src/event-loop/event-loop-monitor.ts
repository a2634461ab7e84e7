/**
 * Finds out when the event loop was blocked, and which step blocked it. Meanwhile nothing else runs: no probe, and no renewal
 * of a lease. It looks ten times a second, and each time that a phase of a step begins, yields or ends. The phase that is
 * seen first after a block has caused it. If no phase is seen first, the phases in progress are named.
 */
import { keyOf, type Ref } from "@treadle/apimachinery";
import type { PhaseWatch, RunningPhase } from "@treadle/reconcile/unstable/engine";
import type { NamedWork } from "../runnable.ts";

/** A phase of a step of a controller, or an author's function that a runnable calls. */
export interface Culprit {
  /** The name of the controller or of the runnable. */
  readonly controller: string;
  /** The name of the step or of the function. */
  readonly step: string;
  /** Undefined for a function that a runnable calls. */
  readonly phase: RunningPhase["phase"] | undefined;
  readonly ref: Ref | undefined;
}

type Watch = Pick<PhaseWatch, "returned"> & { ended(): void };

/** A time in which the event loop did not turn. */
export interface Block {
  readonly ms: number;
  /** The phases that can have caused it: a known one, or all that were in progress. */
  readonly culprits: readonly Culprit[];
  /** Whether the one culprit is certain. */
  readonly isCertain: boolean;
}

export interface EventLoopMonitorOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly onBlock: (block: Block) => void;
}

/** Time between two looks, in milliseconds. */
const TICK_MS = 100;
/** Minimum time of a block, in milliseconds; garbage collection and large lists take less. */
export const BLOCK_MS = 500;

export class EventLoopMonitor {
  readonly #options: EventLoopMonitorOptions;
  readonly #running = new Set<Culprit>();
  #seenAt: number;
  #timer: NodeJS.Timeout | undefined;
  #last: { readonly block: Block; readonly endedAt: number } | undefined;
  /** How late the last look was, in milliseconds. */
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

  /** Notes that the loop turns. */
  look(): void {
    this.lagMs = Math.max(0, this.#options.now() - this.#seenAt - TICK_MS);
    this.#seen(undefined);
  }

  /** Notes that a phase of a step begins. */
  began(controller: string, phase: RunningPhase): Watch {
    return this.#began({ ...phase, controller });
  }

  /** Notes that a runnable calls an author's function. */
  beganWork(runnable: string, { name, ref }: NamedWork): Watch {
    return this.#began({ controller: runnable, step: name, phase: undefined, ref });
  }

  #began(culprit: Culprit): Watch {
    this.#seen(undefined);
    this.#running.add(culprit);
    return {
      returned: () => this.#seen(culprit),
      ended: () => {
        this.#seen(culprit);
        this.#running.delete(culprit);
      },
    };
  }

  /** Describes the last block if it ended less than `ms` milliseconds ago. */
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

/** `the event loop was blocked for 3.2 s: step "x" (do) of widgets.example.dev for default/a`. */
export function blockText({ ms, culprits, isCertain }: Block): string {
  const names = culprits.slice(0, 5).map(({ step, phase, controller, ref }) => {
    const who = phase === undefined ? `${step} of runnable "${controller}"` : `step "${step}" (${phase}) of ${controller}`;
    return ref === undefined ? who : `${who} for ${keyOf(ref)}`;
  });
  const more = culprits.length > names.length ? ` and ${culprits.length - names.length} more` : "";
  const who = isCertain
    ? names.join("")
    : names.length === 0
      ? "no step was in progress: a runnable, or the process was paused"
      : `in progress were ${names.join(", ")}${more}; or the process was paused`;
  return `the event loop was blocked for ${Math.round(ms / 100) / 10} s: ${who}`;
}
