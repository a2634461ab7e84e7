/** Which test files start a test cluster, and which start two. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const STARTS_CLUSTER = /startTestCluster|TREADLE_TEST_KUBECONFIG/;
const STARTS_SECOND = /startTestCluster\([^)]*\bnth: 2\b/;
const IMPORT = /\bfrom "(\.[^"]+\.ts)"/g;

/** Test files of a workspace that start a cluster or know of the real one, themselves or by a file beside them that they import. */
export function clusterTests(dir: string): readonly string[] {
  return globSync("{*,src/**/*,test/**/*}.test.ts", { cwd: dir })
    .filter((file) => contains(join(dir, file), STARTS_CLUSTER))
    .toSorted();
}

/** Whether a test file starts a second cluster, which needs a control plane. */
export function needsSecondCluster(file: string): boolean {
  return contains(file, STARTS_SECOND);
}

/** Whether a test file, or a file that it imports for tests, matches. Sources are not searched: some describe what tests may call. */
function contains(file: string, pattern: RegExp): boolean {
  const pending = [file];
  const seen = new Set<string>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const text = readFileSync(next, "utf8");
    if (pattern.test(text)) return true;
    const imported = [...text.matchAll(IMPORT)].map(([, path = ""]) => join(dirname(next as string), path));
    pending.push(...imported.filter((path) => !path.includes("/src/") && existsSync(path)));
  }
  return false;
}
