/** One life of an operator's process: a manager of its own, with nothing remembered of the lives before. */
import { type FakeClock, keyOf, type Random } from "@treadle/apimachinery";
import { createClient } from "@treadle/client";
import { type ControllerOptions, createManager, type Manager } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import { outcomeOf } from "../internal/pass-outcome.ts";
import { recordingLogger } from "../internal/log-recorder.ts";
import type { LogLine } from "../test-environment.ts";
import { inProcess } from "./external-effects.ts";
import { ProcessClock } from "./process-clock.ts";
import type { FaultInjector, KillableProcess } from "./fault-injector.ts";

export interface OperatorProcessOptions {
  readonly injector: FaultInjector;
  readonly clock: FakeClock;
  readonly random: Random;
  readonly handlers: () => readonly AnyHandler[];
  readonly namespaces: readonly string[] | undefined;
  readonly controller: ControllerOptions;
  readonly onPass: (key: string) => void;
}

export class OperatorProcess implements KillableProcess {
  readonly manager: Manager;
  readonly handlers: readonly AnyHandler[];
  readonly clock: ProcessClock;
  readonly logs: LogLine[] = [];
  readonly #death = new AbortController();

  constructor(options: OperatorProcessOptions) {
    const { injector, random, namespaces, controller, onPass } = options;
    const clock = new ProcessClock(options.clock);
    this.clock = clock;
    // What a handler's closures remember dies with the process, too, where the author gives a function.
    this.handlers = inProcess(this, options.handlers);
    let passes = 0;
    this.manager = createManager({
      client: (wish) => createClient({ transport: injector.through(this), ...wish }),
      clock,
      random,
      log: recordingLogger(this.logs),
      probes: false,
      metrics: false,
      newReconcileID: () => `pass-${++passes}`,
      onPass: ({ handler, ref, result }) => {
        if (this.isDead) return;
        const outcome = outcomeOf(result);
        injector.journal.push({
          type: "pass",
          key: keyOf(ref),
          outcome: outcome.type === "failed" ? `failed: ${messageOf(outcome.error)}` : outcome.type,
        });
        onPass(keyOf(ref));
        if (injector.passEnded(this) !== "again") return;
        this.manager.controllers.find(({ name }) => name === handler.name)?.enqueue(ref);
      },
      ...(namespaces === undefined ? {} : { namespaces }),
    });
    for (const handler of this.handlers) this.manager.add(handler, controller);
  }

  start(): Promise<void> {
    return inProcess(this, () => this.manager.start());
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  /** Aborted when it is killed. */
  get death(): AbortSignal {
    return this.#death.signal;
  }

  /** Ends it at once: nothing that it does from now on reaches the server, and nothing reaches it. */
  kill(): void {
    this.#death.abort(new Error("the process was killed"));
    this.clock.kill();
  }

  /** Lets go of what it holds in this process. */
  async bury(): Promise<void> {
    this.kill();
    let isOver = false;
    const stopping = this.manager.stop().catch(() => undefined); // It was in the middle of something.
    void stopping.then(() => (isOver = true));
    for (let turns = 0; !isOver && turns < MAX_BURIAL_TURNS; turns++) {
      const due = this.clock.nextDue();
      await this.clock.advance(due === undefined ? 0 : Math.max(0, due - this.clock.now()));
    }
  }
}

/** A step that never returns keeps its manager from stopping; there is nothing to wait for then. */
const MAX_BURIAL_TURNS = 500;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
