/**
 * Remembers the inputs of the author's functions, and decides whether they are the same in a later pass. Objects of the server are
 * compared by uid and resourceVersion, all other values by value. No value is serialized.
 */
import { jsonEqual, type KubernetesObject } from "@treadle/apimachinery";
import { isPlain } from "./json.ts";

/** What the functions of an author get besides the owner. */
export interface Inputs {
  /** What earlier steps handed over; compared by value. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Objects and lists of objects; compared by uid and resourceVersion. */
  readonly reads: Readonly<Record<string, unknown>>;
  /** The live objects, or records of them, that the object depends on; compared by uid and resourceVersion. */
  readonly dependents: Readonly<Record<string, unknown>>;
}

/** The owner and the handler: they are inputs too. */
export interface Asker {
  /** The owner of the objects. */
  readonly owner: KubernetesObject;
  /** The names of the handler, the present one first. */
  readonly handlerNames: readonly string[];
}

/** The inputs of one call of the author's functions, in a form that later changes of them do not reach. */
export interface SeenInputs {
  /** Version of the owner. */
  readonly owner: unknown;
  /** Generation of the owner. */
  readonly generation: number | undefined;
  /** Labels of the owner. */
  readonly labels: unknown;
  /** Annotations of the owner. */
  readonly annotations: unknown;
  /** Names of the handler. */
  readonly handlerNames: readonly string[];
  /** A copy of the vars. */
  readonly vars: unknown;
  /** Versions of the objects that were read. */
  readonly reads: unknown;
  /** Versions of the objects that it depends on. */
  readonly dependents: unknown;
}

/** Notes the inputs for a later {@link isSameInput}. */
export function seenInputs({ owner, handlerNames }: Asker, { vars, reads, dependents }: Inputs): SeenInputs {
  const { generation, labels, annotations } = owner.metadata;
  return {
    owner: versionsIn(owner),
    generation,
    labels,
    annotations,
    handlerNames,
    vars: copyOf(vars),
    reads: versionsIn(reads),
    dependents: versionsIn(dependents),
  };
}

/** Decides whether pure functions would return what they returned for `seen`. */
export function isSameInput(seen: SeenInputs, asker: Asker, inputs: Inputs): boolean {
  return isSameVersion(seen.owner, asker.owner) && isSameBesidesOwner(seen, asker, inputs);
}

/** Decides as {@link isSameInput}, but ignores the owner's status, because our own writes change it. */
export function isSameQuestion(seen: SeenInputs, asker: Asker, inputs: Inputs): boolean {
  const { generation, labels, annotations } = asker.owner.metadata;
  return (
    seen.generation === generation &&
    jsonEqual(seen.labels, labels) &&
    jsonEqual(seen.annotations, annotations) &&
    isSameBesidesOwner(seen, asker, inputs)
  );
}

function isSameBesidesOwner(seen: SeenInputs, { handlerNames }: Asker, { vars, reads, dependents }: Inputs): boolean {
  return (
    (seen.handlerNames === handlerNames || jsonEqual(seen.handlerNames, handlerNames)) &&
    isSameVersion(seen.dependents, dependents) &&
    isSameVersion(seen.reads, reads) &&
    isSameValue(seen.vars, vars)
  );
}

/**
 * Notes and compares the inputs of many objects once, for one unit in one pass. Without it, a var with a value for each object
 * would be compared for each object.
 */
export class SharedInputs {
  readonly #asker: Asker;
  readonly #inputs: Inputs;
  readonly #inputAnswers = new Map<SeenInputs, boolean>();
  readonly #questionAnswers = new Map<SeenInputs, boolean>();
  #seen: SeenInputs | undefined;

  constructor(asker: Asker, inputs: Inputs) {
    this.#asker = asker;
    this.#inputs = inputs;
  }

  /** As {@link seenInputs}. */
  seen(): SeenInputs {
    this.#seen ??= seenInputs(this.#asker, this.#inputs);
    return this.#seen;
  }

