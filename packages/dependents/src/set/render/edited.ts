/** A renderer whose objects functions of the author change. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { manifestIn, type RenderedObject, withManifest } from "../configured.ts";
import type { Manifest } from "../plan/member.ts";
import type { RenderContext, Renderer } from "../types.ts";
import { callEdit, calledAsync, requireList } from "./calls.ts";
import { withObjects } from "./host.ts";

/** Changes one object of a renderer. It returns the object or another one; `undefined` leaves the object out. */
export type Edit<T extends KubernetesObject = KubernetesObject, R = {}, V = {}> = (
  each: Manifest,
  object: T,
  context: RenderContext<R, V>,
) => Manifest | undefined;

/**
 * Returns a renderer that calls each edit for each object of `objects`: the first edit for all objects, then the next one. `objects`
 * is a renderer, or a list of objects, of which the edits get copies. An edit gets the object of what `configured()` returned, and the
 * configuration stays.
 *
 * @example
 * ```ts
 * edited(manifests(folder), (each) => ({ ...each, metadata: { ...each.metadata, labels: { ...each.metadata.labels, team: "a" } } }))
 * ```
 */
export function edited<T extends KubernetesObject = KubernetesObject, R = {}, V = {}, O extends RenderedObject = Manifest>(
  objects: Renderer<T, R, V, O> | readonly O[],
  ...edits: readonly Edit<T, R, V>[]
): Renderer<T, R, V, O> {
  const render: Renderer<T, R, V, O> = typeof objects === "function" ? objects : () => structuredClone(objects);
  return async (object, context) => {
    let all = requireList("edited: the renderer", await calledAsync("edited: the renderer", () => render(object, context)));
    edits.forEach((edit, i) => {
      const where = `edited: edit ${i + 1}`;
      // The caller checks the form of the objects. An edit gets what the renderer returned.
      const objectOf = (each: unknown): Manifest => manifestIn(each as RenderedObject);
      const given = withObjects(context, all.map(objectOf));
      all = all.flatMap((each) => {
        const changed = callEdit(where, objectOf(each), () => edit(objectOf(each), object, given));
        return changed === undefined ? [] : [withManifest(each as RenderedObject, changed)];
      });
    });
    return all as readonly O[]; // as above
  };
}
