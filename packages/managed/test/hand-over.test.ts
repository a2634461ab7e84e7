/**
 * Two replicas with real managers and one lease. The leader loses the API server, dies, or is stopped, again and again, in the middle of
 * slow calls of the provider. The invariants are those of never-twice/ledger.ts, for several objects.
 */
import { type FakeClock, fakeClock, type Random, seededRandom, type Transport } from "@treadle/apimachinery";
import { type ApiServer, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { createManager, type Manager } from "@treadle/controller";
import { expect, test } from "vitest";
import {
  type Author,
  AUTHORS,
  type Calls,
  CloudConfig,
  DEADLINE_MS,
  Disk,
  disks,
  LIBRARY,
  type Outside,
  outsideOf,
} from "./never-twice/author.ts";
import { Ledger, newFigures, ownerOf, stateOf } from "./never-twice/ledger.ts";

/** The replicas that run at any time. */
const NEEDED = 2;
const NAMES = ["a", "b", "c"];
const ROUNDS = 14;
/** Time between two checks of the provider. */
const STEP_MS = 2_500;
/** Time that the lease and the waits of the contract take at most, before everything is Ready. */
const CALM_MS = 600_000;

test.for(AUTHORS)(
  "with an author of the type %s, a hand-over of the lease creates nothing twice and loses nothing",
  {
    tags: ["memory", "part"],
    timeout: 180_000,
  },
  async (author, { part }) => {
    const total = { takeovers: 0, cutShort: 0 };
    const { numRuns, seed = 1 } = part.runs(8);
    for (let run = 0; run < numRuns; run++) {
      const { takeovers, cutShort } = await runScript(author, seed + run);
      total.takeovers += takeovers;
      total.cutShort += cutShort;
    }
    // The scripts do what they are for.
    expect(total.takeovers).toBeGreaterThan(numRuns);
    if (part.isWhole) expect(total.cutShort).toBeGreaterThan(0);
    console.info(
      `hand-over, ${author}: ${numRuns} scripts, ${total.takeovers} takeovers, ${total.cutShort} creates answered to no replica`,
    );
  },
);

/** Runs one script. Returns how often a replica was started for one that ended, and how many creates were answered to none. */
async function runScript(author: Author, seed: number): Promise<{ readonly takeovers: number; readonly cutShort: number }> {
  const random = seededRandom(seed);
  const team = await Team.start(author, seed);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await team.makeMove(random.next());
      await team.advance(1_000 + Math.floor(random.next() * 15_000));
    }
    await team.calm();
    expect(
      team.violations.map((text) => text.slice(0, 2_000)),
      `seed ${seed}`,
    ).toEqual([]);
    return { takeovers: team.starts - NEEDED, cutShort: team.cutShort };
  } finally {
    await team.stop();
  }
}

interface Replica {
  readonly manager: Manager;
  /** Whether the API server is out of its reach. */
  isCut: boolean;
  /** Whether it can do nothing any more; what it began goes on. */
  isDead: boolean;
  hasEnded: boolean;
}

/** So many turns of a loop may be needed until a process that has begun leads. */
const MAX_WAITS = 2_000;

class Team {
  readonly #author: Author;
  readonly #seed: number;
  readonly #clock: FakeClock;
  readonly #server: ApiServer;
  readonly #user: Client;
  readonly #outside: Outside;
  readonly #ledger: Ledger;
  readonly #replicas: Replica[] = [];
  readonly #random: Random;
  #isCalm = false;
  starts = 0;
  cutShort = 0;

