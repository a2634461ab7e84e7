/**
 * The operator of `examples/simple` in a process of its own, which counts the functions that run: `main-path-operator.ts URL`.
 * V8's precise coverage is reset when the parent says "measure", and read when the next pass has ended.
 */
import { Session } from "node:inspector";
import type { AnyHandler } from "@treadle/reconcile";
import { createManager } from "treadle";
import type { FromMeasured, FunctionsByFile, ToMeasured } from "./main-path.ts";

interface FunctionCoverage {
  readonly functionName: string;
  /** The first is the whole function. */
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
}
interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly FunctionCoverage[] }[];
}

/** Of the repository, as a URL with a slash at its end: V8 names scripts by their URLs. */
const root = new URL("../../", import.meta.url).href;
const url = process.argv[2] ?? "";
const inspector = new Session();
inspector.connect();
call("Profiler.enable");
call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

// By its path: tools cannot depend on an example.
const { simple } = (await import(`${root}examples/simple/controller.ts`)) as { readonly simple: AnyHandler };
let isMeasured = false;
const manager = createManager({
  config: { source: "test", server: url, credentials: async () => ({}) },
  probes: false,
  metrics: false,
  onPass() {
    const ran = isMeasured ? functionsThatRan() : {};
    isMeasured = false;
    say({ type: "passed", ran });
  },
});
await manager.add(simple).start();
process.on("message", (message: ToMeasured) => void (message.type === "measure" ? measure() : manager.stop().then(() => process.exit())));
say({ type: "ready" });

async function measure(): Promise<void> {
  // The server sends what came before over the watch first: with two answers and a turn of the event loop it has been handled.
  for (let turn = 0; turn < 2; turn++) {
    await (await fetch(`${url}/version`)).text();
    await new Promise((resolve) => setImmediate(resolve));
  }
  isMeasured = true;
  functionsThatRan();
  say({ type: "armed" });
}

/** The functions that ran since the last call, by file. */
function functionsThatRan(): FunctionsByFile {
  const { result } = call("Profiler.takePreciseCoverage") as Coverage;
  const byFile: Record<string, readonly string[]> = {};
  for (const { url, functions } of result) {
    if (!url.startsWith(root)) continue;
    const ran = functions.flatMap(({ functionName, ranges: [whole] }) =>
      whole !== undefined && whole.count > 0 ? [`${functionName}@${whole.startOffset}`] : [],
    );
    if (ran.length > 0) byFile[url.slice(root.length)] = ran;
  }
  return byFile;
}

/** A call of the inspector of this thread, which answers before it returns. */
function call(method: string, parameters: object = {}): unknown {
  let answer: unknown;
  inspector.post(method, parameters, (error, result) => {
    if (error !== null) throw new Error(`${method}: ${error.message}`);
    answer = result;
  });
  return answer;
}

function say(message: FromMeasured): void {
  process.send?.(message);
}
