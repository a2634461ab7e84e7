/** The kinds that a server serves, found by the words that kubectl accepts. */
import { groupKindOf, groupOf } from "@treadle/apimachinery";
import type { DiscoveredKind } from "@treadle/client";
import { CliError } from "../cli-error.ts";
import { nearest } from "./near.ts";

/** Finds kinds by name. It holds one list of kinds, the preferred version of each group first. */
export class ServedKinds {
  readonly all: readonly DiscoveredKind[];
  /** Versions such as `metrics.k8s.io/v1beta1` whose kinds are not known, because the server behind them does not answer. */
  readonly silent: readonly string[];
  readonly #byId = new Map<string, DiscoveredKind>();

  constructor(kinds: readonly DiscoveredKind[], silent: readonly string[] = []) {
    this.all = kinds;
    this.silent = silent;
    for (const kind of kinds) {
      const id = groupKindOf(kind);
      if (!this.#byId.has(id)) this.#byId.set(id, kind);
    }
  }

  /** Returns the kind of an apiVersion in the version that the server prefers: an object has the same status in all of them. */
  of({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): DiscoveredKind | undefined {
    return this.#byId.get(groupKindOf({ group: groupOf(apiVersion), kind }));
  }

  /** Tells whether the server does not serve a kind. Of a group that does not answer, nothing is known. */
  isUnserved(name: { readonly apiVersion: string; readonly kind: string }): boolean {
    return this.of(name) === undefined && !this.silent.some((each) => groupOf(each) === groupOf(name.apiVersion));
  }

  /** Returns every kind once, in its preferred version. */
  preferred(): readonly DiscoveredKind[] {
    return [...this.#byId.values()];
  }

  /** Returns the kinds with this name, in any group. The kinds of Kubernetes itself come first, as in kubectl. */
  named(name: string): readonly DiscoveredKind[] {
    return this.preferred()
      .filter((kind) => kind.kind === name)
      .toSorted((a, b) => Number(isBuiltIn(b)) - Number(isBuiltIn(a)));
  }

  /**
   * Returns the kind that a user means: a name, plural, singular or short name, alone or with `.GROUP` or `.VERSION.GROUP`. Where several
   * groups have it, a kind of Kubernetes itself wins, as in kubectl.
   * @throws CliError for an unknown kind, with those that are near, and for one of several groups
   */
  resolve(word: string): DiscoveredKind {
    const found = this.#matches(word);
    const [first, ...others] = found.filter(isBuiltIn);
    const kinds = first === undefined ? found : [first, ...others].slice(0, 1);
    const [only, another] = kinds;
    if (only === undefined) throw this.#unknown(word);
    if (another !== undefined) {
      const names = kinds.map((kind) => `${kind.plural}.${kind.group}`).toSorted();
      throw new CliError(`the kind ${JSON.stringify(word)} is in several groups; write one of: ${names.join(", ")}`);
    }
    return only;
  }

  #matches(word: string): readonly DiscoveredKind[] {
    const [name = "", ...rest] = word.toLowerCase().split(".");
    const group = rest.join(".");
    const hasName = (kind: DiscoveredKind): boolean =>
      [kind.kind.toLowerCase(), kind.plural, kind.singular, ...kind.shortNames].includes(name);
    if (group === "") return this.preferred().filter(hasName);
    const inGroup = this.preferred().filter((kind) => hasName(kind) && kind.group === group);
    if (inGroup.length > 0) return inGroup;
    const [version, ...ofVersion] = rest;
    const wanted = ofVersion.join(".");
    return this.all.filter((kind) => hasName(kind) && kind.version === version && kind.group === wanted).slice(0, 1);
  }

  #unknown(word: string): CliError {
    const names = this.preferred().flatMap((kind) => [kind.plural, kind.singular, kind.kind.toLowerCase(), ...kind.shortNames]);
    const [name = ""] = word.split(".");
    const near = nearest(
      name,
      names.filter((each) => each.length > 2),
    ).filter((each) => each !== name.toLowerCase());
    const elsewhere = this.#matches(name).map((kind) => (kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`));
    const meant = [...new Set([...elsewhere, ...near])].slice(0, 3);
    const advice =
      meant.length > 0 ? `did you mean ${meant.join(" or ")}?` : "`kubectl api-resources` lists the kinds; is its CRD installed?";
    if (this.silent.length > 0)
      return new CliError(
        `the kind ${JSON.stringify(word)} was not found, and the servers behind ${this.silent.join(", ")} do not answer; check their APIServices`,
      );
    return new CliError(`the server has no kind ${JSON.stringify(word)}; ${advice}`);
  }
}

/** Tells whether Kubernetes itself has the kind. Groups of CRDs end with another domain. */
export function isBuiltIn({ group }: { readonly group: string }): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}
