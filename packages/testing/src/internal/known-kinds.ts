/** Finds the kind of a manifest: a kind of the test, a built-in kind, or a guess. */
import {
  apiVersionOf,
  type CustomResourceDefinitionSpec,
  groupKindOf,
  type Kind,
  kind as untypedKind,
  parseApiVersion,
} from "@treadle/apimachinery";
import type { KindName } from "@treadle/client";
import * as builtIn from "@treadle/apimachinery/kinds";

const BUILT_IN: readonly Kind[] = Object.values(builtIn).filter(isKind);

/** The built-in kinds with namespaces, except Endpoints: they follow their Services, and a real server answers each list with a warning. */
export const NAMESPACED_BUILT_IN: readonly Kind[] = BUILT_IN.filter(({ scope, kind }) => scope === "Namespaced" && kind !== "Endpoints");

/** Kinds by apiVersion and name. */
export class KnownKinds {
  readonly #kinds = new Map<string, Kind>();
  readonly #warned = new Set<string>();

  constructor(kinds: Iterable<Kind> = []) {
    for (const kind of BUILT_IN) this.#kinds.set(idOf(apiVersionOf(kind), kind.kind), kind);
    for (const kind of kinds) this.add(kind);
  }

  /** Adds a kind; a kind with a CRD replaces one without. Returns whether the kind was unknown. */
  add(kind: Kind): boolean {
    const id = idOf(apiVersionOf(kind), kind.kind);
    const known = this.#kinds.get(id);
    if (known === undefined || (known.resource === undefined && kind.resource !== undefined)) this.#kinds.set(id, kind);
    return known === undefined;
  }

  /** Adds the kinds of a CRD, one for each version. Ignores other manifests. */
  define(manifest: unknown): readonly Kind[] {
    const { kind: name, spec } = (manifest ?? {}) as { readonly kind?: unknown; readonly spec?: Partial<CustomResourceDefinitionSpec> };
    if (name !== builtIn.CustomResourceDefinition.kind || spec?.group === undefined || spec.names === undefined) return [];
    const { group, names, scope = "Namespaced", versions = [] } = spec;
    const kinds = versions.map((version) => untypedKind({ group, version: version.name, kind: names.kind, plural: names.plural, scope }));
    for (const kind of kinds) this.add(kind);
    return kinds;
  }

  /** Returns the kind of this name, in any version if the name has none; undefined if it is not known. */
  find(name: KindName): Kind | undefined {
    if ("apiVersion" in name) return this.#kinds.get(idOf(name.apiVersion, name.kind));
    const { group, kind, version } = name;
    return [...this.#kinds.values()].find(
      (known) => known.group === group && known.kind === kind && (version === undefined || known.version === version),
    );
  }

  /** Returns the kind of a manifest; an unknown kind is assumed to be a namespaced custom resource. */
  of(apiVersion: string, name: string): Kind {
    const known = this.#kinds.get(idOf(apiVersion, name));
    if (known !== undefined) return known;
    const guessed = untypedKind({ ...parseApiVersion(apiVersion), kind: name });
    const fix = isBuiltIn(guessed) ? "" : meant(guessed, this.#kinds.values());
    if (fix !== "" && !this.#warned.has(idOf(apiVersion, name))) {
      this.#warned.add(idOf(apiVersion, name));
      process.emitWarning(
        `${name} (${apiVersion}) is a kind that nothing declares, so the server gets a CRD for it${fix} If this is intended, name the kind in the option kinds`,
        "TreadleWarning",
      );
    }
    return guessed;
  }
}

/** Whether every API server has the kind without a CRD. @throws TypeError for an unknown kind of the core group */
export function isBuiltIn(kind: Kind): boolean {
  const isKnown = BUILT_IN.some((other) => groupKindOf(other) === groupKindOf(kind));
  if (!isKnown && kind.group === "") throw new TypeError(`the core group has no kind ${JSON.stringify(kind.kind)}${meant(kind, BUILT_IN)}`);
  return isKnown;
}

/** Returns `: is it Secret?` if a known kind of the same group has a similar name; otherwise an empty text. */
function meant({ group, kind }: Pick<Kind, "group" | "kind">, known: Iterable<Kind>): string {
  const near = [...known].find((other) => other.group === group && other.kind !== kind && isNear(other.kind, kind));
  return near === undefined ? "" : `: is it ${near.kind}?`;
}

/** Whether two names differ by at most two letters; short names by one, very short names by case only. */
function isNear(name: string, given: string): boolean {
  const [a, b] = [name.toLowerCase(), given.toLowerCase()];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substituted));
    }
    row = next;
  }
  return (row[b.length] ?? 0) <= (a.length > 5 ? 2 : a.length > 3 ? 1 : 0);
}

function idOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

function isKind(value: unknown): value is Kind {
  return typeof value === "object" && value !== null && "plural" in value && "scope" in value;
}
