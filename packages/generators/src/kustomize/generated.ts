/** The Kustomization of a folder that has none: all its YAML files. */
import path from "node:path/posix";
import { KUSTOMIZATION_NAMES } from "./judge.ts";

/**
 * Returns the resources of a folder: all `.yaml` and `.yml` files in it and its subfolders, sorted by path. Hidden files are skipped. A
 * subfolder with a Kustomization is one resource.
 * @param files paths relative to the folder
 */
export function resourcesOf(files: Iterable<string>): readonly string[] {
  const all = [...files].filter((file) => !file.split("/").some((name) => name.startsWith(".")));
  const bases = all.filter((file) => KUSTOMIZATION_NAMES.includes(path.basename(file))).map((file) => path.dirname(file));
  const outer = bases.filter((base) => !bases.some((other) => base.startsWith(`${other}/`)));
  const single = all.filter((file) => /\.ya?ml$/.test(file) && !outer.some((base) => file.startsWith(`${base}/`)));
  return [...outer, ...single].toSorted();
}

/** Returns the text of the generated Kustomization. */
export function generatedKustomization(files: Iterable<string>): string {
  return `${JSON.stringify({ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources: resourcesOf(files) })}\n`;
}
