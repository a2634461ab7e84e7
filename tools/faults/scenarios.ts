/**
 * What goes wrong, and within which time everything has to be right again. The figures are those of docs/operations.md
 * (a test compares them), and follow from the informer's: the first pause after a failure is 0.8 to 1.6 s and doubles up to a
 * minute, a watch that says nothing is given up after 90 s.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { FaultProxy, Fault } from "@treadle/testing";
import type { ToOperator } from "./messages.ts";
import type { Process } from "./process.ts";
import type { Server } from "./server.ts";

export interface Scene {
  readonly proxy: FaultProxy;
  readonly server: Server;
  readonly operator: Pick<Process<never, ToOperator>, "send" | "lines">;
  /** Times are those of real life, however long. */
  readonly isLong: boolean;
}

export interface Scenario {
  readonly name: string;
  /** The line of docs/operations.md that promises it. */
  readonly row: keyof typeof RECOVERY;
  /** Lets it go wrong; resolves when what was wrong is over. */
  strike(scene: Scene): Promise<void>;
  readonly http2?: true;
  /** By how much the operator's clock is faster in the short form, where deadlines are long. @defaultValue 1 */
  readonly speed?: number;
  /** It disturbs others: it needs a server for itself. */
  readonly isAlone?: true;
  /** Only before a real control plane. */
  readonly isReal?: true;
}

/** How long it takes at most, by the operator's clock, since the fault was over and after `downMs` of it. */
export const RECOVERY = {
  "a watch breaks, or ends within an event": () => 2_000,
  "a watch ends early, in good order": () => 1_000,
  "a version is too old (410)": () => 5_000,
  "events come twice, out of order, or slowly": () => 2_000,
  "the server asks to leave (GOAWAY, `Connection: close`)": () => 2_000,
  "the server is away, or refuses (429, 5xx), for a time": (downMs) => Math.min(60_000, 2 * downMs) + 2_000,
  "a connection is silent (half-open)": () => 92_000,
  "the machine's clock is set": () => 2_000,
  "a step blocks the event loop": () => 2_000,
} as const satisfies Readonly<Record<string, (downMs: number) => number>>;

const AWHILE_MS = 3_000;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "reset",
    row: "a watch breaks, or ends within an event",
    strike: async ({ proxy }) => void proxy.faults.cutWatches(),
  },
  {
    name: "truncated",
    row: "a watch breaks, or ends within an event",
    strike: async ({ proxy }) => void proxy.faults.cutWatches({}, "truncate"),
  },
  {
    name: "early-end",
    row: "a watch ends early, in good order",
    strike: async ({ proxy }) => void proxy.faults.cutWatches({}, "end"),
  },
  {
    name: "gone-event",
    row: "a version is too old (410)",
    strike: async ({ proxy }) => void proxy.faults.cutWatches({}, "gone"),
  },
  {
    name: "gone-status",
    row: "a version is too old (410)",
    async strike({ proxy }) {
      proxy.faults.add({ on: { verb: "watch" }, nth: 1, times: 3, fault: "gone" });
      proxy.faults.cutWatches();
    },
  },
  { name: "duplicates", row: "events come twice, out of order, or slowly", strike: awhile("duplicateEvents") },
  { name: "out-of-order", row: "events come twice, out of order, or slowly", strike: awhile("reorderEvents") },
  { name: "slow-body", row: "events come twice, out of order, or slowly", strike: awhile({ type: "slowEvents", ms: 300 }) },
  {
    name: "goaway",
    row: "the server asks to leave (GOAWAY, `Connection: close`)",
    http2: true,
    strike: leave,
  },
  {
    name: "connection-close",
    row: "the server asks to leave (GOAWAY, `Connection: close`)",
    strike: leave,
  },
  {
    name: "too-many-requests",
    row: "the server is away, or refuses (429, 5xx), for a time",
    strike: awhile({ type: "tooManyRequests", retryAfterSeconds: 1 }, { cut: true }),
  },
  {
    name: "server-error",
    row: "the server is away, or refuses (429, 5xx), for a time",
    strike: awhile("serverError", { cut: true }),
  },
  {
    name: "lost-responses",
    row: "the server is away, or refuses (429, 5xx), for a time",
    strike: awhile("lostResponse"),
  },
  {
    name: "unreachable",
    row: "the server is away, or refuses (429, 5xx), for a time",
    strike: awhile("reset", { cut: true }),
  },
  {
    name: "half-open",
    row: "a connection is silent (half-open)",
    speed: 10,
    async strike({ proxy }) {
      // What is open stays so for ever; what is asked meanwhile is never answered.
      using _calls = proxy.faults.add({ fault: "halfOpen" });
      proxy.faults.cutWatches({}, "silence");
      await delay(1_000);
    },
  },
  {
    name: "clock-jump",
    row: "the machine's clock is set",
    async strike({ operator }) {
      for (const ms of [HOUR_MS, -2 * HOUR_MS, HOUR_MS]) {
        operator.send({ type: "jump", ms });
        await delay(700);
      }
    },
  },
  {
    name: "blocked-loop",
    row: "a step blocks the event loop",
    async strike({ operator, isLong }) {
      const ms = isLong ? 30_000 : 2_000;
      operator.send({ type: "block", ms });
      await delay(ms);
      const isTold = (): boolean =>
        operator.lines.some((line) => line.includes("the event loop was blocked") && line.includes('"step":"look"'));
      for (let tries = 0; tries < 100 && !isTold(); tries++) await delay(50);
      if (!isTold()) throw new Error(`no line of the operator's log names the step that blocked it:\n${operator.lines.join("\n")}`);
    },
  },
  {
    name: "api-server-sigterm",
    row: "the server is away, or refuses (429, 5xx), for a time",
    isAlone: true,
    strike: restart("kube-apiserver", "SIGTERM"),
  },
  {
    name: "api-server-sigkill",
    row: "the server is away, or refuses (429, 5xx), for a time",
    isAlone: true,
    strike: restart("kube-apiserver", "SIGKILL"),
  },
  {
    name: "etcd-sigkill",
    row: "the server is away, or refuses (429, 5xx), for a time",
    isAlone: true,
    isReal: true,
    strike: restart("etcd", "SIGKILL"),
  },
];

const HOUR_MS = 3_600_000;

/** A fault of everything that fits, for a time; with `cut` watches feel it, too. */
function awhile(fault: Fault | Fault["type"], { cut = false } = {}): Scenario["strike"] {
  return async ({ proxy }) => {
    using _fault = proxy.faults.add({ fault });
    if (cut) proxy.faults.cutWatches();
    await delay(AWHILE_MS);
  };
}

async function leave({ proxy }: Scene): Promise<void> {
  for (let times = 0; times < 2; times++) {
    proxy.goAway();
    await delay(500);
  }
}

function restart(program: "kube-apiserver" | "etcd", signal: "SIGTERM" | "SIGKILL"): Scenario["strike"] {
  return async ({ server }) => {
    if (server.restart === undefined) throw new Error(`the ${program} of ${server.target.server} is not ours to restart`);
    await server.restart(program, signal, 1_000);
  };
}
