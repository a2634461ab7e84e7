/**
 * The external resource under everything that can go wrong at once. Two processes share one object (a leader and one that
 * was deposed without noticing); people change, pause, delete and re-create it; answers of both servers get lost; processes
 * die before and after any request to either. Invariants:
 * 1. Never are two disks alive for one object.
 * 2. When the object is gone, no disk of it is left.
 * 3. When a create begins, the stored object holds its attempt and our finalizer, and is the object it is made for.
 * 4. In the end, left alone, the object is ready and has exactly one disk, of the size that its spec says.
 */
import { Secret } from "@treadle/apimachinery/kinds";
import { PAUSED_ANNOTATION } from "@treadle/reconcile";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Operator, startHarness } from "../harness.ts";
import { Cloud, type Verb } from "./cloud.ts";
import { EXTERNAL_NAME, external, POLL_MS, SETTLE_MS, Volume } from "./external.ts";

const KEY = "default/data";
const REF = { namespace: "default", name: "data" };
const FINALIZER = "test.treadle.dev/volumes.test.treadle.dev";
const CREATED = { metadata: REF, spec: { sizeGb: 1, credentials: "cloud" } };

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
  "resize outside",
  "delete outside",
  "vanish outside",
] as const;
/** The deposed process works on, on what it last saw. */
const DEPOSED = ["other pass", "other stale pass"] as const;

type Move = (typeof ALONE)[number] | (typeof DEPOSED)[number];

/** What happens at the request or provider call of this number, counted over both processes. */
interface Incident {
  readonly at: number;
  readonly when: "before" | "after";
  /** `crash`: the process dies; `lost`: this answer alone is an error; else a move in the middle of the pass. */
  readonly what: "crash" | "lost" | Move;
}

/** Both processes know an object that is ready. */
const GROWN_UP: readonly Move[] = ["pass", "pass", "other pass"];

test("one process: one disk at most, none left behind, whatever happens when", { tags: ["part"] }, ({ part }) =>
  check({ moves: ALONE, runs: part.runs(250) }),
);

test("two processes: one disk at most, none left behind, whatever happens when", { tags: ["part"] }, ({ part }) =>
  check({ moves: [...ALONE, ...DEPOSED], runs: part.runs(600) }),
);

async function check({
  moves,
  runs,
}: {
  readonly moves: readonly Move[];
  readonly runs: Pick<fc.Parameters, "numRuns" | "seed">;
}): Promise<void> {
  const script = fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant<Move>("pass") }, fc.constantFrom(...moves)), {
    minLength: 2,
    maxLength: 16,
  });
  const during = moves.filter((move) => move !== "pass" && move !== "stale pass" && move !== "wait");
  const incident = fc.record({
    at: fc.nat({ max: 40 }),
    when: fc.constantFrom("before" as const, "after" as const),
    what: fc.constantFrom("crash" as const, "crash" as const, "lost" as const, "lost" as const, ...during),
  });
  await fc.assert(
    fc.asyncProperty(script, fc.array(incident, { maxLength: 5 }), fc.boolean(), async (script, incidents, isOld) => {
      const world = await startWorld(incidents);
      for (const move of isOld ? [...GROWN_UP, ...script] : script) await world.make(move);
      await world.calm();
      expect(world.violations).toEqual([]);
    }),
    runs,
  );
}

interface World {
  readonly violations: string[];
  make(move: Move): Promise<void>;
  /** Nothing goes wrong any more: the object becomes ready, and can go. */
  calm(): Promise<void>;
}

