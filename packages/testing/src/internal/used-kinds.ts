/** The kinds that a test uses: those that the server serves for it, and whose objects the test may see. */
import { groupKindOf, type Kind } from "@treadle/apimachinery";
import type { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { isBuiltIn, KnownKinds } from "./known-kinds.ts";

export class UsedKinds {
  readonly known: KnownKinds;
  /** Changes with each change of the set. */
  revision = 0;
  readonly #used = new Map<string, Kind>();
  /** Kinds whose CRD the test gave: the server keeps that CRD. */
  readonly #defined = new Set<string>();
  readonly #given: readonly Kind[];
  /** Kinds that an operator watches, whether the server serves them or not. */
  readonly #observed = new Map<string, Kind>();

  /** @param always further kinds, which every server serves */
  constructor(given: Iterable<Kind>, always: readonly Kind[]) {
    this.#given = unique(given);
    this.known = new KnownKinds(this.#given);
    for (const kind of [...this.#given, ...always]) this.#used.set(idOf(kind), kind);
  }

  /** Adds the kinds of a CRD that the test gave. */
  define(definition: CustomResourceDefinition): void {
    for (const kind of this.known.define(definition)) {
      this.#used.set(idOf(kind), kind);
      this.#defined.add(idOf(kind));
    }
    this.revision++;
  }

  /** The given kinds that need a generated CRD: neither built-in nor defined by the test. */
  undefinedKinds(): readonly Kind[] {
    const defined = [...this.#used].filter(([id]) => this.#defined.has(id)).map(([, kind]) => groupKindOf(kind));
    return this.#given.filter((kind) => !isBuiltIn(kind) && !defined.includes(groupKindOf(kind)));
  }

  /**
   * Adds a kind. Returns whether the server must install it: not if it has the kind already.
   * @throws TypeError when objects of the kind were created under another plural or scope, which was guessed from a manifest
   */
  add(kind: Kind): boolean {
    const id = idOf(kind);
    const present = this.#used.get(id);
    // A kind with a CRD replaces one that was guessed from a manifest.
    if (present !== undefined && (present.resource !== undefined || kind.resource === undefined || this.#defined.has(id))) return false;
    if (present !== undefined && (present.scope !== kind.scope || present.plural !== kind.plural))
      throw new TypeError(misjudged(present, kind));
    // The CRD of another version serves this one. Installed again, it would lose the conversion that an operator or a deployer has set.
    const isServed = kind.resource !== undefined && [...this.#used.values()].some((used) => used.resource?.crd() === kind.resource?.crd());
    this.#used.set(id, kind);
    this.known.add(kind);
    this.revision++;
    return !isServed;
  }

  /** Adds a kind whose objects are to be seen, without installing it. */
  observe(kind: Kind): void {
    if (this.has(kind) || this.#observed.has(idOf(kind))) return;
    this.#observed.set(idOf(kind), kind);
    this.revision++;
  }

  /** Removes a kind in all versions. */
  remove(kind: Kind): void {
    const removed = [...this.#used.values()].filter((used) => groupKindOf(used) === groupKindOf(kind));
    for (const id of [kind, ...removed].map(idOf)) {
      this.#used.delete(id);
      this.#defined.delete(id);
    }
    this.revision++;
  }

  has(kind: Kind): boolean {
    return this.#used.has(idOf(kind));
  }

  /** Whether the test gave the CRD of the kind. */
  isDefined(kind: Kind): boolean {
    return this.#defined.has(idOf(kind));
  }

  all(): readonly Kind[] {
    return [...this.#used.values()];
  }

  /** The kinds in use, and those that operators watch. */
  seen(): readonly Kind[] {
    return [...this.#used.values(), ...[...this.#observed.values()].filter((kind) => !this.has(kind))];
  }
}

/** Names a kind in one version. */
export function idOf(kind: Kind): string {
  return `${kind.group}/${kind.version}/${kind.kind}`;
}

function unique(kinds: Iterable<Kind>): readonly Kind[] {
  const byId = new Map<string, Kind>();
  for (const kind of kinds) if (byId.get(idOf(kind))?.resource === undefined) byId.set(idOf(kind), kind);
  return [...byId.values()];
}

function misjudged(guess: Kind, kind: Kind): string {
  const shown = ({ scope, plural }: Kind): string => `${scope === "Cluster" ? "cluster-scoped" : "namespaced"} "${plural}"`;
  return `objects of ${kind.kind} were created before the kind was known, as ${shown(guess)}, but the kind is ${shown(kind)}: name it from the start, with kinds: [${kind.kind}] or with its CRD among the objects`;
}
