/**
 * Checks that the files of a package's `src` do not import each other in a circle.
 *
 * Type-only imports count: the compiler erases them, but a reader still has to know all files of the circle at once. Files that
 * reach each other form one group, and one shortest circle of each group is reported: cutting any of its edges is a start.
 * Tests are left out, since no file imports them. Circles between packages are the matter of `dependency-order.ts`.
 */
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type Import, importsOf } from "./imports.ts";
import { root, workspaces } from "./workspaces.ts";

/** What each file imports, by the paths of both files. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, Import>>;

/** One text for each group of files that reach each other, smallest group first; empty when there is no circle. */
export function importCircles(base: string = root): string[] {
  const groups = workspaces(base, ["packages/*"]).flatMap(({ dir }) => {
    const graph = graphOf(base, dir);
    return groupsOf(graph).map((group) => ({ group, text: reportOf(graph, group) }));
  });
  return groups.toSorted((a, b) => a.group.length - b.group.length).map(({ text }) => text);
}

function graphOf(base: string, dir: string): Graph {
  const files = globSync("src/**/*.{ts,mts}", { cwd: join(base, dir) })
    .map((file) => `${dir}/${file.replaceAll("\\", "/")}`)
    .filter((file) => !/\.test(-d)?\.m?ts$/.test(file))
    .toSorted();
  const known = new Set(files);
  const targetsOf = (file: string): Map<string, Import> => {
    const found = importsOf(file, readFileSync(join(base, file), "utf8"))
      .filter(({ specifier }) => specifier.startsWith("."))
      .map((each): [string, Import] => [posix.join(posix.dirname(file), each.specifier), each])
      .filter(([target]) => known.has(target));
    // The first import of a file is the one to show.
    return new Map(found.toReversed());
  };
  return new Map(files.map((file) => [file, targetsOf(file)]));
}

/** The strongly connected components with a circle, by Tarjan's algorithm (SIAM J. Comput. 1972). */
function groupsOf(graph: Graph): string[][] {
  const visited = new Map<string, { readonly index: number; low: number }>();
  const open: string[] = [];
  const groups: string[][] = [];
  const visit = (file: string): { low: number } => {
    const state = { index: visited.size, low: visited.size };
    visited.set(file, state);
    open.push(file);
    for (const target of graph.get(file)?.keys() ?? []) {
      const seen = visited.get(target);
      if (seen === undefined) state.low = Math.min(state.low, visit(target).low);
      else if (open.includes(target)) state.low = Math.min(state.low, seen.index);
    }
    if (state.low === state.index) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1 || graph.get(file)?.has(file) === true) groups.push(group);
    }
    return state;
  };
  for (const file of graph.keys()) if (!visited.has(file)) visit(file);
  return groups;
}

function reportOf(graph: Graph, group: readonly string[]): string {
  const circle = group.map((file) => shortestWay(graph, file, group)).toSorted((a, b) => a.length - b.length)[0] ?? [];
  const edges = circle.map((file, index) => {
    const target = circle[index + 1] ?? circle[0];
    const edge = target === undefined ? undefined : graph.get(file)?.get(target);
    return `  ${file}:${edge?.line} imports "${edge?.specifier}"`;
  });
  const others = group.filter((file) => !circle.includes(file)).toSorted();
  const rest = others.length === 0 ? [] : [`  ${others.length} more files reach it and are reached by it: ${others.join(", ")}`];
  return ["circle of imports:", ...edges, ...rest].join("\n");
}

/** The files of a shortest circle through `start`, which is the first of them. */
function shortestWay(graph: Graph, start: string, group: readonly string[]): string[] {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const target of graph.get(way.at(-1) ?? start)?.keys() ?? []) {
      if (target === start) return way;
      if (seen.has(target) || !group.includes(target)) continue;
      seen.add(target);
      ways.push([...way, target]);
    }
  }
  return [...group];
}

if (import.meta.main) {
  const circles = importCircles();
  for (const circle of circles) console.error(circle);
  if (circles.length > 0) console.error(`${circles.length} groups of files import each other in a circle`);
  process.exitCode = circles.length > 0 ? 1 : 0;
}