  /** As {@link isSameInput}. */
  isSameInput(seen: SeenInputs): boolean {
    return once(this.#inputAnswers, seen, () => isSameInput(seen, this.#asker, this.#inputs));
  }

  /** As {@link isSameQuestion}. */
  isSameQuestion(seen: SeenInputs): boolean {
    return once(this.#questionAnswers, seen, () => isSameQuestion(seen, this.#asker, this.#inputs));
  }
}

function once<Key>(known: Map<Key, boolean>, key: Key, ask: () => boolean): boolean {
  let answer = known.get(key);
  if (answer === undefined) known.set(key, (answer = ask()));
  return answer;
}

/** Stands for a value that cannot be compared, such as an instance of a class: it counts as changed each time. */
const INCOMPARABLE: unique symbol = Symbol("incomparable");

/** An object of the server at one version. */
class Version {
  readonly uid: string;
  readonly resourceVersion: string;

  constructor(uid: string, resourceVersion: string) {
    this.uid = uid;
    this.resourceVersion = resourceVersion;
  }
}

/** Deeper values are taken for circles. */
const MAX_DEPTH = 100;

/** Returns `value` with the version of each object of the server in its place, in a form that later changes do not reach. */
export function versionsIn(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  const metadata = metadataOf(value);
  if (metadata !== undefined) return new Version(metadata.uid, metadata.resourceVersion);
  if (depth === MAX_DEPTH || !isPlain(value)) return INCOMPARABLE;
  if (Array.isArray(value)) return value.map((each) => versionsIn(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, versionsIn(member, depth + 1)]));
}

function isSameVersion(seen: unknown, value: unknown): boolean {
  if (typeof seen !== "object" || seen === null) return seen !== INCOMPARABLE && Object.is(seen, value);
  if (typeof value !== "object" || value === null) return false;
  if (!(seen instanceof Version)) return metadataOf(value) === undefined && haveSameMembers(seen, value, isSameVersion);
  const metadata = metadataOf(value);
  return metadata !== undefined && metadata.uid === seen.uid && metadata.resourceVersion === seen.resourceVersion;
}

/** What tells one version of an object of the server from another; `undefined` for any other value. */
function metadataOf(value: object): { readonly uid: string; readonly resourceVersion: string } | undefined {
  const metadata = (value as { readonly metadata?: Readonly<Record<string, unknown>> | null }).metadata;
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const { uid, resourceVersion } = metadata;
  return typeof uid === "string" && typeof resourceVersion === "string" ? { uid, resourceVersion } : undefined;
}

/** A copy of what could change; parts that are frozen at every depth are shared. */
function copyOf(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return new Date(value);
  if (depth === MAX_DEPTH || !isPlain(value)) return INCOMPARABLE;
  if (Array.isArray(value)) {
    const items = value.map((each) => copyOf(each, depth + 1));
    return Object.isFrozen(value) && items.every((each, i) => Object.is(each, value[i])) ? value : items;
  }
  const entries = Object.entries(value).map(([key, member]) => [key, copyOf(member, depth + 1)] as const);
  const isShared = Object.isFrozen(value) && entries.every(([key, member]) => Object.is(member, (value as Record<string, unknown>)[key]));
  return isShared ? value : Object.fromEntries(entries);
}

function isSameValue(seen: unknown, value: unknown): boolean {
  if (seen === INCOMPARABLE) return false;
  if (Object.is(seen, value)) return true;
  if (typeof seen !== "object" || seen === null || typeof value !== "object" || value === null) return false;
  if (seen instanceof Date || value instanceof Date)
    return seen instanceof Date && value instanceof Date && seen.getTime() === value.getTime();
  return isPlain(value) && haveSameMembers(seen, value, isSameValue);
}

function haveSameMembers(seen: object, value: object, isSame: (seen: unknown, value: unknown) => boolean): boolean {
  if (Array.isArray(seen) || Array.isArray(value))
    return Array.isArray(seen) && Array.isArray(value) && seen.length === value.length && seen.every((each, i) => isSame(each, value[i]));
  let rest = 0;
  for (const key in seen) {
    if (!Object.hasOwn(value, key)) return false;
    if (!isSame((seen as Record<string, unknown>)[key], (value as Record<string, unknown>)[key])) return false;
    rest++;
  }
  for (const _ in value) rest--;
  return rest === 0;
}
