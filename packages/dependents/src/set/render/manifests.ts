/** A renderer of a folder with YAML and JSON files. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Renderer } from "../types.ts";
import { callEdit } from "./calls.ts";
import type { Edit } from "./edited.ts";
import { readFolder } from "./folder.ts";
import { withObjects } from "./host.ts";

/** Options of {@link manifests}. */
export interface ManifestsOptions<T extends KubernetesObject = KubernetesObject, R = {}, V = {}> {
  /** Changes each object. It may change the object that it gets, and returns it or another one; `undefined` leaves it out. */
  readonly edit?: Edit<T, R, V>;
  /** Which files are read, by their path in the folder with `/`, such as `crds/widgets.yaml`. @defaultValue all */
  readonly files?: (file: string) => boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any -- files fit every context
type AnyContext = any;

/**
 * Returns a renderer of the objects in a folder: all `.yaml`, `.yml` and `.json` files in it and its subfolders, sorted by path. A
 * file may have several documents, and lists are flattened. Hidden files and empty documents are skipped. YAML is read as
 * `kubectl` reads it, so `0644` is octal.
 *
 * The files are read when `manifests()` is called, once: an operator with broken files does not start. Each rendering returns
 * copies. Name the folder by a URL, so that it is found from any working directory: `new URL("./deploy", import.meta.url)`.
 * @throws Error with code ERR_INVALID_MANIFESTS that names each problem with file, line and document
 */
export function manifests<T extends KubernetesObject = KubernetesObject, R = AnyContext, V = AnyContext>(
  folder: URL | string,
  options: ManifestsOptions<T, R, V> = {},
): Renderer<T, R, V> {
  const { edit, files = () => true } = options;
  const found = readFolder(pathOf(folder), files);
  return (object, context) => {
    const copies = structuredClone(found);
    if (edit === undefined) return copies.map(({ manifest }) => manifest);
    const given = withObjects(
      context,
      found.map(({ manifest }) => manifest),
    );
    return copies.flatMap(
      ({ manifest, place }) => callEdit(`manifests: edit of ${place}`, manifest, () => edit(manifest, object, given)) ?? [],
    );
  };
}

function pathOf(folder: URL | string): string {
  if (typeof folder === "string" && !folder.startsWith("file:")) return path.resolve(folder);
  return path.resolve(fileURLToPath(folder));
}
