import { afterEach, expect, test, vi } from "vitest";
import { EventLoopMonitor } from "../event-loop/event-loop-monitor.ts";
import type { RunnableEnv } from "../runnable.ts";
import { RunnableEnvs } from "./runnable-env.ts";
import type { Services } from "./services.ts";

const boom = new Error("boom");
const trace: string[] = [];
afterEach(() => void trace.splice(0));

/** The services of a runnable of a manager whose monitor records what it learns. */
function env(monitor?: object): RunnableEnv {
  const parts = { cache: undefined, presence: undefined, health: undefined, stopMs: () => 0 } as never; // None of them is used.
  return new RunnableEnvs({ monitor } as Services, parts).of({ name: "webhooks", start() {} }, []);
}

const recording = {
  beganWork(runnable: string, { name }: { readonly name: string }) {
    trace.push(`${name} of ${runnable} began`);
    return { returned: () => void trace.push("returned"), ended: () => void trace.push("ended") };
  },
};

test("named() reports the begin and the end of a function, and returns its result", () => {
  expect(env(recording).named({ name: "fill" }, () => 1)).toBe(1);
  expect(trace).toEqual(["fill of webhooks began", "ended"]);
});

test("named() reports when an async function yields, and when it ends", async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const result = env(recording).named({ name: "problems" }, () => promise);
  expect(trace).toEqual(["problems of webhooks began", "returned"]);
  resolve(2);
  expect(await result).toBe(2);
  expect(trace.at(-1)).toBe("ended");
});

test("named() ends its watch of a promise that never settles with the signal", () => {
  const end = new AbortController();
  void env(recording).named(
    { name: "problems" },
    () => new Promise(() => {}),
    () => end.signal,
  );
  expect(trace.at(-1)).toBe("returned");
  end.abort();
  expect(trace.at(-1)).toBe("ended");
});

test.for([
  { name: "throws", run: () => raise() },
  { name: "rejects", run: () => Promise.reject(boom) },
])("named() does not change the error of a function that $name, and reports its end", async ({ run }) => {
  await expect(async () => await env(recording).named({ name: "fill" }, run)).rejects.toBe(boom);
  expect(trace.at(-1)).toBe("ended");
});

test("named() does not start a lazy thenable", () => {
  const then = vi.fn();
  // oxlint-disable-next-line unicorn/no-thenable -- a query of a library may be one
  env(recording).named({ name: "fill" }, () => ({ then }));
  expect(then).not.toHaveBeenCalled();
  expect(trace.at(-1)).toBe("ended");
});

test("named() without a monitor only calls the function", () => {
  expect(env().named({ name: "fill" }, () => 1)).toBe(1);
});

test("the monitor of a manager has what named() needs", () => {
  const monitor = new EventLoopMonitor({ now: () => 0, onBlock() {} });
  expect(env(monitor).named({ name: "fill", ref: { name: "a" } }, () => 1)).toBe(1);
});

function raise(): never {
  throw boom;
}
