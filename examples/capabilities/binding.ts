/** Which Capability a requirement is bound to. Pure. */
import type { Capability } from "./capability.ts";
import type { Requirement } from "./component.ts";

/** A Capability, or why no Capability fits. */
export type Binding =
  | { readonly type: "bound"; readonly capability: Capability }
  | { readonly type: "problem"; readonly reason: string; readonly message: string };

/**
 * Returns the Capability for a requirement: that of `boundTo`, else `earlier`, else the only one that fits.
 * @param candidates the Capabilities in the namespace of the Component
 * @param earlier the Capability that was bound before: a second one that fits does not end a binding
 */
export function bind(requirement: Requirement, candidates: readonly Capability[], earlier: string | undefined): Binding {
  const { name, boundTo } = requirement;
  const fitting = candidates.filter((each) => each.metadata.deletionTimestamp === undefined && fits(each, requirement));
  const given = boundTo ?? (fitting.some((each) => each.metadata.name === earlier) ? earlier : undefined);
  if (given !== undefined) {
    const capability = fitting.find((each) => each.metadata.name === given);
    if (capability !== undefined) return { type: "bound", capability };
    const named = candidates.find((each) => each.metadata.name === given);
    const is = named === undefined ? "it does not exist" : `it is ${titleOf(named)}`;
    return problem("NotMatching", `requires[${name}].boundTo is "${given}", but ${is}; ${choice(candidates, requirement)}`);
  }
  const [capability, ...others] = fitting;
  if (capability === undefined) return problem("NoCapability", `no Capability fits requires[${name}]; ${choice(candidates, requirement)}`);
  if (others.length === 0) return { type: "bound", capability };
  return problem("SeveralCapabilities", `several Capabilities fit requires[${name}]: ${namesOf(fitting)}; set boundTo to one of them`);
}

/** Whether a Capability is what is required: without regard to case, and a version only if one is required. */
function fits({ spec }: Capability, { category, type, version }: Requirement): boolean {
  return isSame(spec.category, category) && isSame(spec.type, type) && (version === undefined || spec.version === version);
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function choice(candidates: readonly Capability[], { category, type, version }: Requirement): string {
  const wanted = `${category}/${type}${version === undefined ? "" : ` ${version}`}`;
  const titles = candidates.map((each) => `${each.metadata.name} (${titleOf(each)})`).toSorted();
  return `${wanted} is required, and the namespace has ${titles.length === 0 ? "no Capability" : titles.join(", ")}`;
}

function titleOf({ spec: { category, type, version } }: Capability): string {
  return `${category}/${type}${version === undefined ? "" : ` ${version}`}`;
}

function namesOf(capabilities: readonly Capability[]): string {
  return capabilities
    .map(({ metadata }) => metadata.name)
    .toSorted()
    .join(", ");
}

function problem(reason: string, message: string): Binding {
  return { type: "problem", reason, message };
}
