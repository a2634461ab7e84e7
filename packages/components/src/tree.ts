/** The components of an object as a tree, for the debug server. Pure: it shows what is stored. */
import type { Condition, Kind, KubernetesObject } from "@treadle/apimachinery";
import { type DependentEntry, dependentsOf } from "@treadle/dependents";
import { entryHandlerOf, type DebugNode, type ExtendedHandler } from "@treadle/reconcile/unstable/engine";
import type { Definition } from "./definition.ts";
import { previewOf } from "./preview.ts";

/** Returns the tree: the components, then their resources with their layers. */
export function treeOf(handler: ExtendedHandler<Definition>, object: KubernetesObject): DebugNode {
  const { conditions = [] } = (object as { readonly status?: { readonly conditions?: readonly Condition[] } }).status ?? {};
  const ready = conditions.find(({ type }) => type === "Ready");
  const entries = dependentsOf(object).filter((entry) => entry.handler === entryHandlerOf(handler));
  return {
    name: `${object.kind} ${object.metadata.name}`,
    ...stateOf(ready),
    children: handler.steps.map(({ data }) => componentNode(data, object, { kind: handler.kind, conditions, entries })),
  };
}

function componentNode(
  definition: Definition,
  object: KubernetesObject,
  {
    kind,
    conditions,
    entries,
  }: { readonly kind: Kind; readonly conditions: readonly Condition[]; readonly entries: readonly DependentEntry[] },
): DebugNode {
  const { name, resources, condition } = definition;
  return {
    name,
    ...stateOf(conditions.find(({ type }) => type === condition)),
    children: resources.flatMap((resource): readonly DebugNode[] => {
      const layers = firingOf({ ...definition, resources: [resource] }, kind, object).map(
        (layer): DebugNode => ({ name: `layer ${layer}`, state: "applies" }),
      );
      const own = entries.filter(({ step }) => step === resource.name);
      // A resource that is not checked for readiness has no entry, so nothing is known of it here.
      const state = resource.counts ? "no object" : "not checked for readiness";
      if (own.length === 0) return [{ name: resource.name, state, children: layers }];
      return own.map((entry) => ({
        name: `${resource.name}: ${entry.kind} ${entry.name}`,
        state: entry.reason,
        since: entry.lastTransitionTime,
        ...(entry.message === "" ? {} : { note: entry.message }),
        children: layers,
      }));
    }),
  };
}

function stateOf(condition: Condition | undefined): Pick<DebugNode, "state" | "since" | "note"> {
  if (condition === undefined) return { state: "not reported yet" };
  const { status, reason, message, lastTransitionTime } = condition;
  return { state: `${reason} (${status})`, since: lastTransitionTime, ...(message === "" ? {} : { note: message }) };
}

/** The layers that apply to the only resource, as far as that follows from the owner alone. */
function firingOf(definition: Definition, kind: Kind, object: KubernetesObject): readonly string[] {
  try {
    return Object.values(previewOf(kind, definition).firing(object)).flat();
  } catch {
    return [];
  }
}
