/** Managers that a host lets run: the options are those of the host, and the work begins when it says so. */
import { handler, step } from "@treadle/reconcile";
import { expect, onTestFinished, test } from "vitest";
import { handlersIn } from "../src/unstable/program.ts";
import { type HostedManager, hostManagers, type ManagerHost, managerHost } from "../src/unstable/host.ts";
import { startWorld, Widget, widget } from "./world.ts";

const noting = (written: string[]) =>
  handler(Widget)
    .step(step(Widget, { name: "note", do: (req) => void written.push(req.object.metadata.name) }))
    .build();

function hosted(host: Omit<ManagerHost, "endpoint">): void {
  hostManagers({ ...host, endpoint: () => undefined });
  // The host is global.
  onTestFinished(() => void Reflect.deleteProperty(globalThis, Symbol.for("@treadle/controller/host-managers")));
}

test("a manager with a host is on standby until the host lets it lead, and no lease is taken", async () => {
  const written: string[] = [];
  const leads = Promise.withResolvers<void>();
  hosted({ starting: async ({ options }) => ({ options, leads: leads.promise }) });
  const world = await startWorld({ handlers: [noting(written)], leaderElection: { name: "x", namespace: "default" } });
  await world.user.create(Widget, widget("a"));
  expect([world.manager.status().state, world.manager.status().leadership]).toEqual(["running", { type: "standby", holder: undefined }]);
  expect(written).toEqual([]);

  leads.resolve();
  await world.settled();
  expect(world.manager.status().leadership).toEqual({ type: "leading" });
  expect(written).toEqual(["a"]);
  expect(world.requests.filter((request) => /leases/.test(request))).toEqual([]);

  await world.manager.stop();
  expect(world.manager.status().leadership).toEqual({ type: "over" });
});

test("a manager that stops on standby never leads", async () => {
  const written: string[] = [];
  const leads = Promise.withResolvers<void>();
  hosted({ starting: async ({ options }) => ({ options, leads: leads.promise }) });
  const world = await startWorld({ handlers: [noting(written)] });
  await world.user.create(Widget, widget("a"));
  await world.manager.stop();
  leads.resolve();
  await leads.promise;
  expect([world.manager.status().leadership, written]).toEqual([{ type: "over" }, []]);
});

test("a host sees what was added, and chooses the options", async () => {
  const asked: HostedManager[] = [];
  const passes: string[] = [];
  hosted({
    async starting(manager) {
      asked.push(manager);
      return {
        options: { ...manager.options, onPass: ({ ref, cause }) => void passes.push(`${ref.name}: ${cause}`) },
        leads: Promise.resolve(),
      };
    },
  });
  const idle = noting([]);
  const world = await startWorld({ handlers: [idle] });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  expect(asked.map(({ handlers, runnables }) => ({ handlers, runnables }))).toEqual([{ handlers: [idle], runnables: [] }]);
  expect(passes).toEqual(["a: Widget default/a was created"]);
});

test("an error of the host fails the start, and a stop ends the wait for the host", async () => {
  hosted({ starting: () => Promise.reject(new Error("no")) });
  await expect(startWorld({ handlers: [noting([])] })).rejects.toThrow("no");
  const asked = Promise.withResolvers<HostedManager>();
  hosted({
    starting(manager) {
      asked.resolve(manager);
      return new Promise(() => undefined);
    },
  });
  const starting = startWorld({ handlers: [noting([])] });
  const ended = expect(starting).rejects.toThrow("the manager was stopped");
  await (await asked.promise).manager.stop();
  await ended;
});

test("a program without a host has none", () => {
  expect(managerHost()).toBeUndefined();
  expect(handlersIn([noting([])])).toHaveLength(1);
});
