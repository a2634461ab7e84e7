/**
 * component: a feature of an operator as one step. Its resources are dependents with one lifecycle: they are gated, delayed, suspended
 * and removed together, and one condition of the owner reports them.
 *
 * Guarantees
 * - The condition has a reason of `componentReasons`, and is True exactly if the component is in its expected state.
 * - No object is written, suspended or deleted that the dependents of the component would not write or delete in a handler's list.
 * - A pass in which nothing has changed sends no request.
 *
 * The order of a pass: gate, barrier, suspension (`open.ts`); the resources, as `course.ts` decides; one condition (`report.ts`);
 * removals, in reverse order.
 */
import type { Kind, ObjectOf } from "@treadle/apimachinery";
import { supervision } from "@treadle/dependents/unstable/step";
import type { AnyStep, Reads } from "@treadle/reconcile";
import { defineComposite } from "@treadle/reconcile/unstable/engine";
import { eventsOf } from "./changes.ts";
import { courseOf } from "./course.ts";
import { type Definition, definitionOf } from "./definition.ts";
import type { AnyComponentOptions } from "./any-options.ts";
import { components } from "./extension.ts";
import { type ComponentReq, open, openWithout } from "./open.ts";
import type { OwnerInput } from "./preview-owner.ts";
import { previewOf } from "./preview.ts";
import { report, reportRemovals, reportWithout } from "./report.ts";
import { STATE } from "./state.ts";
import type { ComponentOf, ComponentOptions } from "./types.ts";
import { wordOf } from "./words.ts";

/**
 * Makes a component: a step with resources that share a lifecycle, and one condition that reports them. Several components of a
 * handler belong into one `all()`, so that one that is not ready does not hold up the others.
 *
 * @throws TypeError when the options are invalid; problems of the handler are reported by `build()`.
 */
export function component<
  P extends Kind,
  const Name extends string,
  const C extends string,
  const S extends readonly AnyStep[],
  const L extends readonly AnyStep[] = readonly [],
  R extends Reads<ObjectOf<P>> = {},
  const A extends readonly AnyStep[] = readonly AnyStep[],
  const K extends readonly Kind[] = readonly Kind[],
>(primary: P, options: ComponentOptions<ObjectOf<P>, Name, C, S, L, R, A, K>): ComponentOf<ObjectOf<P>, C, S, L, OwnerInput<P>> {
  const definition = definitionOf(options as unknown as AnyComponentOptions);
  if (typeof (primary as Kind | undefined)?.kind !== "string")
    throw new TypeError(
      `component "${definition.name}": the first argument must be a kind: what defineResource(), kind() or anyKind() gave, or a built-in kind`,
    );
  const step = stepOf(primary, definition);
  const members = { ...Object.getOwnPropertyDescriptors(previewOf(primary, definition)), ...Object.getOwnPropertyDescriptors(step) };
  // The types follow from the options; at run time there is nothing to check them against.
  return Object.freeze(Object.create(Object.prototype, members)) as ComponentOf<ObjectOf<P>, C, S, L, OwnerInput<P>>;
}

function stepOf(kind: Kind, definition: Definition): object {
  const { options, resources, isList } = definition;
  return defineComposite({
    kind,
    name: options.name,
    conditions: [options.condition],
    needs: options.needs ?? [],
    reads: options.reads ?? {},
    events: eventsOf(resources),
    ...(definition.hasState ? { state: STATE } : {}),
    parts: {
      steps: resources.map(({ step }) => step),
      maker: "component",
      ...(isList || resources.length === 0
        ? {}
        : { order: { by: { name: "dependents" }, concurrency: AT_ONCE, of: "made by dependentApply()" } }),
      opens: (req) => open(definition, req as ComponentReq),
      opensWithout: (req, wait) => openWithout(definition, req as ComponentReq, wait),
      reports: true,
      isList,
    },
    do: (req) => report(definition, req as ComponentReq),
    unprovided: (req, wait) => reportWithout(definition, req as ComponentReq, wait),
    post: (req) => reportRemovals(definition, req as ComponentReq),
    uses: [
      components.use(definition),
      supervision.use({
        courseOf: (req, name) => courseOf(definition, req, name),
        word: (name, given) => wordOf(definition, name, given),
        immutableFields: (name) => definition.resourceOf(name).record.immutable,
      }),
    ],
  });
}

/** So many resources that do not need each other run at once, with `blocked: "dependants"`. */
const AT_ONCE = 5;
