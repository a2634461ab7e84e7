/** A renderer of a Kustomize folder, by the real program. */
import { join } from "node:path";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Renderer } from "@treadle/dependents";
import { hostOf } from "@treadle/dependents/unstable/render";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { editObjects } from "../edits/calls.ts";
import { requireOptions } from "../edits/options.ts";
import type { AnyContext } from "../edits/types.ts";
import { WatchedFolders } from "../files/watch-folder.ts";
import { diskFiles, folderAt, invalid } from "./disk-files.ts";
import { kustomizationIn } from "./judge.ts";
import type { KustomizeOptions } from "./options.ts";
import { manifestsIn } from "./output.ts";
import { RenderedFolder } from "./rendered-folder.ts";
import { StaticFolder } from "./static-folder.ts";

export type { KustomizeOptions } from "./options.ts";

/**
 * Returns a renderer of a folder by `kustomize build`, or by `kubectl kustomize` where there is no `kustomize`. A folder without a
 * Kustomization has one with all its YAML files. Plugins that are programs, Helm charts and remote resources are refused.
 *
 * With `template` the files are templates of Helm. The folders that a Kustomization names, such as `../../base`, are rendered, too.
 * Name the folder by a URL, so that it is found from any working directory: `new URL("./overlays/prod", import.meta.url)`.
 * @throws Error with code ERR_INVALID_KUSTOMIZATION that names each problem of the folder with its file; TypeError for options that are not
 * valid
 */
export function kustomize<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  folder: URL | string,
  options: KustomizeOptions<T, R, V> = {},
): Renderer<T, R, V> {
  requireOptions("kustomize", options, ["template", "values", "parameters", "edit", "watch"]);
  const { template = false, edit, watch = process.env["NODE_ENV"] === "development" } = options;
  if (template === false && (options.values ?? options.parameters) !== undefined)
    throw misuse("ERR_INVALID_STEP", "kustomize: values and parameters are those of templates: set template to true");
  const path = folderAt(folder);
  if (kustomizationIn(diskFiles, path) === undefined && diskFiles.at(join(path, "Chart.yaml"))?.type === "file")
    throw invalid(path, ["it is a Helm chart, as its Chart.yaml shows: use helm()"]);
  const isStatic = template === false && kustomizationIn(diskFiles, path) !== undefined;
  const source = isStatic ? new StaticFolder<T, R, V>(path) : new RenderedFolder<T, R, V>(path, { ...options, template });
  const watched = watch ? new WatchedFolders(() => source.folders) : undefined;
  return async (object, context) => {
    if (watched !== undefined) hostOf(context).dependsOn(watched);
    const output = await source.build(object, context, watched?.version ?? 0);
    const objects = await manifestsIn(output, path, context.signal);
    return editObjects("kustomize", objects, edit, object, context);
  };
}
