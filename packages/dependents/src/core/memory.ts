/** What is remembered of the objects of one owner between passes, in this process only: by unit, then by object. */
import { groupKindOf, keyOf, type Kind, type Ref } from "@treadle/apimachinery";
import type { Throttle } from "@treadle/reconcile/unstable/engine";
import type { DependentState } from "./entries.ts";
import type { SeenInputs } from "./inputs.ts";
import type { TimeUse } from "./timing.ts";

/** What was applied last, and what the server made of it. */
export interface Applied {
  /** The uid of the object. */
  readonly uid: string | undefined;
  /** Digest of what was applied. */
  readonly wanted: string;
  /** Digest of our fields as the server stored them: values that it normalises are no difference. */
  readonly stored: string | undefined;
  /** The version that was written, or last compared without a difference. */
  readonly resourceVersion: string | undefined;
  /** Of an object that is replaced: what the server made of values that it changes, as digests by path. @defaultValue none */
  readonly accepted?: ReadonlyMap<string, string>;
}

/** How often an object was written in a row. */
export interface Pace {
  /** Generation of the owner: with another one the object is written at once. */
  readonly generation: number | undefined;
  /** Counts the writes in a row, and slows them down. */
  readonly throttle: Throttle;
  /** What the author's functions got when the object was written. */
  readonly seen: SeenInputs | undefined;
  /** Why the object was written, for people. */
  readonly why: string;
}

/** A version of an object that needed no write. */
export interface Settled {
  /** The inputs of the desired state. */
  readonly seen: SeenInputs;
  /** The uid of the object. */
  readonly uid: string;
  /** The version of the object. */
  readonly resourceVersion: string;
  /** The state of a ready object; `undefined`: the object was not ready, and the author's functions are called again. */
  readonly ready: DependentState | undefined;
  /** When the author's functions want to be called again, in the clock's milliseconds; `undefined`: when something changes. */
  readonly dueAtMs: number | undefined;
  /** Digest of the desired state of an object that runs once. */
  readonly completed: string | undefined;
}

/** The values that an object gives. */
export interface Given {
  /** The inputs from which the values were computed; `undefined`: they are not remembered. */
  readonly version: string | undefined;
  /** The values that are there, by name. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Texts in the values that no message may show; `undefined` for an object that is not confidential. */
  readonly secrets: readonly string[] | undefined;
  /** A clause that says why the values are missing. */
  readonly missing: string | undefined;
}

/** A change that the server refused, because it does not let fields change. */
export interface Refused {
  /** The uid of the object. */
  readonly uid: string | undefined;
  /** The version of the object. */
  readonly resourceVersion: string | undefined;
  /** Digest of the body that was refused. */
  readonly wanted: string;
  /** The fields. */
  readonly paths: readonly string[];
  /** What the entry reports, in addition to the fields. */
  readonly why: string;
  /** When the server is asked again, in the clock's milliseconds: a rule of the cluster may have changed. */
  readonly untilMs: number;
}

/** What is remembered of one object. */
export class ObjectMemory {
  /** What was applied last. */
  applied: Applied | undefined;
  /** How often it was written in a row. */
  pace: Pace | undefined;
  /** The change that the server refused last. */
  refused: Refused | undefined;
  /** The version that needed no write. It holds as long as nothing changes. */
  settled: Settled | undefined;
  /** The values that it gave last. */
  given: Given | undefined;
}

/** Names may change with each pass, so not every pace is kept. */
const MAX_PACES = 100;

/** What is remembered of one unit of one owner. */
export class UnitMemory {
  readonly #objects = new Map<string, ObjectMemory>();
  /** How often objects that were forgotten had been written, the oldest first. */
  readonly #paces = new Map<string, Pace>();
  readonly #labels = new Map<string, Readonly<Record<string, string>>>();
  /** The `id` of the objects for which all others were removed last; the empty text: for none. */
  prunedFor: string | undefined;
  /** Passes in a row that failed, or could not write the object, while the owner does not wait for it. */
  failures = 0;
  /** How the predicates of the unit used the time when they were last asked, by name. */
  readonly predicates: Map<string, TimeUse> = new Map();
  /** The author was warned of a function that asks for the time and does not say when its answer changes. */
  isWarnedOfTime = false;

  /** The course under which the objects were settled. */
  course = "";

  /** Forgets that objects need no write, because the unit runs on another course. */
  changeCourse(course: string): void {
    if (this.course === course) return;
    this.course = course;
    for (const memory of this.#objects.values()) memory.settled = undefined;
  }

  /** The memory of one object, made when it is first asked for. */
  object(kind: Kind, ref: Ref): ObjectMemory {
    const key = keyIn(kind, ref);
    let memory = this.#objects.get(key);
    if (memory === undefined) {
      memory = new ObjectMemory();
      memory.pace = this.#paces.get(key);
      this.#paces.delete(key);
      this.#objects.set(key, memory);
    }
    return memory;
  }

  /** As {@link object}, but nothing is made. */
  known(kind: Kind, ref: Ref): ObjectMemory | undefined {
    return this.#objects.get(keyIn(kind, ref));
  }

  /** Forgets an object that the unit does not keep any more. Its pace stays for a time: it may be created and deleted again and again. */
  forget(kind: Kind, ref: Ref): void {
    const key = keyIn(kind, ref);
    const pace = this.#objects.get(key)?.pace;
    this.#objects.delete(key);
    if (pace === undefined) return;
    this.#paces.delete(key);
    this.#paces.set(key, pace);
    const [oldest] = this.#paces.keys();
    if (this.#paces.size > MAX_PACES && oldest !== undefined) this.#paces.delete(oldest);
  }

  /** The labels for a name of the handler, computed once: they are hashes of what never changes. */
  labels(handlerName: string, compute: () => Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    let labels = this.#labels.get(handlerName);
    if (labels === undefined) {
      labels = compute();
      this.#labels.set(handlerName, labels);
    }
    return labels;
  }
}

/** What is remembered of one owner. Made for its uid, and dropped with it. */
export class DependentsMemory {
  readonly #units = new Map<string, UnitMemory>();
  /** The owner is deleted with `--cascade=orphan`: its objects stay. */
  isOrphaning = false;

  /** The memory of one unit, made when it is first asked for. */
  unit(unit: string): UnitMemory {
    let memory = this.#units.get(unit);
    if (memory === undefined) {
      memory = new UnitMemory();
      this.#units.set(unit, memory);
    }
    return memory;
  }

  /** Forgets what is remembered of the objects of a unit. */
  forget(unit: string): void {
    this.#units.delete(unit);
  }
}

function keyIn(kind: Kind, ref: Ref): string {
  return `${groupKindOf(kind)} ${keyOf(ref)}`;
}
