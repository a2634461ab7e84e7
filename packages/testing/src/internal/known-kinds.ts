/** Which kind a manifest is of: one that the test uses, a built-in one, or one that nobody has described. */
import {
  apiVersionOf,
  type CustomResourceDefinitionSpec,
  groupKindOf,
  type Kind,
  kind as untypedKind,
  parseApiVersion,
} from "@treadle/apimachinery";
import * as builtIn from "@treadle/apimachinery/kinds";

const BUILT_IN: readonly Kind[] = Object.values(builtIn).filter(isKind);

/** Built-in kinds whose objects a test may leave behind in namespaces. */
export const NAMESPACED_BUILT_IN: readonly Kind[] = BUILT_IN.filter(({ scope }) => scope === "Namespaced");

/** Kinds by apiVersion and name. */
export class KnownKinds {
  readonly #kinds = new Map<string, Kind>();

  constructor(kinds: Iterable<Kind> = []) {
    for (const kind of BUILT_IN) this.#kinds.set(idOf(apiVersionOf(kind), kind.kind), kind);
    for (const kind of kinds) this.add(kind);
  }

  /** One that knows its CRD takes the place of one that does not. Returns whether it was unknown. */
  add(kind: Kind): boolean {
    const id = idOf(apiVersionOf(kind), kind.kind);
    const known = this.#kinds.get(id);
    if (known === undefined || (known.resource === undefined && kind.resource !== undefined)) this.#kinds.set(id, kind);
    return known === undefined;
  }

  /** Adds the kinds that a CRD defines, one for each version. Anything else is no definition, and adds nothing. */
  define(manifest: unknown): readonly Kind[] {
    const { kind: name, spec } = (manifest ?? {}) as { readonly kind?: unknown; readonly spec?: Partial<CustomResourceDefinitionSpec> };
    if (name !== builtIn.CustomResourceDefinition.kind || spec?.group === undefined || spec.names === undefined) return [];
    const { group, names, scope = "Namespaced", versions = [] } = spec;
    const kinds = versions.map((version) => untypedKind({ group, version: version.name, kind: names.kind, plural: names.plural, scope }));
    for (const kind of kinds) this.add(kind);
    return kinds;
  }

  /** The kind of a manifest; one that is not known is taken for a namespaced custom resource. */
  of(apiVersion: string, name: string): Kind {
    const known = this.#kinds.get(idOf(apiVersion, name));
    if (known !== undefined) return known;
    return untypedKind({ ...parseApiVersion(apiVersion), kind: name });
  }
}

/** Whether every API server has it, without a CRD. */
export function isBuiltIn(kind: Kind): boolean {
  return BUILT_IN.some((other) => groupKindOf(other) === groupKindOf(kind));
}

function idOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

function isKind(value: unknown): value is Kind {
  return typeof value === "object" && value !== null && "plural" in value && "scope" in value;
}
