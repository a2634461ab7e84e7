/** Makes steps that consist of other steps. */
import type { Kind } from "@treadle/apimachinery";
import type { Wait } from "../result.ts";
import { opaque, type PhaseFunction, type RawDefinition, runtimeFrom, runtimeOf } from "./step-runtime.ts";

/** Raw parts are the parts of a composite step, as a factory gives them. */
export interface RawParts {
  /** The parts, made by `step()` or a factory around it. */
  readonly steps: readonly unknown[];
  /** The function that makes such composites, for errors. @defaultValue "all" */
  readonly maker?: string;
  /** The extension that all parts must use, and the number of parts that run at once. @defaultValue any parts, one after the other */
  readonly order?: {
    readonly by: { readonly name: string };
    readonly concurrency: number;
    /** The kind of the parts, for the error about another step, such as `made by bucket()`. */
    readonly of: string;
  };
  /**
   * Runs before the parts, with the req of the composite's `do`. If it does not continue, the parts do not run, but the `do` of the
   * composite does: `openingOf(req)` returns how it ended. @defaultValue the parts run
   */
  readonly opens?: PhaseFunction;
  /**
   * Runs in the place of `opens` while values of `needs` are missing; `wait` names them. The `do` of the composite is replaced by its
   * `unprovided`. @defaultValue the parts do not run
   */
  readonly opensWithout?: (req: unknown, wait: Wait) => unknown;
  /**
   * Whether the `do` of the composite reports for its parts: it returns a wait, or throws their errors. The waits and errors of
   * the parts then count neither for Ready nor for the outcome. @defaultValue false
   */
  readonly reports?: boolean;
  /** Whether each part is cleaned up after all parts that come later in the list. @defaultValue false */
  readonly isList?: boolean;
}

/**
 * Makes a step that consists of parts. Its phases run after those of its parts, for every outcome of the parts. `partsOf(req)`
 * returns the progress of each part.
 *
 * @throws TypeError when a part was not made by `step()`, or does not use the extension that orders the parts.
 */
export function defineComposite(definition: RawDefinition & { readonly parts: RawParts; readonly kind?: Kind }): object {
  const { parts, ...own } = definition;
  const { maker = "all", order } = parts ?? {};
  if (typeof own.name !== "string" || !Array.isArray(parts?.steps))
    throw new TypeError(`${maker}: give it a name and a list of steps: ${maker}("parts", [one, two])`);
  const where = `${maker}("${own.name}")`;
  const steps = parts.steps.map((part) => {
    const runtime = runtimeOf(part);
    if (runtime === undefined) throw new TypeError(`${where}: its parts must be steps made by step()`);
    if (order !== undefined && !runtime.uses.has(order.by.name))
      throw new TypeError(`${where}: "${runtime.name}" is not ${order.of}: place it before or after, or use all()`);
    return runtime;
  });
  if (order !== undefined && !(Number.isInteger(order.concurrency) && order.concurrency >= 1))
    throw new TypeError(`${where}: concurrency must be a whole number from 1, not ${String(order.concurrency)}`);
  const kind = definition.kind ?? steps[0]?.kind ?? NO_KIND;
  const runtime = runtimeFrom(kind, own);
  return opaque({
    ...runtime,
    parts: {
      maker,
      steps,
      concurrency: order?.concurrency ?? 1,
      opens: parts.opens,
      opensWithout: parts.opensWithout,
      reports: parts.reports ?? false,
      isList: parts.isList ?? false,
    },
  });
}

const NO_KIND: Kind = { group: "", version: "", kind: "", plural: "", scope: "Namespaced" };
