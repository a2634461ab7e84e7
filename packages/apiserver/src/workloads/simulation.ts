/**
 * Runs simulated controllers (see `controller.ts`): which keys are due and when, and how failures are retried. The
 * controllers act some turns of the event loop after the change that caused it, never within the request. They handle one key
 * after the other, so equal tests see equal sequences.
 *
 * They follow the store itself, not a watch: a watch ends after its timeout, and the store never does.
 */
import { type Kind, type KubernetesObject, keyOf } from "@treadle/apimachinery";
import type { Parts } from "../request/context.ts";
import type { Change } from "../storage/store.ts";
import { Agenda } from "./agenda.ts";
import { Behaviours } from "./behaviours.ts";
import type { Controller, MakeController } from "./controller.ts";
import { Events } from "./events.ts";
import { RefusedError } from "./writer.ts";
import { idOf, Objects } from "./objects.ts";
import type { Settings } from "./options.ts";
import { type SendAs, writerFor } from "./writer.ts";

/** A key of a controller to sync. */
interface Task {
  readonly controller: Controller;
  readonly key: string;
}

export class Simulation {
  readonly behaviours: Behaviours;
  readonly settings: Settings;
  readonly #parts: Parts;
  readonly #objects: Objects;
  readonly #events: Events;
  /** Functions by the id of the kind whose changes they follow. */
  readonly #reasons = new Map<string, ((change: Change) => void)[]>();
  /** Controllers that follow all kinds. */
  readonly #followers: Controller[] = [];
  /** Due tasks by controller and key, as all maps below. */
  #due = new Map<string, Task>();
  readonly #later: Agenda<Task>;
  /** Number of syncs since the time last advanced. */
  readonly #attempts = new Map<string, number>();
  #attemptedAtMs = 0;
  /** Number of refusals in a row. */
  readonly #refusals = new Map<string, number>();
  /** Errors of controllers that are not refusals of the server. */
  readonly #defects: unknown[] = [];
  readonly #unsubscribe: () => void;
  #starting: (() => Promise<void>)[];
  #working: Promise<void> | undefined;
  #isClosed = false;

  /** @param given Controllers, in the order in which they act on one change */
  constructor(
    parts: Parts,
    { settings, controllers }: { readonly settings: Settings; readonly controllers: readonly MakeController[] },
    sendAs: SendAs,
  ) {
    this.#parts = parts;
    this.settings = settings;
    this.#later = new Agenda(parts.clock, (task) => this.#add(task));
    const all: Controller[] = [];
    // A fault that is added or removed can affect everything that a kubelet or a controller does.
    this.behaviours = new Behaviours(() => this.#lookAtAll(all));
    this.#events = new Events(parts);
    const context = {
      clock: parts.clock,
      store: parts.store,
      registry: parts.registry,
      settings: this.settings,
      objects: new Objects(),
      behaviours: this.behaviours,
      events: this.#events,
      as: (name: string) => writerFor(name, sendAs),
    };
    this.#objects = context.objects;
    for (const make of controllers) all.push(make(context));
    for (const controller of all) this.#follow(controller);
    this.#observeExisting();
    this.#unsubscribe = parts.store.listen((id, change) => this.#observe(id, change));
    this.#starting = all.flatMap(({ start }) => (start === undefined ? [] : [start]));
    this.#wake();
  }

  /** Whether nothing is due now. {@link nextDue} returns when something is. */
  get isIdle(): boolean {
    return this.#working === undefined;
  }

  /** Returns when something is due without a change, in milliseconds of the server's clock. */
  nextDue(): number | undefined {
    return this.#later.nextDue();
  }

  /** Resolves when nothing is due now. @throws the error of a controller that was not a refusal of the server */
  async settled(): Promise<void> {
    while (this.#working !== undefined) await this.#working;
    const defects = this.#defects.splice(0);
    if (defects.length > 0)
      throw new AggregateError(defects, "simulated workloads: a controller failed; this is a defect of the simulation");
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#events.close();
    this.#later.clear();
  }

  #follow(controller: Controller): void {
    const on = (kind: Kind, keysOf: (object: KubernetesObject, previous: KubernetesObject | undefined) => Iterable<string>): void => {
      this.#objects.include(kind);
      const id = idOf(kind);
      const follow = ({ entry, previous }: Change): void => {
        // A stored object was read as its kind.
        const [object, before] = [entry.object, previous?.object] as unknown as readonly [KubernetesObject, KubernetesObject | undefined];
        for (const key of keysOf(object, before)) this.#add({ controller, key });
      };
      this.#reasons.set(id, [...(this.#reasons.get(id) ?? []), follow]);
    };
    const isFor = (controller.isFor ?? (() => true)) as (object: unknown, previous: unknown) => boolean; // made for its kind
    on(controller.kind, (object, previous) => (isFor(object, previous) ? [keyOf(object.metadata)] : []));
    if (controller.follows !== undefined) this.#followers.push(controller);
    for (const { kind, keysOf } of controller.watches ?? []) on(kind, keysOf as never); // made for objects of this kind
  }

  /** Shows the controllers the objects that existed before them. */
  #observeExisting(): void {
    for (const id of this.#reasons.keys())
      for (const entry of this.#parts.store.collection(id).all())
        this.#observe(id, { type: "ADDED", revision: entry.revision, entry, previous: undefined, timeMs: this.#parts.clock.now() });
  }

  #observe(id: string, change: Change): void {
    this.#objects.observe(id, change);
    for (const follow of this.#reasons.get(id) ?? []) follow(change);
    for (const controller of this.#followers) for (const key of controller.follows?.(id, change) ?? []) this.#add({ controller, key });
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

  /** Works in rounds, each in its own turn of the event loop. Other clients see the states in between, as with real controllers. */
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
    // Reset here, before the promise is seen as fulfilled: a change in between must start new work.
    this.#working = undefined;
  }

  async #attempt(task: Task): Promise<void> {
    const id = idOfTask(task);
    if (this.#isRestless(id)) {
      this.#defects.push(
        new Error(
          `${id} does not settle: it was synced ${MAX_ATTEMPTS} times while the clock stood still. Look for a controller or a webhook that reverts its writes`,
        ),
      );
      return;
    }
    this.#later.remove(id);
    try {
      const afterMs = await task.controller.sync(task.key);
      this.#refusals.delete(id);
      if (afterMs !== undefined) this.#putOff(task, afterMs);
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        const cause = new Error(`${task.controller.name} cannot sync ${task.controller.kind.kind} ${task.key}`, { cause: error });
        this.#defects.push(cause);
      } else if (error.isConflict) this.#add(task);
      else if (error.status === 404) this.#refusals.delete(id);
      else this.#retry(task);
    }
  }

  /** Detects two controllers, or a controller and a webhook, that revert each other's changes without end. */
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

/** Maximum number of syncs of a key. A key that settles needs a few syncs for each of its pods. */
const MAX_ATTEMPTS = 10_000;

const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 1_000_000;

function idOfTask({ controller, key }: Task): string {
  return `${controller.name} ${key}`;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