async function startWorld(incidents: readonly Incident[]): Promise<World> {
  const harness = await startHarness([Volume, Secret]);
  const cloud = new Cloud(harness.clock);
  const violations: string[] = [];
  const { user } = harness;
  const live = (): Promise<Volume | undefined> => user.get(Volume, REF);
  /** Attempts and the uid of the object for which they began. */
  const owners = new Map<string, string>();
  let ids = 0;
  let tick = 0;
  let isDead = false;
  let isNested = false;
  const start = (): Operator[] => {
    isDead = false;
    return [0, 1].map(() => harness.operator(external({ cloud, newId: () => `attempt-${++ids}` })));
  };
  let operators = start();
  const operator = (at: number): Operator => operators[at] as Operator;

  /** Time goes on during a pass: the client waits before it repeats a read that was lost. */
  async function untilOver<T>(running: Promise<T>): Promise<T> {
    let isOver = isNested;
    void running.finally(() => (isOver = true));
    while (!isOver) await harness.clock.advance(100);
    return await running;
  }

  /** One side of one request to either server. */
  async function happen(when: "before" | "after"): Promise<void> {
    if (isDead) throw new Error("the process is dead");
    if (isNested) return;
    const now = incidents.filter((incident) => incident.at === tick && incident.when === when);
    if (when === "after") tick++;
    isNested = true;
    for (const { what } of now) if (what !== "crash" && what !== "lost") await make(what);
    isNested = false;
    isDead ||= now.some(({ what }) => what === "crash");
    if (isDead || now.some(({ what }) => what === "lost")) throw new Error("connection reset");
  }
  harness.intercept = async (_request, send) => {
    await happen("before");
    const answer = await send();
    await happen("after");
    return answer;
  };
  cloud.hook = async (verb, when, subject) => {
    await happen(when);
    await checkCreate(verb, when, subject);
  };

  async function checkCreate(verb: Verb, when: "before" | "after", attempt: string): Promise<void> {
    if (verb !== "create") return;
    if (when === "after") {
      const alive = cloud.disks.map(({ tag }) => owners.get(tag));
      if (new Set(alive).size !== alive.length) violations.push(`1: ${JSON.stringify(cloud.disks)}`);
      return;
    }
    const stored = await live();
    owners.set(attempt, stored?.metadata.uid ?? "nobody");
    const state = stored?.status?.steps?.["disk"];
    if (JSON.stringify(state)?.includes(`"${attempt}"`) !== true)
      violations.push(`3: ${attempt} begins, stored is ${JSON.stringify(state)}`);
    if (stored?.metadata.finalizers?.includes(FINALIZER) !== true) violations.push(`3: ${attempt} begins without the finalizer`);
  }
  async function checkGone(): Promise<void> {
    const uid = (await live())?.metadata.uid;
    for (const disk of cloud.disks) if (owners.get(disk.tag) !== uid) violations.push(`2: ${JSON.stringify(disk)} is left`);
  }

  const patch = async (body: object): Promise<void> => void (await user.patch(Volume, REF, { type: "merge", body }).catch(() => undefined));
  const disk = (): string => cloud.disks.at(-1)?.id ?? "";
  const outside = async (act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const { hook } = cloud;
    cloud.hook = () => undefined;
    await act(new AbortController().signal);
    cloud.hook = hook;
  };
  async function make(move: Move): Promise<void> {
    switch (move) {
      case "pass":
        await untilOver(operator(0).pass(KEY));
        break;
      case "stale pass":
        await untilOver(operator(0).stalePass(KEY));
        break;
      case "other pass":
        await untilOver(operator(1).pass(KEY));
        break;
      case "other stale pass":
        await untilOver(operator(1).stalePass(KEY));
        break;
      case "delete":
        await user.delete(Volume, REF);
        break;
      case "recreate":
        await user.create(Volume, CREATED).catch(() => undefined);
        break;
      case "resize":
        await patch({ spec: { sizeGb: (tick % 3) + 1 } });
        break;
      case "label":
        await patch({ metadata: { labels: { tick: String(tick) } } });
        break;
      case "pause":
        await patch({ metadata: { annotations: { [PAUSED_ANNOTATION]: "true" } } });
        break;
      case "resume":
        await patch({ metadata: { annotations: { [PAUSED_ANNOTATION]: null } } });
        break;
      case "restart":
        if (!isNested) operators = start();
        break;
      case "wait":
        await harness.clock.advance(SETTLE_MS);
        break;
      case "resize outside":
        await outside((signal) => cloud.update(disk(), 7, signal));
        break;
      case "vanish outside":
        cloud.vanish(disk());
        break;
      case "delete outside":
        await outside((signal) => cloud.delete(disk(), signal));
        break;
    }
    if (isDead && !isNested) operators = start();
    await checkGone();
  }

  async function calm(): Promise<void> {
    harness.intercept = undefined;
    cloud.hook = checkCreate;
    operators = start();
    const settle = async (): Promise<void> => {
      for (let i = 0, quiet = 0; i < 12 && quiet < 2; i++) {
        const { outcome, writes } = await untilOver(operator(0).pass(KEY));
        quiet = writes === 0 && outcome.type !== "wait" && outcome.type !== "failed" ? quiet + 1 : 0;
        await harness.clock.advance(POLL_MS);
      }
    };
    await make("resume");
    await settle();
    await make("recreate");
    await settle();
    const stored = await live();
    if (stored?.status?.conditions?.find(({ type }) => type === "Ready")?.status !== "True")
      violations.push(`4: ${JSON.stringify(stored)}`);
    const [only, ...more] = cloud.disks;
    if (more.length > 0 || only?.sizeGb !== stored?.spec.sizeGb || only?.id !== stored?.metadata.annotations?.[EXTERNAL_NAME])
      violations.push(`4: ${JSON.stringify([cloud.disks, stored])}`);
    await make("delete");
    await settle();
    if ((await live()) !== undefined) violations.push("2: the object stays");
    if (cloud.disks.length > 0) violations.push(`2: ${JSON.stringify(cloud.disks)} are left`);
  }

  await user.create(Secret, { metadata: { namespace: "default", name: "cloud" } });
  await user.create(Volume, CREATED);
  return { violations, make, calm };
}
