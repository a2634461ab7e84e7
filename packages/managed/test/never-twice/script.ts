/** A script: what people, processes and faults do to one object, drawn by chance. */
import fc from "fast-check";
import { AUTHORS, type Author, type Nature } from "./author.ts";

/** What people do, and what one process does. */
const ALONE = [
  "pass",
  "stale pass",
  "delete",
  "recreate",
  "resize",
  "label",
  "pause",
  "resume",
  "restart",
  "wait",
  "wait long",
  "resize outside",
  "delete outside",
  "vanish outside",
  "name another",
  "name nothing",
  "remove name",
  "answer",
] as const;
/** The deposed process works on, on what it last saw. */
const DEPOSED = ["other pass", "other stale pass"] as const;

export type Move = (typeof ALONE)[number] | (typeof DEPOSED)[number];

/** Happens at the request or call of this number, counted over both processes. */
export interface Incident {
  readonly at: number;
  readonly when: "before" | "after";
  /**
   * `crash`: the processes die. `lost`: the answer is lost, or the request. `429` and `500`: the provider refuses, or fails. Else a move in
   * the middle of the pass.
   */
  readonly what: "crash" | "lost" | "429" | "500" | Move;
}

/** A create that hangs, and happens late. */
export interface Late {
  /** The number of the create, from 0. */
  readonly create: number;
  /** The part of the time that the contract allows: two deadlines. */
  readonly part: number;
  /** Whether the process dies while it waits. */
  readonly dies: boolean;
}

export interface Script {
  readonly nature: Nature;
  readonly moves: readonly Move[];
  readonly incidents: readonly Incident[];
  readonly late: readonly Late[];
}

/** Both processes know an object that is Ready. */
const GROWN_UP: readonly Move[] = ["pass", "wait", "pass", "other pass"];

/** Draws scripts. `processes`: with or without the deposed one. */
export function scripts({
  processes,
  authors = AUTHORS,
}: {
  readonly processes: 1 | 2;
  readonly authors?: readonly Author[];
}): fc.Arbitrary<Script> {
  const moves: readonly Move[] = processes === 1 ? ALONE : [...ALONE, ...DEPOSED];
  const during = moves.filter((move) => !["pass", "stale pass", "wait", "wait long"].includes(move));
  const move = fc.oneof({ weight: 2, arbitrary: fc.constant<Move>("pass") }, { weight: 3, arbitrary: fc.constantFrom(...moves) });
  const faults = ["crash", "crash", "crash", "lost", "lost", "lost", "429", "500"] as const;
  return fc
    .record({
      nature: fc.record({
        author: fc.constantFrom(...authors),
        createMs: fc.constantFrom(0, 0, 20_000),
        visibleAfterMs: fc.constantFrom(0, 0, 20_000),
        deleteMs: fc.constantFrom(0, 0, 45_000),
        updateMs: fc.constantFrom(0, 0, 20_000),
        isEventualForWrites: fc.boolean(),
      }),
      moves: fc.array(move, { minLength: 2, maxLength: 16, size: "max" }),
      incidents: fc.array(
        fc.record({
          at: fc.nat({ max: 24 }),
          when: fc.constantFrom("before" as const, "after" as const),
          what: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...faults) }, { weight: 2, arbitrary: fc.constantFrom(...during) }),
        }),
        { maxLength: 8, size: "max" },
      ),
      late: fc.array(fc.record({ create: fc.nat({ max: 2 }), part: fc.constantFrom(0.2, 0.6, 1), dies: fc.boolean() }), { maxLength: 1 }),
      isGrownUp: fc.boolean(),
    })
    .map(({ isGrownUp, moves, ...script }) => ({ ...script, moves: isGrownUp ? [...GROWN_UP, ...moves] : moves }));
}
