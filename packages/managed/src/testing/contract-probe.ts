/** Calls an author's functions as the managed step does, and notes what they do wrong. */
import { type Clock, type KubernetesObject, orAborted, systemClock } from "@treadle/apimachinery";
import { changesOf, type Difference, differences } from "../compare.ts";
import { externalNames, nameProblem } from "../names.ts";
import type { AnyManagedOptions, ExternalStateType } from "../types.ts";

/** The rules that `managedContract` checks. */
export type ContractRule =
  | "functions answer"
  | "absent gives undefined"
  | "observe changes nothing"
  | "names fit"
  | "create is seen"
  | "create twice is once"
  | "a create is recovered"
  | "an update is seen"
  | "delete twice is once"
  | "delete leaves nothing"
  | "errors carry their kind";

/** A rule that a managed step breaks. */
export interface ContractProblem {
  /** The rule. */
  readonly rule: ContractRule;
  /** What was found, and for which call. */
  readonly message: string;
  /** What to do. */
  readonly fix: string;
}

/** The world of a contract, whatever its types. */
export interface AnyWorld {
  readonly api: unknown;
  readonly objects: readonly [KubernetesObject, KubernetesObject];
  readonly changed?: ((object: KubernetesObject) => KubernetesObject) | undefined;
  readonly snapshot?: (() => unknown) | undefined;
  readonly refusedApi?: unknown;
  readonly advance?: (() => unknown) | undefined;
  readonly reads?: ((object: KubernetesObject) => object) | undefined;
  readonly references?: ((object: KubernetesObject) => object) | undefined;
  readonly deadlineMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** A call that did not answer as it must. The rule is noted; what depends on the answer is left out. */
class Broken extends Error {}

/** One object of the contract, with its name once it has one. */
export interface Subject {
  readonly object: KubernetesObject;
  readonly token: string;
  name: string;
}

/** The number of times that a resource in transition is observed again. */
const MAX_LOOKS = 50;
const STATES: ReadonlySet<unknown> = new Set(["Available", "Unavailable", "Creating", "Updating", "Deleting", "Failed"]);
const IN_TRANSITION: ReadonlySet<unknown> = new Set(["Creating", "Updating", "Deleting"]);

/** Calls the functions of the options with the world's API, and collects problems. */
export class Probe {
  readonly options: AnyManagedOptions;
  readonly world: AnyWorld;
  readonly problems: ContractProblem[] = [];

  constructor(options: AnyManagedOptions, world: AnyWorld) {
    this.options = options;
    this.world = world;
  }

  /** Notes a broken rule, once for each message. */
  note(rule: ContractRule, message: string, fix: string): void {
    if (!this.problems.some((each) => each.rule === rule && each.message === message)) this.problems.push({ rule, message, fix });
  }

  /** Notes a broken rule and leaves out what depends on it. */
  fail(rule: ContractRule, message: string, fix: string, cause?: unknown): never {
    this.note(rule, message, fix);
    throw new Broken(message, { cause });
  }

  /** Runs one part of the contract. A part that is broken does not stop the others. */
  async part(run: () => Promise<void>): Promise<boolean> {
    try {
      await run();
      return true;
    } catch (error) {
      if (error instanceof Broken) return false;
      throw error;
    }
  }

  owner(object: KubernetesObject): object {
    const { metadata } = object;
    const { spec } = object as { readonly spec?: unknown };
    return { object, metadata, spec, reads: this.world.reads?.(object) ?? {} };
  }

  async observe(subject: Subject, api: unknown = this.world.api): Promise<object | undefined> {
    const seen = await this.answer("observe", async (signal) =>
      this.options.observe(this.#args(subject, api, signal, { operation: undefined })),
    );
    if (seen === undefined) return undefined;
    if (typeof seen !== "object" || seen === null || Array.isArray(seen))
      this.fail("functions answer", `observe returned ${shown(seen)}`, "return an object, or undefined if the resource does not exist");
    return seen;
  }

  /** Observes until the resource has left its transition, or is no longer there. */
  async settled(subject: Subject): Promise<object | undefined> {
    for (let looks = 0; ; looks++) {
      await this.world.advance?.();
      const seen = await this.observe(subject);
      if (seen === undefined && looks >= MAX_LOOKS) return undefined;
      if (this.world.advance === undefined || looks >= MAX_LOOKS) return seen;
      if (seen !== undefined && !IN_TRANSITION.has(this.state(subject, seen))) return seen;
    }
  }

  /** Waits until the resource no longer exists. */
  async gone(subject: Subject): Promise<boolean> {
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      await this.world.advance?.();
      if ((await this.observe(subject)) === undefined) return true;
      if (this.world.advance === undefined) return false;
    }
    return false;
  }

  state(subject: Subject, seen: object): ExternalStateType {
    const answer = this.pure("state", () => this.options.state?.(seen, this.owner(subject.object) as never) ?? "Available");
    const type: unknown = typeof answer === "object" && answer !== null ? (answer as { readonly type?: unknown }).type : answer;
    if (STATES.has(type)) return type as ExternalStateType; // checked
    return this.fail("functions answer", `state returned ${shown(answer)}`, `return one of ${[...STATES].join(", ")}`);
  }

