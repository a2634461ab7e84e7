/** A process of an operator: a manager without any state of earlier processes. */
import { type FakeClock, keyOf, type Random } from "@treadle/apimachinery";
import { createClient } from "@treadle/client";
import { type ControllerOptions, createManager, type Manager } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import { Shared } from "@treadle/reconcile/unstable/engine";
import { outcomeOf } from "../internal/pass-outcome.ts";
import { recordingLogger } from "../internal/log-recorder.ts";
import type { LogLine } from "../test-environment.ts";
import { inProcess, type ProcessScope } from "./external-effects.ts";
import { ProcessClock } from "./process-clock.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { ExploredParts } from "./scenario.ts";

/** Options of {@link OperatorProcess}. */
export interface OperatorProcessOptions {
  readonly injector: FaultInjector;
  readonly clock: FakeClock;
  readonly random: Random;
  readonly parts: () => ExploredParts;
  readonly namespaces: readonly string[] | undefined;
  readonly controller: ControllerOptions;
  readonly onPass: (key: string) => void;
}

/** A process that can be killed. */
export class OperatorProcess implements ProcessScope {
  readonly manager: Manager;
  readonly handlers: readonly AnyHandler[];
  /** Whether there may be work that no controller knows of. */
  readonly hasRunnables: boolean;
  readonly clock: ProcessClock;
  readonly logs: LogLine[] = [];
  readonly #death = new AbortController();

  constructor(options: OperatorProcessOptions) {
    const { injector, random, namespaces, controller, onPass } = options;
    const clock = new ProcessClock(options.clock);
    this.clock = clock;
    // If the author gives a function, the variables of its closures are lost with the process.
    const { handlers, runnables = [], sources } = inProcess(this, options.parts);
    this.handlers = handlers;
    this.hasRunnables = runnables.length > 0;
    let passes = 0;
    this.manager = createManager({
      client: (wish) => createClient({ transport: injector.through(this), ...wish }),
      clock,
      random,
      log: recordingLogger(this.logs),
      probes: false,
      metrics: false,
      shared: new Shared(), // Never disposed of: a killed process does nothing in the end.
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
    for (const runnable of runnables) this.manager.add(runnable);
    for (const handler of handlers) this.manager.add(handler, sources === undefined ? controller : { ...controller, sources });
  }

  start(): Promise<void> {
    return inProcess(this, () => this.manager.start());
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  /** Aborted when the process is killed. */
  get death(): AbortSignal {
    return this.#death.signal;
  }

  /** Ends the process at once: no further request reaches the server, and no event reaches the process. */
  kill(): void {
    this.#death.abort(new Error("the process was killed"));
    this.clock.kill();
  }

  /** Kills the process and releases its resources. */
  async dispose(): Promise<void> {
    this.kill();
    let isOver = false;
    const stopping = this.manager.stop().catch(() => undefined); // A killed process does not stop gracefully.
    void stopping.then(() => (isOver = true));
    for (let turns = 0; !isOver && turns < MAX_DISPOSAL_TURNS; turns++) {
      const due = this.clock.nextDue();
      await this.clock.advance(due === undefined ? 0 : Math.max(0, due - this.clock.now()));
    }
  }
}

/** A step that never returns keeps its manager from stopping, so the wait is limited. */
const MAX_DISPOSAL_TURNS = 500;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
