/**
 * Keeps constructs of cdk8s from starting programs. `Helm` runs helm in its constructor, and `Include` runs a program that reads a file or
 * an address: both without a limit, with the environment of the operator, and from values that may come from a custom resource.
 *
 * The functions of cdk8s that start programs are wrapped once in each process. The wrappers refuse calls that come from a rendering,
 * also after an `await` in it. All other users of cdk8s in the process are not affected.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { TerminalError } from "@treadle/reconcile";
import { Yaml } from "cdk8s";
import { _child_process as processes } from "cdk8s/lib/_child_process.js";

/** Runs a function in which constructs of cdk8s start no program. */
export function withoutPrograms<Result>(run: () => Result): Result {
  guard();
  return RENDERING.run(true, run);
}

const RENDERING = new AsyncLocalStorage<true>();
const GUARDED = Symbol.for("treadle.generators.cdk8s.guarded");

/** Wraps the functions, once for all copies of this package. */
function guard(): void {
  if (GUARDED in processes) return;
  Object.defineProperty(processes, GUARDED, { value: true });
  const { spawnSync } = processes;
  const load = Yaml.load.bind(Yaml);
  // One function for all overloads of spawnSync.
  processes.spawnSync = ((...args: Parameters<typeof spawnSync>) => {
    if (RENDERING.getStore() === undefined) return spawnSync(...args);
    removeValues(args);
    throw new TerminalError("cdk8s: the construct Helm would run helm: render the chart by helm(), beside cdk8s() in merged()", {
      code: "ConstructRefused",
    });
  }) as typeof spawnSync;
  Yaml.load = (urlOrFile: string) => {
    if (RENDERING.getStore() === undefined) return load(urlOrFile);
    throw new TerminalError(
      "cdk8s: the construct Include would read a file or an address: read the files by manifests(), beside cdk8s() in merged()",
      { code: "ConstructRefused" },
    );
  };
}

/** `Helm` has written its values into a new folder before it runs helm, and would leave them there. */
function removeValues(args: readonly unknown[]): void {
  const list = args.find((arg) => Array.isArray(arg)) as readonly unknown[] | undefined; // isArray() does not narrow to a readonly list.
  const file = list?.[(list?.indexOf("-f") ?? -1) + 1];
  if (typeof file !== "string") return;
  const folder = path.dirname(file);
  if (path.dirname(folder) === path.resolve(tmpdir()) && path.basename(folder).startsWith("cdk8s-helm-"))
    rmSync(folder, { recursive: true, force: true });
}
