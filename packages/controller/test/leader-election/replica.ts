/** Processes that compete for one lease, in virtual time: each with a clock, a connection and faults of its own. */
import {
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type FakeClock,
  type Random,
  type Timer,
  type Transport,
} from "@treadle/apimachinery";
import type { ApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { Elector, type ElectorOptions } from "../../src/leader-election/elector.ts";
import { leaseTimes } from "../../src/leader-election/options.ts";

export const REF = { name: "op", namespace: "default" } as const;

/** What may happen to a process and to its connection. */
export interface Faults {
  /** No answer comes, and nothing arrives. */
  isCut: boolean;
  /** Chance that an answer is lost after the server has done its work. */
  lostAnswers: number;
  /** The longest that a request, and its answer, is on its way. */
  maxDelayMs: number;
  /** For so long each answer is on its way. */
  answersAfterMs: number;
  /** Every update is refused: another one was faster. */
  isConflicting: boolean;
}

const CONFLICT: ApiResponse = {
  status: 409,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Conflict", message: "Conflict", code: 409 }),
};

export interface Replica {
  readonly identity: string;
  readonly elector: Elector;
  readonly client: Client;
  readonly clock: Clock;
  readonly faults: Faults;
  /** What it sent besides its events: `PUT`, ... */
  readonly requests: string[];
  readonly log: string[];
  /** Stops it in its tracks, as SIGSTOP does. */
  pause(): void;
  resume(): void;
  readonly isPaused: boolean;
  /** Its time of day jumps forward. */
  jump(ms: number): void;
}

export function startReplica(
  identity: string,
  given: { readonly server: ApiServer; readonly base: FakeClock; readonly random: Random } & Partial<
    Pick<ElectorOptions, "times" | "handlers">
  >,
): Replica {
  const { server, base, random } = given;
  const faults: Faults = { isCut: false, lostAnswers: 0, maxDelayMs: 0, answersAfterMs: 0, isConflicting: false };
  const [requests, log]: [string[], string[]] = [[], []];
  let isPaused = false;
  let skewMs = 0;
  let waiting: (() => void)[] = [];
  /** Runs now, or when the process runs again. */
  const whenRunning = (run: () => void): void => {
    if (isPaused) waiting.push(run);
    else run();
  };
  const running = (): Promise<void> => new Promise((resolve) => whenRunning(resolve));
  const clock: Clock = {
    now: () => base.now() + skewMs,
    elapsed: () => base.elapsed(),
    after(delayMs, run): Timer {
      let isCancelled = false;
      const timer = base.after(delayMs, () => whenRunning(() => (isCancelled ? undefined : run())));
      return {
        cancel() {
          isCancelled = true;
          timer.cancel();
        },
      };
    },
  };
  const direct = server.transport();
  const travel = (): Promise<void> =>
    faults.maxDelayMs === 0 ? Promise.resolve() : new Promise((resolve) => void base.after(random.next() * faults.maxDelayMs, resolve));
  const transport: Transport = {
    async request(request: ApiRequest): Promise<ApiResponse> {
      if (request.stream !== true) requests.push(request.method);
      await travel();
      if (faults.isCut) throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      if (faults.isConflicting && request.method === "PUT") return CONFLICT;
      const response = await direct.request(request);
      await travel();
      if (faults.answersAfterMs > 0) await new Promise<void>((resolve) => void base.after(faults.answersAfterMs, resolve));
      if (faults.isCut || random.next() < faults.lostAnswers) throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      await running();
      if (response.stream === undefined) return response;
      return { ...response, stream: arriving(response.stream) };
    },
    close: () => direct.close(),
  };
  async function* arriving(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
    for await (const chunk of chunks) {
      if (faults.isCut) throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
      await running();
      yield chunk;
    }
  }
  const client = createClient({ transport, clock, random });
  const elector = new Elector({
    client,
    clock,
    random,
    ref: REF,
    identity,
    handlers: given.handlers ?? ["widgets.test.treadle.dev"],
    times: given.times ?? leaseTimes({}),
    onElected: () => void log.push("elected"),
    onLost: (reason) => void log.push(`lost: ${reason}`),
    onHolder: ({ holder }) => void log.push(`held by ${holder}`),
    onError: (error) => void log.push(`error: ${error instanceof Error ? error.message : String(error)}`),
    onSlowPath: () => void log.push("slow path"),
  });
  elector.start();
  return {
    identity,
    elector,
    client,
    clock,
    faults,
    requests,
    log,
    pause: () => {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      const due = waiting;
      waiting = [];
      for (const run of due) whenRunning(run);
    },
    get isPaused() {
      return isPaused;
    },
    jump: (ms) => {
      skewMs += ms;
    },
  };
}
