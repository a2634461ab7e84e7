/** The files of a chart, in a folder or an archive, as Helm groups them: those of the chart itself, and those of its subcharts. */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { filesBelow } from "@treadle/dependents/unstable/render";
import { filesOfArchive, MAX_CHART_BYTES } from "./tar.ts";

/** The files of one chart. */
export interface ChartFiles {
  /** Where the chart is in its parent, with `/`, such as `charts/common`; empty for the chart itself. */
  readonly place: string;
  /** The contents of the files, by their path in the chart. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly subcharts: readonly ChartFiles[];
}

/**
 * Reads a chart, and all charts in its folder `charts/`.
 * @param root an absolute path
 * @throws Error for a folder that cannot be read, and for a broken archive
 */
export function readChartFiles(root: string): ChartFiles {
  const found = statSync(root);
  if (found.isDirectory()) return grouped("", filesOfFolder(root));
  if (!found.isFile()) throw new Error("it is neither a folder nor a file"); // To read a device or a pipe may not end.
  return grouped("", withoutTop(filesOfArchive(readFileSync(root))));
}

/** Returns the files below a folder. */
function filesOfFolder(root: string): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  let left = MAX_CHART_BYTES;
  for (const file of filesBelow(root)) {
    left -= statSync(path.join(root, file)).size;
    if (left < 0) throw new Error(`the chart has more than ${MAX_CHART_BYTES} bytes`);
    files.set(file, readFileSync(path.join(root, file)));
  }
  return files;
}

/** The files of an archive are in one folder, whose name does not matter. */
function withoutTop(files: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  const entries = [...files].map(([file, content]) => [file.replace(/^\.\//, ""), content] as const);
  return new Map(entries.flatMap(([file, content]) => (file.includes("/") ? [[file.slice(file.indexOf("/") + 1), content]] : [])));
}

function grouped(place: string, all: ReadonlyMap<string, Buffer>): ChartFiles {
  const files = new Map<string, Buffer>();
  const below = new Map<string, Map<string, Buffer>>();
  const subcharts: ChartFiles[] = [];
  for (const [file, content] of all) {
    const [folder, name = "", ...rest] = file.split("/");
    if (folder !== "charts" || name === "" || name.endsWith(".prov")) files.set(file, content);
    else if (/^[_.]/.test(name))
      continue; // Helm skips them.
    else if (rest.length > 0) below.set(name, (below.get(name) ?? new Map<string, Buffer>()).set(rest.join("/"), content));
    else if (name.endsWith(".tgz")) subcharts.push(ofArchive(`charts/${name}`, content));
  }
  for (const [name, contents] of below) subcharts.push(grouped(`charts/${name}`, contents));
  return { place, files, subcharts };
}

function ofArchive(place: string, content: Buffer): ChartFiles {
  try {
    return grouped(place, withoutTop(filesOfArchive(content)));
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`, { cause: error }); // filesOfArchive() throws errors.
  }
}
