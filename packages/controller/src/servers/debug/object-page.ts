/** `/debug/object`: what the extensions of a controller show of one object in the cache. */
import { groupKindOf, type KubernetesObject, refOf } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { type DebugNode, pipelineOf } from "@treadle/reconcile/unstable/engine";
import { messageOf } from "../../internal/error-text.ts";
import type { Manager } from "../../manager.ts";
import { type Answer, json, text } from "../http-server.ts";
import { linesOf, treeOf } from "./debug-tree.ts";

/** The tree of an extension, or why there is none. */
type Shown = DebugNode | { readonly error: string };

/** Answers `?controller=NAME&object=namespace/name`, as JSON or with `&format=text` as text. */
export function objectPage({ controllers, informers }: Pick<Manager, "controllers" | "informers">, { searchParams }: URL): Answer {
  const [name = "", key = "", format = "json"] = ["controller", "object", "format"].map((each) => searchParams.get(each) ?? undefined);
  const handler = controllers.find((controller) => controller.name === name)?.handler;
  if (handler === undefined)
    return text(400, `controller is ${JSON.stringify(name)}: give one of ${controllers.map((each) => each.name).join(", ")}`);
  if (format !== "json" && format !== "text") return text(400, `format is ${JSON.stringify(format)}: give json or text`);
  const kind = groupKindOf(handler.kind);
  const object = informers?.cache.get(handler.kind, refOf(key)) as KubernetesObject | undefined;
  if (object === undefined)
    return text(404, `the cache has no ${kind} ${JSON.stringify(key)}: give object=namespace/name, or object=name if it has no namespace`);
  const shown = shownOf(handler, object);
  if (format === "json") return json({ controller: name, kind, object: key, extensions: Object.fromEntries(shown) });
  const lines = [...shown].flatMap(([extension, tree]) => [
    extension,
    ...("error" in tree ? [`  failed: ${tree.error}`] : linesOf(tree, "  ")),
  ]);
  return text(200, [`${kind} ${key} of ${name}`, ...lines].join("\n"));
}

/** What each extension shows of the object, by its name. An extension that shows nothing is left out. */
function shownOf(handler: AnyHandler, object: KubernetesObject): ReadonlyMap<string, Shown> {
  const { extensions, extended } = pipelineOf(handler);
  const all = new Map<string, Shown>();
  for (const extension of extensions) {
    const { name } = extension;
    const seen = extended.get(name);
    if (seen === undefined) continue;
    try {
      const tree: unknown = extension.debug?.(seen, object);
      if (tree !== undefined) all.set(name, treeOf(tree));
    } catch (error) {
      all.set(name, { error: messageOf(error) });
    }
  }
  return all;
}
