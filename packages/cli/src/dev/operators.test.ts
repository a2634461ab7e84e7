import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import type { FromOperator, ToOperator } from "./messages.ts";
import type { Exit, OperatorListener, OperatorProcess } from "./operator-process.ts";
import { Operators } from "./operators.ts";

interface FakeProcess extends OperatorProcess {
  readonly received: ToOperator[];
  says(message: FromOperator): Promise<void>;
  ends(how?: Partial<Exit>): Promise<void>;
  readonly isKilled: boolean;
}

const STARTING: FromOperator = { type: "starting", manager: 1, handlers: ["shops"], crds: [], lacksWebhooks: false };

/** Lets promises settle. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp({ prepare = async () => undefined }: { readonly prepare?: () => Promise<void> } = {}) {
  const clock = fakeClock();
  const processes: FakeProcess[] = [];
  const log: string[] = [];
  const start = (listener: OperatorListener): OperatorProcess => {
    const exit = Promise.withResolvers<Exit>();
    const state = { isKilled: false };
    const process: FakeProcess = {
      pid: processes.length + 1,
      received: [],
      exited: exit.promise,
      get isKilled() {
        return state.isKilled;
      },
      send: (message) => void process.received.push(message),
      kill: () => void (state.isKilled = true),
      async says(message) {
        listener.message(message);
        await turn();
      },
      async ends({ code = null, signal = null } = {}) {
        exit.resolve({ code, signal });
        await turn();
      },
    };
    processes.push(process);
    return process;
  };
  const operators = new Operators({
    start,
    clock,
    prepare,
    onFile: (path) => void log.push(`file ${path}`),
    report: {
      starting: (reason) => void log.push(`starting: ${reason}`),
      working: ({ handlers, durationMs, pid }) => void log.push(`${pid} works after ${durationMs}: ${handlers.join()}`),
      failed: ({ message, isPreviousRunning, retryMs }) =>
        void log.push(`failed: ${message}, ${isPreviousRunning ? "replaced" : `retry ${retryMs}`}`),
      ended: ({ how, message, retryMs }) => void log.push(`ended: ${how.code ?? how.signal} ${message}, retry ${retryMs}`),
      slow: () => void log.push("slow"),
      killed: () => void log.push("killed"),
      line: ({ text }, isLeaving) => void log.push(`${text}${isLeaving ? " (leaving)" : ""}`),
      pass: () => undefined,
      printed: () => undefined,
    },
  });
  const nth = (at: number): FakeProcess => processes[at - 1] as FakeProcess; // The test knows how many there are.
  const news = (): readonly string[] => log.splice(0);
  return { clock, operators, processes, nth, news };
}

/** Lets a process start up to standby. */
async function toStandby(process: FakeProcess): Promise<void> {
  await process.says(STARTING);
  await process.says({ type: "running" });
}

const types = ({ received }: FakeProcess): readonly string[] => received.map(({ type }) => type);

test("a new process works only when the old one has ended", async () => {
  const { clock, operators, nth, news } = setUp();
  operators.start("start");
  await clock.advance(300);
  await toStandby(nth(1));
  expect([types(nth(1)), news()]).toEqual([
    ["prepared", "lead"],
    ["starting: start", "1 works after 300: shops"],
  ]);

  operators.start("edit");
  await nth(2).says(STARTING);
  expect(types(nth(1))).not.toContain("stop");
  await nth(2).says({ type: "running" });
  expect([types(nth(1)).at(-1), types(nth(2))]).toEqual(["stop", ["prepared"]]);
  await nth(1).ends({ code: 0 });
  expect(types(nth(2))).toEqual(["prepared", "lead"]);
  expect(news()).toEqual(["starting: edit", "2 works after 0: shops"]);
});

test("a process that cannot start leaves the one that works as it is", async () => {
  const { operators, nth, news } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  operators.start("edit");
  await nth(2).says({ type: "failed", message: "boom", isPortInUse: false });
  await nth(2).ends({ code: 1 });
  expect(types(nth(1))).toEqual(["prepared", "lead"]);
  expect(news().slice(2)).toEqual(["starting: edit", "failed: boom, replaced"]);
});

test("an edit gives up the process that is starting", async () => {
  const { operators, nth, news } = setUp();
  operators.start("start");
  operators.start("edit");
  expect(types(nth(1))).toEqual(["stop"]);
  await toStandby(nth(1));
  await nth(1).ends({ code: 0 });
  await toStandby(nth(2));
  expect(types(nth(2))).toEqual(["prepared", "lead"]);
  expect(news()).toEqual(["starting: start", "starting: edit", "2 works after 0: shops"]);
});

test("an edit during the hand-over leaves one process that works", async () => {
  const { operators, nth, processes } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  operators.start("edit");
  await toStandby(nth(2));
  operators.start("edit");
  await toStandby(nth(3));
  await nth(1).ends({ code: 0 });
  await nth(2).ends({ code: 0 });
  expect(processes.map(types)).toEqual([
    ["prepared", "lead", "stop"],
    ["prepared", "stop"],
    ["prepared", "lead"],
  ]);
});

test("code that does not load is not tried again without an edit", async () => {
  const { clock, operators, nth, news, processes } = setUp();
  operators.start("start");
  await nth(1).ends({ code: 1 });
  expect(news()).toEqual([
    "starting: start",
    "failed: the program ended with exit code 1 before a manager of it had started, retry undefined",
  ]);
  await clock.advance(3_600_000);
  expect(processes).toHaveLength(1);
});

