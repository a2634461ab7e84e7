/**
 * Two processes and one object: a leader, and one that was deposed and has not noticed. Its cache is old. A checkpoint that is stored must
 * mean that the process acts on the present object, or a resource is created that should not be.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { CloudConfig, Disk, disks, LIBRARY, type Outside, outsideOf } from "./never-twice/author.ts";
import { type Process, type Processes, startProcesses } from "./never-twice/processes.ts";

const REF = { namespace: "default", name: "data" };
const NAME = "treadle.dev/external-name";

describe.for(["chosen", "recovered"] as const)("with an author of the type %s", (author) => {
  let processes: Processes;
  let outside: Outside;
  let leader: Process;
  let deposed: Process;
  let first: string;

  /** Both processes know the object and its resource, which no longer exists outside. */
  beforeEach(async () => {
    processes = startProcesses([Disk, CloudConfig]);
    outside = outsideOf({ author }, processes.clock);
    const { functions: calls, state } = outside;
    [leader, deposed] = [0, 1].map(() => processes.start(disks(author, { calls, state }, LIBRARY))) as [Process, Process];
    await processes.user.create(CloudConfig, { metadata: { namespace: "default", name: "default" }, spec: {} });
    await processes.user.create(Disk, { metadata: REF, spec: { sizeGb: 1 } });
    await leader.pass(REF);
    await processes.clock.advance(30_000);
    await leader.pass(REF);
    await deposed.pass(REF);
    first = outside.items[0]?.name ?? "";
    outside.remove(first);
  });

  const live = (): Promise<Disk | undefined> => processes.user.get(Disk, REF);
  /** Runs `act` around the first request whose body has this word. */
  function once(word: string, when: "before" | "after", act: () => unknown): void {
    let isFirst = true;
    processes.intercept = async (send, body) => {
      const isNow = isFirst && body?.includes(word) === true;
      if (isNow) isFirst = false;
      if (isNow && when === "before") await act();
      const answer = await send();
      if (isNow && when === "after") await act();
      return answer;
    };
  }
  const lose = (): never => {
    throw new Error("connection reset");
  };

  test("a deposed process creates nothing after the leader replaced the resource", async () => {
    await leader.pass(REF);
    await leader.pass(REF);
    const created = outside.count("create");
    const before = await live();
    await deposed.stalePass(REF);
    expect(outside.count("create")).toBe(created);
    expect(outside.items).toHaveLength(1);
    expect((await live())?.metadata.annotations).toEqual(before?.metadata.annotations);
  });

  test("a deposed process creates nothing for an object whose cleanup found nothing to delete", async () => {
    await processes.user.delete(Disk, REF);
    once("finalizers", "before", () => deposed.stalePass(REF));
    for (let i = 0; i < 6; i++) await leader.pass(REF);
    expect(await live()).toBeUndefined();
    expect(outside.items).toEqual([]);
  });

  test("a deposed process whose checkpoint is lost leaves the name of the present resource", async () => {
    await leader.pass(REF);
    await leader.pass(REF);
    const before = await live();
    once("record", "after", lose);
    await deposed.stalePass(REF);
    expect((await live())?.metadata.annotations).toEqual(before?.metadata.annotations);
    await leader.pass(REF);
    expect(outside.items).toMatchObject([{ name: before?.metadata.annotations?.[NAME] }]);
  });

  test("the finalizer stays on an object for which a person named another resource during the cleanup", async () => {
    await processes.user.delete(Disk, REF);
    outside.add("by-hand");
    once("finalizers", "before", () =>
      processes.user.patch(Disk, REF, { type: "merge", body: { metadata: { annotations: { [NAME]: "by-hand" } } } }),
    );
    for (let i = 0; i < 6; i++) await leader.pass(REF);
    expect([outside.items, await live()]).toEqual([[], undefined]);
  });

  test("after a crash between the two patches of the save, the next process takes the created resource, also one that is not visible yet", async () => {
    const fresh = { namespace: "default", name: "fresh" };
    const slow = outsideOf({ author, visibleAfterMs: 20_000 }, processes.clock);
    const start = (): Process => processes.start(disks(author, { calls: slow.functions, state: slow.state }, LIBRARY));
    await processes.user.create(Disk, { metadata: fresh, spec: { sizeGb: 1 } });
    once(NAME, "after", () => {
      processes.intercept = lose;
    });
    await start().pass(fresh);
    processes.intercept = undefined;
    const token = `${(await processes.user.get(Disk, fresh))?.metadata.uid}-1`;
    expect(await processes.user.get(Disk, fresh)).toMatchObject({
      metadata: { annotations: { [NAME]: slow.items[0]?.name } },
      status: { steps: { disk: { record: { token } } } },
    });
    const next = start();
    for (let i = 0; i < 4; i++) {
      await next.pass(fresh);
      await processes.clock.advance(10_000);
    }
    expect(slow.items).toMatchObject([{ token }]);
    expect((await processes.user.get(Disk, fresh))?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "True" }),
    );
  });
});
