/** The resources of a fake provider, and what time does to them. */
import type { ExternalStateType } from "../types.ts";
import { FakeProviderError } from "./fake-errors.ts";

/** Some or all of the values of a resource; `undefined` means not named. */
export type SomeOf<Values> = { readonly [Key in keyof Values]?: Values[Key] | undefined };

/** A resource of a fake provider. It costs money as long as it is listed. */
export interface FakeItem<Values> {
  /** The name, chosen by the caller or assigned by the provider. */
  readonly name: string;
  /** The token of the create; `undefined` for a resource that was added by hand. */
  readonly token: string | undefined;
  /** The state at this moment. */
  readonly state: ExternalStateType;
  /** Whether `observe` and `recoverCreate` find it already. */
  readonly isVisible: boolean;
  /** The values, as of the last finished update. */
  readonly values: Values;
}

/** The times of a fake provider, in milliseconds. */
export interface FakeTimes {
  /** Time during which a created resource is `Creating`. @defaultValue 0 */
  readonly createMs?: number;
  /** Time until a created resource is found by `observe` and `recoverCreate`. @defaultValue 0 */
  readonly visibleAfterMs?: number;
  /** Time until an update has happened; the resource is `Updating` meanwhile. @defaultValue 0 */
  readonly updateMs?: number;
  /** Time during which a deleted resource is still found, as `Deleting`. @defaultValue 0 */
  readonly deleteMs?: number;
}

interface Stored<Values> {
  readonly name: string;
  readonly token: string | undefined;
  readonly availableAtMs: number;
  readonly visibleAtMs: number;
  readonly values: Values;
  readonly next: { readonly values: Values; readonly atMs: number } | undefined;
  readonly goneAtMs: number | undefined;
  readonly state: ExternalStateType | undefined;
}

/** Keeps resources by name. Times are computed when they are read, so it needs no timers. */
export class FakeItems<Values extends object> {
  readonly #stored: Map<string, Stored<Values>> = new Map();
  readonly #times: FakeTimes;
  readonly #now: () => number;

  constructor(times: FakeTimes, now: () => number) {
    this.#times = times;
    this.#now = now;
  }

  get all(): readonly FakeItem<Values>[] {
    return [...this.#stored.keys()].flatMap((name) => this.get(name) ?? []);
  }

  get(name: string): FakeItem<Values> | undefined {
    const found = this.#current(name);
    if (found === undefined) return undefined;
    const { token, values } = found;
    return { name, token, state: this.#stateOf(found), isVisible: found.visibleAtMs <= this.#now(), values: structuredClone(values) };
  }

  byToken(token: string): FakeItem<Values> | undefined {
    return this.all.find((item) => item.token === token);
  }

  /** Adds a resource that a caller created. */
  create(name: string, token: string | undefined, values: Values): void {
    const now = this.#now();
    const { createMs = 0, visibleAfterMs = 0 } = this.#times;
    const times = { availableAtMs: now + createMs, visibleAtMs: now + visibleAfterMs };
    this.#put({ name, token, ...times, values, next: undefined, goneAtMs: undefined, state: undefined });
  }

  /** Adds a resource that is complete. */
  add(name: string, token: string | undefined, values: Values): void {
    const now = this.#now();
    this.#put({ name, token, availableAtMs: now, visibleAtMs: now, values, next: undefined, goneAtMs: undefined, state: undefined });
  }

  /** @throws FakeProviderError 404 or 409 */
  update(name: string, changes: SomeOf<Values>): void {
    const found = this.#found(name);
    const state = this.#stateOf(found);
    if (state === "Updating" || state === "Deleting") throw new FakeProviderError(`update ${name}: 409 it is ${state}`, { status: 409 });
    const { updateMs = 0 } = this.#times;
    const values = merge(found.values, changes);
    this.#put(updateMs === 0 ? { ...found, values } : { ...found, next: { values, atMs: this.#now() + updateMs } });
  }

  /** Changes values at once. @throws FakeProviderError 404 */
  change(name: string, changes: SomeOf<Values>): void {
    const found = this.#found(name);
    this.#put({ ...found, values: merge(found.values, changes) });
  }

  /** Sets the state by hand; `undefined`: as the times say. @throws FakeProviderError 404 */
  setState(name: string, state: ExternalStateType | undefined): void {
    this.#put({ ...this.#found(name), state });
  }

  /** Begins to delete a resource, if it exists. */
  delete(name: string): void {
    const found = this.#current(name);
    if (found === undefined || found.goneAtMs !== undefined) return;
    const { deleteMs = 0 } = this.#times;
    if (deleteMs === 0) this.#stored.delete(name);
    else this.#put({ ...found, goneAtMs: this.#now() + deleteMs });
  }

  remove(name: string): void {
    this.#stored.delete(name);
  }

  #put(item: Stored<Values>): void {
    this.#stored.set(item.name, { ...item, values: structuredClone(item.values) });
  }

  #found(name: string): Stored<Values> {
    const found = this.#current(name);
    if (found === undefined) throw new FakeProviderError(`${name}: 404 not found`, { status: 404 });
    return found;
  }

  /** Returns the resource after everything that is due. */
  #current(name: string): Stored<Values> | undefined {
    const found = this.#stored.get(name);
    if (found === undefined) return undefined;
    if (found.goneAtMs !== undefined && found.goneAtMs <= this.#now()) {
      this.#stored.delete(name);
      return undefined;
    }
    if (found.next === undefined || found.next.atMs > this.#now()) return found;
    const updated = { ...found, values: found.next.values, next: undefined };
    this.#put(updated);
    return updated;
  }

  #stateOf({ state, goneAtMs, availableAtMs, next }: Stored<Values>): ExternalStateType {
    if (goneAtMs !== undefined) return "Deleting";
    if (state !== undefined) return state;
    if (availableAtMs > this.#now()) return "Creating";
    return next === undefined ? "Available" : "Updating";
  }
}

function merge<Values extends object>(values: Values, changes: SomeOf<Values>): Values {
  const named = Object.entries(changes).filter(([, value]) => value !== undefined);
  // The changed keys have values of their types.
  return { ...values, ...Object.fromEntries(named) } as Values;
}