test("a program that starts no manager for 10 s is reported, and one that does is not", async () => {
  const { clock, operators, nth, news } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  operators.start("edit");
  await clock.advance(10_000);
  await toStandby(nth(2));
  await nth(1).ends({ code: 0 });
  await clock.advance(60_000);
  expect(news().slice(2)).toEqual(["starting: edit", "slow", "2 works after 10000: shops"]);
});

test("a manager that does not start is tried again with a backoff", async () => {
  const { clock, operators, nth, news } = setUp();
  operators.start("start");
  await nth(1).says(STARTING);
  await nth(1).says({ type: "failed", message: "no cluster", isPortInUse: false });
  await nth(1).ends({ code: 1 });
  await clock.advance(1_000);
  await nth(2).says(STARTING);
  await nth(2).ends({ code: 1 });
  expect(news().filter((line) => /retry/.test(line))).toEqual([
    "failed: no cluster, retry 1000",
    "failed: the program ended with exit code 1 before a manager of it had started, retry 2000",
  ]);
});

test("a crash is followed by a start, later after each one, and at once after an edit", async () => {
  const { clock, operators, nth, news } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  await nth(1).ends({ signal: "SIGSEGV" });
  await clock.advance(1_000);
  await toStandby(nth(2));
  await nth(2).says({ type: "failed", message: "boom", isPortInUse: false });
  await nth(2).ends({ code: 1 });
  operators.start("edit");
  await toStandby(nth(3));
  await nth(3).ends({ code: 1 });
  expect(news().filter((line) => /ended/.test(line))).toEqual([
    "ended: SIGSEGV undefined, retry 1000",
    "ended: 1 boom, retry 2000",
    "ended: 1 undefined, retry 1000",
  ]);
});

test("the backoff begins anew for an operator that worked for a minute", async () => {
  const { clock, operators, nth, news } = setUp();
  operators.start("start");
  for (const workedMs of [0, 60_000]) {
    await toStandby(nth(1 + Number(workedMs > 0)));
    await clock.advance(workedMs);
    await nth(1 + Number(workedMs > 0)).ends({ code: 1 });
    await clock.advance(1_000);
  }
  expect(news().filter((line) => /ended/.test(line))).toEqual(["ended: 1 undefined, retry 1000", "ended: 1 undefined, retry 1000"]);
});

test("a program that ends by itself is not started again", async () => {
  const { clock, operators, nth, news, processes } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  await nth(1).ends({ code: 0 });
  await clock.advance(3_600_000);
  expect([news().at(-1), processes.length]).toEqual(["ended: 0 undefined, retry undefined", 1]);
});

test("a port in use by the process that works is free for the next start", async () => {
  const { operators, nth, news } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  operators.start("edit");
  await nth(2).says({ type: "failed", message: "in use", isPortInUse: true });
  await nth(2).ends({ code: 1 });
  expect(types(nth(1)).at(-1)).toBe("stop");
  await nth(1).ends({ code: 0 });
  await toStandby(nth(3));
  expect(news().slice(2)).toEqual(["starting: edit", "starting: port", "3 works after 0: shops"]);
});

test("a process whose CRDs are refused is ended, with the reason", async () => {
  const { operators, nth, news } = setUp({ prepare: () => Promise.reject(new Error("a bad CRD")) });
  operators.start("start");
  await nth(1).says(STARTING);
  expect(nth(1).isKilled).toBe(true);
  await nth(1).ends({ signal: "SIGKILL" });
  expect(news().at(-1)).toBe("failed: a bad CRD, retry 1000");
});

test("a process that does not stop is killed after 10 s", async () => {
  const { clock, operators, nth, news } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  const closed = operators.close();
  await clock.advance(9_999);
  expect(nth(1).isKilled).toBe(false);
  await clock.advance(1);
  expect([nth(1).isKilled, news().at(-1)]).toEqual([true, "killed"]);
  await nth(1).ends({ signal: "SIGKILL" });
  await closed;
});

test("after the end nothing is started, and every process has ended", async () => {
  const { operators, nth, processes, news } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  operators.start("edit");
  let isClosed = false;
  const closed = operators.close().then(() => (isClosed = true));
  operators.start("edit");
  await nth(1).ends({ code: 0 });
  expect(isClosed).toBe(false);
  await nth(2).ends({ code: 0 });
  await closed;
  expect([processes.length, news().slice(2)]).toEqual([2, ["starting: edit"]]);
});

test("lines and files of a process that is being replaced are told apart from those of the next one", async () => {
  const { operators, nth, news } = setUp();
  operators.start("start");
  await toStandby(nth(1));
  await nth(1).says({ type: "file", path: "late.ts", stamp: "" });
  await nth(1).says({ type: "line", line: { level: "info", text: "before", fields: {} } });
  operators.start("edit");
  await nth(1).says({ type: "file", path: "old.ts", stamp: "" });
  await nth(2).says({ type: "file", path: "new.ts", stamp: "" });
  await nth(2).says(STARTING);
  await nth(1).says({ type: "line", line: { level: "info", text: "old", fields: {} } });
  await nth(2).says({ type: "line", line: { level: "info", text: "new", fields: {} } });
  expect(news().slice(2)).toEqual(["file late.ts", "before", "starting: edit", "file new.ts", "old (leaving)", "new"]);
});
