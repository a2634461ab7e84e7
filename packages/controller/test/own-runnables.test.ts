/** What authors run beside their handlers: servers and work that comes back. */
import { handler, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { httpService, periodic, type Runnable } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startWorld, Widget, type World } from "./world.ts";

const idle = handler(Widget)
  .step(step(Widget, { name: "idle" }))
  .build();

async function running(...given: readonly Runnable[]): Promise<World> {
  const world = await startWorld({ handlers: [idle], start: false });
  for (const each of given) world.manager.add(each);
  await world.manager.start();
  return world;
}

describe("periodic", () => {
  test("runs immediately and then after each period, never twice at a time", async () => {
    let runs = 0;
    let release = (): void => {};
    const world = await running(
      periodic({
        name: "sweep",
        everyMs: 60_000,
        jitter: 0,
        run() {
          runs++;
          return new Promise<void>((resolve) => {
            release = resolve;
          });
        },
      }),
    );
    expect(runs).toBe(1);
    await world.clock.advance(600_000);
    expect(runs, "the first one has not ended").toBe(1);
    release();
    await world.clock.advance(59_999);
    expect(runs).toBe(1);
    await world.clock.advance(1);
    expect(runs).toBe(2);
    release();
    await world.manager.stop();
    await world.clock.advance(600_000);
    expect(runs, "stopped").toBe(2);
  });

  test("a failed run is logged without its secrets, and the next one starts", async () => {
    let runs = 0;
    const world = await running(
      periodic({
        name: "sweep",
        everyMs: 1_000,
        atOnce: false,
        run() {
          runs++;
          throw new Error("token=hunter2 is refused");
        },
      }),
    );
    expect(runs).toBe(0);
    for (let i = 0; i < 3; i++) await world.clock.advance(1_100);
    expect(runs).toBeGreaterThanOrEqual(2);
    const errors = world.logs.filter(({ level }) => level === "error");
    expect(errors[0]).toMatchObject({
      data: { runnable: "sweep", error: "token=<redacted> is refused" },
      text: 'periodic "sweep" failed',
    });
  });

  test("the stop aborts the signal of a run in progress and waits for it, which is not a failure", async () => {
    let hasEnded = false;
    const world = await running(
      periodic({
        name: "sweep",
        everyMs: 1_000,
        run: (signal) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              hasEnded = true;
              reject(new Error("aborted"));
            });
          }),
      }),
    );
    await world.manager.stop();
    expect(hasEnded).toBe(true);
    expect(world.logs.filter(({ level }) => level === "error")).toEqual([]);
  });

  test.for([{ everyMs: 0 }, { everyMs: Number.NaN }, { everyMs: -1 }, { everyMs: 1_000, jitter: 2 }])("%j is refused", (times) => {
    expect(() => periodic({ name: "sweep", run() {}, ...times })).toThrow(/periodic "sweep"/);
  });

  test("with leader election it starts in the leader, or in every replica", async () => {
    const begun: string[] = [];
    const world = await startWorld({ handlers: [idle], start: false, leaderElection: { namespace: "default" } });
    world.manager.add(periodic({ name: "one", everyMs: 1_000_000, run: () => void begun.push("one") }));
    world.manager.add(periodic({ name: "all", everyMs: 1_000_000, needsLeader: false, run: () => void begun.push("all") }));
    await world.manager.start();
    expect(begun[0]).toBe("all");
    await world.clock.advance(5_000);
    await world.settled();
    expect(begun).toEqual(["all", "one"]);
  });
});

describe("httpService", () => {
  test("listens from the start to the stop of the operator", async () => {
    const service = httpService({ name: "hooks", host: "127.0.0.1", handler: (_, response) => void response.end("hello") });
    expect(service.address).toBeUndefined();
    const world = await running(service);
    const url = service.address?.url ?? "";
    expect(await (await fetch(url)).text()).toBe("hello");
    const stopped = world.manager.stop();
    await world.clock.advance(5_000);
    await stopped;
    expect(service.address).toBeUndefined();
    await expect(fetch(url)).rejects.toThrow();
  });

  test("a port in use ends the start with an error that names the service", async () => {
    const first = httpService({ name: "hooks", host: "127.0.0.1", handler() {} });
    await running(first);
    const world = await startWorld({ handlers: [idle], start: false });
    world.manager.add(httpService({ name: "more hooks", host: "127.0.0.1", port: first.address?.port ?? 0, handler() {} }));
    await expect(world.manager.start()).rejects.toThrow(/cannot start runnable "more hooks".*the port is in use; choose another port/);
  });

  test("with tls it serves HTTPS", async () => {
    const { mkdtemp, rm, writeFile } = await import("node:fs/promises");
    const { tmpdir } = await import("node:os");
    const folder = await mkdtemp(`${tmpdir()}/treadle-http-`);
    const { cert, key } = await selfSigned("hooks");
    const tls = { certFile: `${folder}/tls.crt`, keyFile: `${folder}/tls.key` };
    await Promise.all([writeFile(tls.certFile, cert), writeFile(tls.keyFile, key)]);
    const service = httpService({ name: "hooks", host: "127.0.0.1", tls, handler: (_, response) => void response.end("hello") });
    await running(service);
    const { get } = await import("node:https");
    const body = await new Promise<string>((resolve, reject) => {
      get(service.address?.url ?? "", { ca: cert, agent: false }, (response) => {
        response.setEncoding("utf8").on("data", resolve);
      }).on("error", reject);
    });
    expect(body).toBe("hello");
    await rm(folder, { recursive: true });
  });
});