  static async start(author: Author, seed: number): Promise<Team> {
    const team = new Team(author, seed);
    await team.#user.create(CloudConfig, { metadata: { namespace: "default", name: "default" }, spec: {} });
    for (const name of NAMES) await team.#create(name);
    await team.#fill();
    // A manager loads modules in real time, and virtual time must not run ahead of that.
    for (let i = 0; i < MAX_WAITS && !team.#isLed(); i++) await team.advance(1_000);
    return team;
  }

  private constructor(author: Author, seed: number) {
    this.#author = author;
    this.#seed = seed;
    this.#clock = fakeClock();
    this.#random = seededRandom(seed + 1);
    let uids = 0;
    this.#server = createApiServer({
      clock: this.#clock,
      random: seededRandom(seed),
      // The same seed gives the same script: uids spread the polls.
      uid: () => `00000000-0000-4000-${String(seed % 10_000).padStart(4, "0")}-${String(++uids).padStart(12, "0")}`,
      resources: [Disk, CloudConfig],
    });
    this.#user = createClient({ transport: this.#server.transport(), clock: this.#clock, fieldManager: "user" });
    // An even seed has calls that take so long that the lease passes on meanwhile.
    const latencyMs = seed % 2 === 0 ? 24_000 : 2_000;
    this.#outside = outsideOf({ author, latencyMs, visibleAfterMs: 5_000, deleteMs: 10_000 }, this.#clock);
    this.#ledger = new Ledger(this.#outside, newFigures());
  }

  get violations(): readonly string[] {
    return this.#ledger.violations;
  }

  /** A move of people, or of the leader. `chance`: from 0 to 1. */
  async makeMove(chance: number): Promise<void> {
    const ref = { namespace: "default", name: NAMES[Math.floor(chance * 1_000) % NAMES.length] as string };
    const leader = this.#replicas.find(({ manager }) => manager.status().leadership.type === "leading") ?? this.#replicas[0];
    if (chance < 0.2 && leader !== undefined) leader.isCut = true;
    else if (chance < 0.35 && leader !== undefined) leader.isCut = leader.isDead = true;
    else if (chance < 0.45) void leader?.manager.stop();
    else if (chance < 0.6) this.#outside.remove(this.#outside.items[0]?.name ?? "");
    else if (chance < 0.75) await this.#user.delete(Disk, ref);
    else if (chance < 0.9) await this.#create(ref.name);
    else await this.#user.patch(Disk, ref, { type: "merge", body: { spec: { sizeGb: 3 } } }).catch(() => undefined);
  }

  async advance(ms: number, stepMs: number = STEP_MS): Promise<void> {
    for (let rest = ms; rest > 0; rest -= stepMs) {
      await this.#clock.advance(Math.min(stepMs, rest));
      // Virtual time must not run ahead of work that needs turns of the event loop, such as the streams of watches.
      for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
      this.#ledger.check(await this.#objects());
    }
    await this.#fill();
  }

  #isLed(): boolean {
    return this.#replicas.some(({ manager }) => manager.status().leadership.type === "leading");
  }

  /** All replicas work again, and people do what the objects ask for. Then all objects are deleted. */
  async calm(): Promise<void> {
    this.#isCalm = true;
    for (const replica of this.#replicas) if (!replica.isDead) replica.isCut = false;
    await this.advance(2 * DEADLINE_MS, 15_000);
    for (const name of NAMES) await this.#create(name);
    for (let ms = 0, waits = 0; ms < CALM_MS || (!this.#isLed() && waits < MAX_WAITS); ms += 60_000, waits++) {
      await this.#answer();
      await this.advance(60_000, 15_000);
    }
    for (const object of await this.#objects()) {
      const isReady = object.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
      const own = this.#ledger.of(object, object.metadata.annotations?.["treadle.dev/external-name"]);
      if (isReady !== true || own.length !== 1 || own[0]?.values.sizeGb !== object.spec.sizeGb)
        this.#ledger.violations.push(`4: ${JSON.stringify([own, object])}`);
      await this.#user.delete(Disk, { namespace: "default", name: object.metadata.name });
    }
    await this.advance(300_000, 15_000);
    const left = await this.#objects();
    if (left.length + this.#outside.items.length > 0)
      this.#ledger.violations.push(`2: ${JSON.stringify([left, this.#outside.items])} are left`);
  }

  async stop(): Promise<void> {
    const ended = Promise.allSettled(this.#replicas.map(({ manager }) => manager.stop()));
    await this.#clock.advance(120_000);
    await ended;
    await this.#server.close();
  }

  /** A person looks at the provider for each create whose result is not known. */
  async #answer(): Promise<void> {
    for (const object of await this.#objects()) {
      const { record } = stateOf(object);
      const isAsked = object.status?.conditions?.some(({ type, reason }) => type === "Synced" && reason === "CreateInterrupted");
      if (this.#author !== "blind" || record === undefined || isAsked !== true) continue;
      const found = this.#outside.items.find(({ token }) => token === record.token)?.name;
      this.#ledger.answered(record.token, found);
      const annotations =
        found === undefined ? { "treadle.dev/external-create-failed": record.token } : { "treadle.dev/external-name": found };
      await this.#user.patch(
        Disk,
        { namespace: "default", name: object.metadata.name },
        { type: "merge", body: { metadata: { annotations } } },
      );
    }
  }

  async #objects(): Promise<readonly Disk[]> {
    return (await this.#user.list(Disk)).items;
  }

  async #create(name: string): Promise<void> {
    await this.#user.create(Disk, { metadata: { namespace: "default", name }, spec: { sizeGb: 1 } }).catch(() => undefined);
  }

  /** There are always two replicas that have not ended. */
  async #fill(): Promise<void> {
    for (const [at, replica] of this.#replicas.entries()) if (replica.hasEnded || replica.isDead) this.#replicas.splice(at, 1);
    while (this.#replicas.length < NEEDED) await this.#join();
  }

  async #join(): Promise<void> {
    const direct = this.#server.transport();
    const number = this.starts++;
    const transport: Transport = {
      request: (request) => (replica.isCut ? Promise.reject(new Error("connection refused")) : direct.request(request)),
      close: () => direct.close(),
    };
    const clock = this.#clock;
    const manager = createManager({
      client: ({ onExchange }) => createClient({ transport, clock, random: seededRandom(this.#seed), onExchange }),
      clock,
      random: seededRandom(this.#seed + number),
      probes: false,
      metrics: false,
      signals: false,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      leaderElection: { identity: `replica-${number}` },
    });
    const replica: Replica = { manager, isCut: false, isDead: false, hasEnded: false };
    manager.add(disks(this.#author, { calls: this.#calls(replica), state: this.#outside.state }, LIBRARY));
    this.#replicas.push(replica);
    void manager.run().then(
      () => (replica.hasEnded = true),
      () => (replica.hasEnded = true),
    );
    await clock.advance(0);
  }

  #calls(replica: Replica): Calls {
    const { functions } = this.#outside;
    const alive = async <R>(call: () => Promise<R>): Promise<R> => {
      if (replica.isDead) throw new Error("the process is dead");
      const answer = await call();
      if (replica.isDead) throw new Error("the process is dead");
      return answer;
    };
    return {
      observe: (args) => alive(() => functions.observe(args)),
      recoverCreate: (args) => alive(() => functions.recoverCreate(args)),
      update: (args) => alive(() => functions.update(args)),
      delete: (args) => alive(() => functions.delete(args)),
      create: (args) =>
        alive(async () => {
          const stored = (await this.#objects()).find(({ metadata }) => metadata.uid === ownerOf(args.token));
          this.#ledger.begins(args.token, stored, this.#clock.now());
          const made = await functions.create(args);
          // The leader loses the API server, or dies, while the provider creates.
          if (!this.#isCalm && this.#random.next() < 0.4) {
            replica.isCut = true;
            replica.isDead = this.#random.next() < 0.5;
          }
          if (replica.isDead || replica.isCut || replica.hasEnded) this.cutShort++;
          return made;
        }),
    };
  }
}
