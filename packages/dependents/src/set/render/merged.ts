/** Several renderers as one. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { RenderedObject } from "../configured.ts";
import type { Manifest } from "../plan/member.ts";
import type { Renderer } from "../types.ts";
import { calledAsync, requireList } from "./calls.ts";

/**
 * Returns a renderer that returns the objects of all renderers, in their order. They run in parallel. If some fail, the error of the
 * first of them counts, after all have ended.
 */
export function merged<T extends KubernetesObject = KubernetesObject, R = {}, V = {}, O extends RenderedObject = Manifest>(
  ...renderers: readonly Renderer<T, R, V, O>[]
): Renderer<T, R, V, O> {
  return async (object, context) => {
    const ended = await Promise.allSettled(
      renderers.map(async (render, i) => {
        const where = `merged: renderer ${i + 1}`;
        return requireList(where, await calledAsync(where, () => render(object, context)));
      }),
    );
    return ended.flatMap((each) => {
      if (each.status === "rejected") throw each.reason;
      return each.value as readonly O[]; // The caller checks the form of the objects.
    });
  };
}
