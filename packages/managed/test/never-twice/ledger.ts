/**
 * Who owns which external resource, and what must hold. Invariants:
 * 1. Never are two resources alive for one object.
 * 2. When an object no longer exists, no resource of it is left.
 * 3. When a create begins, the stored object has its record and our finalizer, and is the object that it is made for. Its token is new,
 *    or the record says that it is repeated. If another process has repeated it meanwhile, the object still waits for it.
 * 4. In the end the object is Ready, with exactly one resource, as its spec says. (world.ts)
 * 5. Nothing is updated or deleted that the object did not create, and that no person named.
 * 6. CreateInterrupted is not said of a create that the provider answered, and ExternalNotFound only of names that a person wrote.
 *    AlreadyExists is said only after a person named another resource.
 *
 * A resource is exempt from 1 and 2 after a person named another one: it stays as it is, as documented. It is also exempt if the object
 * said that the result of its create is not known, and a person answered too early. Those are counted.
 */
import { type Disk, FINALIZER, type Outside, STEP } from "./author.ts";

export interface Figures {
  scripts: number;
  passes: number;
  creates: number;
  crashes: number;
  lost: number;
  late: number;
  /** Violations of 1 and of 2. */
  duplicates: number;
  orphans: number;
  /** Resources that are too many, where the object had said that the result is not known. */
  said: number;
}

export function newFigures(): Figures {
  return { scripts: 0, passes: 0, creates: 0, crashes: 0, lost: 0, late: 0, duplicates: 0, orphans: 0, said: 0 };
}

/** The part of the step state that the checks need. */
interface StoredState {
  readonly creates?: number;
  readonly absentUntilMs?: number;
  readonly record?: { readonly token: string; readonly startedMs: number; readonly isRepeated?: boolean };
}

export class Ledger {
  readonly violations: string[] = [];
  readonly #outside: Outside;
  readonly #figures: Figures;
  /** Tokens of resources that a person gave up by naming another one. */
  readonly #released = new Set<string>();
  /** Tokens whose result a person reported too early, because the object asked for it. */
  readonly #answered = new Set<string>();
  /** Tokens of creates that have begun. */
  readonly #begun = new Set<string>();
  /** Names that a person wrote into the annotation. */
  readonly #named = new Set<string>();
  readonly #counted = new Set<string>();

  constructor(outside: Outside, figures: Figures) {
    this.#outside = outside;
    this.#figures = figures;
  }

  /** A person named another resource, or none. */
  named(object: Disk, name: string | undefined): void {
    if (name !== undefined) this.#named.add(name);
    for (let n = 1; n <= (stateOf(object).creates ?? 0); n++) this.#released.add(`${object.metadata.uid}-${n}`);
  }

  /** A person said what became of a create. */
  answered(token: string, name: string | undefined): void {
    if (name === undefined) this.#answered.add(token);
    else this.#named.add(name);
  }

  /** Returns the time at which the recorded create began. */
  begins(token: string, stored: Disk | undefined, nowMs: number): number | undefined {
    this.#figures.creates++;
    const state = stateOf(stored);
    const { record } = state;
    const isRepeated = record?.isRepeated === true || isAwaited(state, nowMs);
    if ((record?.token !== token && !isAwaited(state, nowMs)) || ownerOf(token) !== stored?.metadata.uid)
      this.violations.push(`3: the create ${token} begins, but the stored state is ${JSON.stringify(state)}`);
    if (this.#begun.has(token) && !isRepeated) this.violations.push(`3: the token ${token} is used for two creates`);
    this.#begun.add(token);
    if (stored?.metadata.finalizers?.includes(FINALIZER) !== true)
      this.violations.push(`3: the create ${token} begins without the finalizer`);
    return record?.startedMs;
  }

  /** Whether a person wrote this name into the annotation. */
  isNamed(name: string): boolean {
    return this.#named.has(name);
  }

  get hasNames(): boolean {
    return this.#named.size > 0;
  }

  changes(verb: "update" | "delete", name: string): void {
    const item = this.#outside.items.find((item) => item.name === name);
    if (item !== undefined && item.token === undefined && !this.#named.has(name))
      this.violations.push(`5: ${verb} ${name}, which no person named`);
  }

  /** Checks the resources of all objects, of which these exist. */
  check(objects: readonly Disk[]): void {
    const present = new Set(objects.map(({ metadata }) => metadata.uid));
    const alive = new Set<string>();
    for (const { token } of this.#outside.items) {
      if (token === undefined || this.#released.has(token)) continue;
      const owner = ownerOf(token);
      const isSaid = this.#answered.has(token);
      if (alive.has(owner)) this.#extra(token, isSaid, "duplicates", `1: ${owner} has several: ${JSON.stringify(this.#outside.items)}`);
      else if (!isSaid) alive.add(owner);
      if (!present.has(owner)) this.#extra(token, isSaid, "orphans", `2: ${token} is left: ${JSON.stringify(this.#outside.items)}`);
    }
  }

  /** Returns the resources of the object: those that count, and the one that it names. */
  of(object: Disk | undefined, name: string | undefined): readonly Outside["items"][number][] {
    const isOf = (token: string | undefined): boolean =>
      token !== undefined && ownerOf(token) === object?.metadata.uid && !this.#released.has(token) && !this.#answered.has(token);
    return this.#outside.items.filter((item) => item.name === name || isOf(item.token));
  }

  #extra(token: string, isSaid: boolean, figure: "duplicates" | "orphans", violation: string): void {
    if (this.#counted.has(`${figure} ${token}`)) return;
    this.#counted.add(`${figure} ${token}`);
    if (isSaid) this.#figures.said++;
    else {
      this.#figures[figure]++;
      this.violations.push(violation);
    }
  }
}

/**
 * Whether another process has repeated the create and ended its record, and the object still waits for this earlier attempt. Such a create
 * has a name of ours: it changes nothing.
 */
function isAwaited({ record, absentUntilMs = 0 }: StoredState, nowMs: number): boolean {
  return record === undefined && absentUntilMs > nowMs;
}

/** The uid of the object for which a create began. */
export function ownerOf(token: string): string {
  return token.slice(0, token.lastIndexOf("-"));
}

export function stateOf(object: Disk | undefined): StoredState {
  return (object?.status as { readonly steps?: Record<string, StoredState> } | undefined)?.steps?.[STEP] ?? {};
}