  /** Returns the desired values. They must not depend on anything else than the object. */
  want(object: KubernetesObject): object {
    const read = (): unknown =>
      this.pure("desired", () =>
        this.options.desired({ ...this.owner(object), references: this.world.references?.(object) ?? {} } as never),
      );
    const [want, again] = [read(), read()];
    if (typeof want !== "object" || want === null || Array.isArray(want))
      return this.fail("functions answer", `desired returned ${shown(want)}`, "return an object with the desired values");
    if (differences(want, again as object).length > 0)
      this.note(
        "functions answer",
        "desired returned different values for the same object",
        "use nothing but its arguments: no time, no random",
      );
    return want;
  }

  async create({ object, name, token }: Subject, api: unknown = this.world.api): Promise<unknown> {
    const { create } = this.options;
    const want = this.want(object);
    const references = this.world.references?.(object) ?? {};
    return await this.answer("create", async (signal) =>
      create?.({ ...this.owner(object), api, signal, name, token, want, references } as never),
    );
  }

  async update(subject: Subject, given: { readonly want: object; readonly seen: object }): Promise<void> {
    const { object, name } = subject;
    const { update } = this.options;
    const { want, seen } = given;
    const changes = changesOf(want, differences(want, seen));
    const references = this.world.references?.(object) ?? {};
    const more = { name, want, seen, changes, references };
    await this.answer("update", async (signal) => update?.({ ...this.owner(object), api: this.world.api, signal, ...more } as never));
  }

  async delete(subject: Subject, seen: object | undefined, api: unknown = this.world.api): Promise<void> {
    await this.answer("delete", async (signal) => this.options.delete?.(this.#args(subject, api, signal, { seen })));
  }

  async recover({ object }: Subject, token: string): Promise<string | undefined> {
    const args = { ...this.owner(object), api: this.world.api, token };
    const found = await this.answer("recoverCreate", async (signal) => this.options.recoverCreate?.({ ...args, signal } as never));
    if (found === undefined || found === null) return undefined;
    const name: unknown = typeof found === "object" ? (found as { readonly name?: unknown }).name : found;
    const problem = nameProblem(name);
    if (problem !== undefined) this.fail("names fit", `recoverCreate returned a name that cannot be used: ${problem}`, "return { name }");
    return name as string; // checked
  }

  /** Returns everything outside, or `undefined` where the world cannot. A copy: the world may return its own lists. */
  async snapshot(): Promise<unknown> {
    const { snapshot } = this.world;
    return snapshot === undefined ? undefined : structuredClone(await snapshot());
  }

  /** The name before the create: that of `externalName`, or the default. */
  chosenName(object: KubernetesObject): string {
    const { externalName = externalNames.uid } = this.options;
    const args = { ...this.owner(object), singular: object.kind.toLowerCase() };
    const name = this.pure("externalName", () => externalName(args as never));
    const problem = nameProblem(name);
    if (problem !== undefined)
      return this.fail("names fit", `externalName returned a name that cannot be used: ${problem}`, "return a text of one line");
    return name as string; // checked
  }

  /** Calls a function that must not throw. */
  pure(verb: string, call: () => unknown): unknown {
    try {
      return call();
    } catch (error) {
      return this.fail("functions answer", `${verb} threw ${shown(error)}`, `${verb} must not throw for the objects of the world`);
    }
  }

  /** Runs a call that may reject. Nothing is noted for it. */
  async outcome(
    call: () => Promise<unknown>,
  ): Promise<{ readonly type: "answered" } | { readonly type: "rejected"; readonly error: unknown }> {
    const noted = this.problems.length;
    try {
      await call();
      return { type: "answered" };
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.problems.length = noted;
      return { type: "rejected", error: error.cause };
    }
  }

  /** Calls the provider. A call that rejects breaks the rule. */
  async answer(verb: string, call: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
    const { deadlineMs = 30_000, clock = systemClock } = this.world;
    const controller = new AbortController();
    const timer = clock.after(deadlineMs, () => controller.abort(new Error(`no answer within ${deadlineMs} ms`)));
    try {
      return await orAborted(call(controller.signal), controller.signal);
    } catch (error) {
      return this.fail("functions answer", `${verb} rejected with ${shown(error)}`, `${verb} must succeed here`, error);
    } finally {
      timer.cancel();
    }
  }

  #args({ object, name }: Subject, api: unknown, signal: AbortSignal, more: object): never {
    // The options have any types.
    return { ...this.owner(object), api, signal, name, ...more } as never;
  }
}

/** Returns the differences as paths: values may be secret. */
export function paths(found: readonly Difference[]): string {
  return found.map(({ path }) => path).join(", ");
}

/** Returns a value for a message: its type, and no content that may be secret. An error has its message. */
export function shown(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a value of the type ${typeof value}`;
}

/** Returns a copy of an object as the step gets it: it cannot be changed. */
export function asGiven(object: KubernetesObject): KubernetesObject {
  return deepFreeze(structuredClone(object));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(Object.freeze(value))) deepFreeze(inner);
  return value;
}
