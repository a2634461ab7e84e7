/**
 * The observer: a process of its own that watches the Widgets (or with BENCH_KIND=Stack the Stacks) and nothing else, the same for
 * every operator. An object is settled when it is Ready and its status is about its present generation. Latencies are from the event of a generation
 * to the event of a status about it or a later one, both as they came here. KUBECONFIG is that of the administrator.
 */
import { connect, follow } from "@treadle/client";
import { Stack, Widget } from "./operators/kinds.ts";

/**
 * What the harness requests: an answer when this many objects exist and are settled, and the sum of their generations is at least this. So a
 * change that has not arrived yet is waited for. Each answer has the latencies since the one before.
 */
export interface Expected {
  readonly settled: number;
  readonly generations: number;
}

/** The answer. */
export interface Observation {
  readonly firstAt: number;
  readonly at: number;
  readonly latenciesMs: readonly number[];
}

/** When the first change that is not settled came, by name. */
const pending = new Map<string, number>();
/** Generations by name. */
const settled = new Map<string, number>();
const known = new Set<string>();
let latenciesMs: number[] = [];
let firstAt = 0;
let wanted: Expected | undefined;

process.on("message", (expected: Expected) => {
  wanted = expected;
  answer();
});
process.once("disconnect", () => process.exit(0));

const client = await connect();
for await (const event of follow(client, process.env["BENCH_KIND"] === "Stack" ? Stack : Widget, {
  namespace: "default",
  signal: new AbortController().signal,
})) {
  if (event.type === "SYNCED") process.send?.("ready");
  if (event.type === "DELETED") forget(event.object.metadata.name);
  if (event.type === "ADDED" || event.type === "MODIFIED") see(event.object);
}

function see({ metadata: { name, generation = 0 }, status }: Widget | Stack): void {
  const now = performance.now();
  known.add(name);
  const cameAt = pending.get(name);
  if (isSettled(status, generation)) {
    if (cameAt !== undefined) latenciesMs.push(now - cameAt);
    pending.delete(name);
    settled.set(name, generation);
    firstAt ||= Date.now();
  } else {
    settled.delete(name);
    if (cameAt === undefined) pending.set(name, now);
  }
  answer();
}

function isSettled(status: (Widget | Stack)["status"], generation: number): boolean {
  return (
    status?.observedGeneration === generation &&
    status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true
  );
}

function forget(name: string): void {
  for (const each of [pending, settled, known]) each.delete(name);
  answer();
}

function answer(): void {
  if (wanted === undefined || settled.size !== wanted.settled || known.size !== wanted.settled) return;
  let generations = 0;
  for (const generation of settled.values()) generations += generation;
  if (generations < wanted.generations) return;
  wanted = undefined;
  process.send?.({ firstAt, at: Date.now(), latenciesMs } satisfies Observation);
  latenciesMs = [];
  firstAt = 0;
}
