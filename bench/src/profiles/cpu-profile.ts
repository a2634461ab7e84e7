/** Reads profiles of the processor, as V8 writes them: which functions took the time. */

/** A profile in the format of `.cpuprofile` files. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** The ids of nodes, one for each sample. */
  readonly samples: readonly number[];
  /** The time before each sample, in microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

/** Lines and columns count from 0. */
export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** The time of one function, in all its calls. */
export interface FunctionTime {
  readonly callFrame: CallFrame;
  /** Time in the function itself, in milliseconds. */
  readonly selfMs: number;
  /** Time in it and in what it called, in milliseconds. A recursive call is counted once. */
  readonly totalMs: number;
}

export interface ProfileTimes {
  /** Without the time in which the thread waited. */
  readonly busyMs: number;
  readonly functions: readonly FunctionTime[];
}

/** V8's names for time outside of functions. The collector and the program itself are work; the idle thread is not. */
const IDLE = "(idle)";

/** @throws when the text is not a profile */
export function parseCpuProfile(text: string): CpuProfile {
  const profile = JSON.parse(text) as Partial<CpuProfile> | null;
  if (!Array.isArray(profile?.nodes) || !Array.isArray(profile.samples) || !Array.isArray(profile.timeDeltas))
    throw new Error("it is no profile of the processor: it lacks nodes, samples or timeDeltas");
  return profile as CpuProfile;
}

/** Sums the samples of each function. */
export function timesOf({ nodes, samples, timeDeltas }: CpuProfile): ProfileTimes {
  const selfUs = new Map<number, number>();
  samples.forEach((id, index) => selfUs.set(id, (selfUs.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const functions = new Map<string, { readonly callFrame: CallFrame; selfMs: number; totalMs: number }>();
  let busyMs = 0;
  const called = new Set(nodes.flatMap(({ children = [] }) => children));
  // Stacks of recursive programs are deep, so the walk has a stack of its own. Each entry is a node that is entered or left.
  const walk: Step[] = nodes.filter(({ id }) => !called.has(id)).map((node) => ({ type: "enter", node, above: new Set() }));
  const sums = new Map<number, number>();
  while (walk.length > 0) {
    const step = walk.pop();
    if (step === undefined) break;
    const { node, above } = step;
    const key = keyOf(node.callFrame);
    const children = (node.children ?? []).flatMap((id) => byId.get(id) ?? []);
    if (step.type === "enter") {
      const inside = new Set(above).add(key);
      walk.push({ type: "leave", node, above }, ...children.map((child) => ({ type: "enter", node: child, above: inside }) as const));
      continue;
    }
    const selfMs = node.callFrame.functionName === IDLE ? 0 : (selfUs.get(node.id) ?? 0) / 1000;
    const totalMs = children.reduce((sum, { id }) => sum + (sums.get(id) ?? 0), selfMs);
    sums.set(node.id, totalMs);
    busyMs += selfMs;
    const entry = functions.get(key) ?? { callFrame: node.callFrame, selfMs: 0, totalMs: 0 };
    functions.set(key, entry);
    entry.selfMs += selfMs;
    if (!above.has(key)) entry.totalMs += totalMs;
  }
  return { busyMs, functions: [...functions.values()] };
}

interface Step {
  readonly type: "enter" | "leave";
  readonly node: ProfileNode;
  /** The functions that called the node. */
  readonly above: ReadonlySet<string>;
}

function keyOf({ functionName, url, lineNumber, columnNumber }: CallFrame): string {
  return `${functionName} ${url}:${lineNumber}:${columnNumber}`;
}
