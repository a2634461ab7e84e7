/**
 * Runs the simulated controllers beside the server (`controller.ts` says what one is): which keys are due, when, and what
 * becomes of failures. They act some turns of the event loop after the change that caused it, never within the request,
 * one key after the other, so that equal tests see equal sequences.
 */
import { type Kind, type KubernetesObject, keyOf } from "@treadle/apimachinery";
import type { Parts } from "../request/context.ts";
import type { Change } from "../storage/store.ts";
import { Agenda } from "./agenda.ts";
import { Behaviours } from "./behaviours.ts";
import type { Controller } from "./controller.ts";
import { RefusedError } from "./writer.ts";
import { controllers } from "./controllers.ts";
import { idOf, Objects } from "./objects.ts";
import { type Settings, settingsOf, type WorkloadOptions } from "./options.ts";
import { type SendAs, writerFor } from "./writer.ts";

/** A key of a controller that is to be looked at. */
interface Task {
  readonly controller: Controller;
  readonly key: string;
}

export class Simulation {
  readonly behaviours: Behaviours;
  readonly settings: Settings;
  readonly #parts: Parts;
  readonly #objects: Objects;
  /** By the id of the kind whose changes they follow. */
  readonly #reasons = new Map<string, ((change: Change) => void)[]>();
  /** By controller and key, as all below. */
  #due = new Map<string, Task>();
  readonly #later: Agenda<Task>;
  /** How often each was looked at since time moved last. */
  readonly #attempts = new Map<string, number>();
  #attemptedAtMs = 0;
  /** How often in a row the server refused. */
  readonly #refusals = new Map<string, number>();
  /** What is a mistake of a controller here, and no answer of the server. */
  readonly #defects: unknown[] = [];
  readonly #unsubscribe: () => void;
  #starting: (() => Promise<void>)[];
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: Parts, options: WorkloadOptions, sendAs: SendAs) {
    this.#parts = parts;
    this.settings = settingsOf(options);
    this.#later = new Agenda(parts.clock, (task) => this.#add(task));
    const all: Controller[] = [];
    // A hook that comes or goes may concern everything that a kubelet or a controller does.
    this.behaviours = new Behaviours(() => this.#lookAtAll(all));
    const context = {
      clock: parts.clock,
      store: parts.store,
      settings: this.settings,
      objects: new Objects(),
      behaviours: this.behaviours,
      as: (name: string) => writerFor(name, sendAs),
    };
    this.#objects = context.objects;
    for (const make of controllers) all.push(make(context));
    for (const controller of all) this.#follow(controller);
    this.#unsubscribe = parts.store.listen((id, change) => this.#observe(id, change));
    this.#starting = all.flatMap(({ start }) => (start === undefined ? [] : [start]));
    this.#wake();
  }

  /** Nothing is due now; {@link nextDue} tells of later. */
  get isIdle(): boolean {
    return this.#working === undefined;
  }

  /** When time alone makes something due, in milliseconds of the server's clock. */
  nextDue(): number | undefined {
    return this.#later.nextDue();
  }

  /** Resolves when nothing is due now. @throws what a controller threw that was no answer of the server */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
    const defects = this.#defects.splice(0);
    if (defects.length > 0)
      throw new AggregateError(defects, "simulated workloads: a controller failed; this is a defect of the simulation");
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#later.clear();
  }

  #follow(controller: Controller): void {
    const on = (kind: Kind, keysOf: (object: KubernetesObject, previous: KubernetesObject | undefined) => Iterable<string>): void => {
      this.#objects.include(kind);
      const id = idOf(kind);
      const follow = ({ entry, previous }: Change): void => {
        // What is stored has been read as its kind.
        const [object, before] = [entry.object, previous?.object] as unknown as readonly [KubernetesObject, KubernetesObject | undefined];
        for (const key of keysOf(object, before)) this.#add({ controller, key });
      };
      this.#reasons.set(id, [...(this.#reasons.get(id) ?? []), follow]);
    };
    on(controller.kind, ({ metadata }) => [keyOf(metadata)]);
    for (const { kind, keysOf } of controller.watches ?? []) on(kind, keysOf as never); // made for objects of this kind
  }

  #observe(id: string, change: Change): void {
    this.#objects.observe(id, change);
    for (const follow of this.#reasons.get(id) ?? []) follow(change);
  }

  #lookAtAll(all: readonly Controller[]): void {
    for (const controller of all)
      for (const { metadata } of this.#objects.list(controller.kind) as readonly KubernetesObject[])
        this.#add({ controller, key: keyOf(metadata) });
  }

  #add(task: Task): void {
    this.#due.set(idOfTask(task), task);
    this.#wake();
  }

  #wake(): void {
    if (!this.#isClosed) this.#working ??= this.#work();
  }

  /** Round by round, each in a turn of its own: others see the states between, as beside the real ones. */
  async #work(): Promise<void> {
    await turn();
    const starting = this.#starting;
    this.#starting = [];
    for (const start of starting) await start().catch((error: unknown) => this.#defects.push(error));
    while (!this.#isClosed && this.#due.size > 0) {
      const due = this.#due;
      this.#due = new Map();
      for (const task of due.values()) if (!this.#isClosed) await this.#attempt(task);
      await turn();
    }
    // Here and not when the promise is seen to be fulfilled: what comes between would wait for nobody.
    this.#working = undefined;
  }

  async #attempt(task: Task): Promise<void> {
    const id = idOfTask(task);
    if (this.#isRestless(id)) {
      this.#defects.push(new Error(`${id} does not come to rest: it was looked at ${MAX_ATTEMPTS} times without time moving`));
      return;
    }
    this.#later.remove(id);
    try {
      const afterMs = await task.controller.sync(task.key);
      this.#refusals.delete(id);
      if (afterMs !== undefined) this.#putOff(task, afterMs);
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        const cause = new Error(`${task.controller.name} cannot look at ${task.controller.kind.kind} ${task.key}`, { cause: error });
        this.#defects.push(cause);
      } else if (error.isConflict) this.#add(task);
      else if (error.status !== 404) this.#retry(task);
    }
  }

  /** Two controllers, or a controller and a webhook, that undo what the other does would go on for ever. */
  #isRestless(id: string): boolean {
    const nowMs = this.#parts.clock.now();
    if (nowMs !== this.#attemptedAtMs) this.#attempts.clear();
    this.#attemptedAtMs = nowMs;
    const attempts = (this.#attempts.get(id) ?? 0) + 1;
    this.#attempts.set(id, attempts);
    return attempts > MAX_ATTEMPTS;
  }

  #retry(task: Task): void {
    const refusals = this.#refusals.get(idOfTask(task)) ?? 0;
    this.#refusals.set(idOfTask(task), refusals + 1);
    this.#putOff(task, Math.min(MIN_RETRY_MS * 2 ** refusals, MAX_RETRY_MS));
  }

  #putOff(task: Task, afterMs: number): void {
    if (!this.#isClosed && !this.#due.has(idOfTask(task))) this.#later.put(idOfTask(task), task, afterMs);
  }
}

/** What comes to rest needs some looks for each of its pods. */
const MAX_ATTEMPTS = 10_000;

const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 1_000_000;

function idOfTask({ controller, key }: Task): string {
  return `${controller.name} ${key}`;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
