import { expect, test } from "vitest";
import { type Circumstances, type ContainerLife, type ContainerSpec, isReadyNow, live, nextChange } from "./container-life.ts";

function container(spec: Partial<ContainerSpec> = {}): ContainerLife {
  return {
    spec: { name: "app", image: "app:1", type: "main", readyAfterMs: 0, ...spec },
    state: { type: "waiting", reason: "ContainerCreating" },
    restarts: 0,
    wasReady: false,
  };
}

function at(nowMs: number, given: Partial<Circumstances> = {}): Circumstances {
  return { nowMs, restartPolicy: "Always", problem: undefined, exitsAfterMs: undefined, ...given };
}

test("a container starts, and runs as long as nothing happens", () => {
  const running = live(container(), at(0));
  expect(running).toMatchObject({ state: { type: "running", sinceMs: 0 }, wasReady: true });
  expect(live(running, at(1_000_000))).toBe(running);
  expect(nextChange(running, at(0))).toBeUndefined();
});

test("a container that crashes restarts at once, then after 10 s, 20 s ... 5 min", () => {
  let life = live(container(), at(0, { problem: "Error" }));
  const waits: (number | undefined)[] = [];
  for (let nowMs = 0, restarts = 1; restarts <= 8; restarts++) {
    expect(life).toMatchObject({ restarts, state: { type: "waiting", reason: "CrashLoopBackOff" }, last: { exitCode: 1 } });
    const due = nextChange(life, at(nowMs, { problem: "Error" }));
    waits.push((due ?? 0) - nowMs);
    nowMs = due ?? 0;
    expect(live(life, at(nowMs - 1, { problem: "Error" })), "not before its time").toBe(life);
    life = live(life, at(nowMs, { problem: "Error" }));
  }
  expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
});

test("a container without its problem does not wait for the back-off", () => {
  const waiting = live(container(), at(0, { problem: "OOMKilled" }));
  expect(waiting.last).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
  expect(live(waiting, at(1))).toMatchObject({ restarts: 2, state: { type: "running", sinceMs: 1 } });
});

test.for([
  { name: "with Never a container does not restart", restartPolicy: "Never", exitCode: 1, want: "terminated" },
  { name: "with OnFailure a container that succeeded does not restart", restartPolicy: "OnFailure", exitCode: 0, want: "terminated" },
  { name: "with OnFailure a container that failed restarts", restartPolicy: "OnFailure", exitCode: 3, want: "waiting" },
  { name: "with Always a container restarts", restartPolicy: "Always", exitCode: 0, want: "waiting" },
])("$name", ({ restartPolicy, exitCode, want }) => {
  expect(live(container(), at(0, { restartPolicy, problem: { exitCode } })).state.type).toBe(want);
});

test("an init container exits at once, a sidecar never, a container of a Job after its run time", () => {
  expect(live(container({ type: "init" }), at(0)).state).toMatchObject({ type: "terminated", exitCode: 0 });
  expect(live(container({ type: "sidecar" }), at(0, { exitsAfterMs: 0 })).state.type).toBe("running");
  const job = { restartPolicy: "Never", exitsAfterMs: 1_000 };
  const running = live(container(), at(0, job));
  expect([running.state.type, nextChange(running, at(0, job))]).toEqual(["running", 1_000]);
  expect(live(running, at(1_000, job)).state).toMatchObject({ type: "terminated", reason: "Completed" });
  expect(live(running, at(1_000, { ...job, problem: "Hangs" })).state.type).toBe("running");
});

test("a container waits while its image cannot be pulled, and no longer", () => {
  const waiting = live(container(), at(0, { problem: "ImagePullBackOff" }));
  expect(waiting.state).toEqual({ type: "waiting", reason: "ImagePullBackOff", message: 'Back-off pulling image "app:1"' });
  expect(live(waiting, at(5, { problem: "ImagePullBackOff" }))).toBe(waiting);
  expect(live(waiting, at(5))).toMatchObject({ restarts: 0, state: { type: "running", sinceMs: 5 } });
  const running = live(container(), at(0));
  expect(live(running, at(5, { problem: "ImagePullBackOff" })), "what runs has its image").toBe(running);
});

test("a container is ready after the initial delay of its probe, unless a fault prevents it", () => {
  const life = live(container({ readyAfterMs: 5_000 }), at(0));
  expect([isReadyNow(life, at(4_999)), isReadyNow(life, at(5_000)), isReadyNow(life, at(5_000, { problem: "NotReady" }))]).toEqual([
    false,
    true,
    false,
  ]);
  expect(nextChange(life, at(0))).toBe(5_000);
});
