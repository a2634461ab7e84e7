/**
 * One object, its external resource, and everything that can go wrong at once: two processes (a leader, and one that was deposed without
 * noticing), people who change the object and the outside, lost answers of both servers, and crashes before and after any request.
 */
import { sleep } from "@treadle/apimachinery";
import { Throttled } from "../../src/index.ts";
import {
  type Calls,
  CloudConfig,
  DEADLINE_MS,
  Disk,
  disks,
  type Library,
  LIBRARY,
  type Nature,
  type Outside,
  outsideOf,
} from "./author.ts";
import { type Figures, Ledger, newFigures } from "./ledger.ts";
import { CREATED, NAME, People, REF, syncedOf } from "./people.ts";
import { type Process, type Processes, startProcesses } from "./processes.ts";
import type { Incident, Late, Move, Script } from "./script.ts";

const POLL_MS = 60_000;
/** The object is settled after so many passes, with every wait that the contract knows. */
const MAX_PASSES = 24;

/** Runs a script to its end. Returns the violations. */
export async function runScript(script: Script, figures: Figures = newFigures(), library: Library = LIBRARY): Promise<readonly string[]> {
  const world = new World(script, figures, library);
  await world.begin();
  for (const move of script.moves) await world.make(move);
  await world.calm();
  figures.scripts++;
  return world.violations;
}

class World {
  readonly #nature: Nature;
  readonly #figures: Figures;
  readonly #library: Library;
  readonly #processes: Processes = startProcesses([Disk, CloudConfig]);
  readonly #outside: Outside;
  readonly #ledger: Ledger;
  readonly #people: People;
  #incidents: readonly Incident[];
  #late: readonly Late[];
  #operators: readonly Process[] = [];
  #tick = 0;
  #creates = 0;
  #isDead = false;
  #isNested = false;
  /** Whether it may be unknown what became of a create. */
  #isDoubtful: boolean;

  constructor({ nature, incidents, late, moves }: Script, figures: Figures, library: Library) {
    this.#nature = nature;
    this.#incidents = incidents;
    this.#late = late;
    this.#isDoubtful = [...moves, ...incidents.map(({ what }) => what)].some((what) => what.startsWith("other"));
    this.#figures = figures;
    this.#library = library;
    this.#outside = outsideOf(nature, this.#processes.clock);
    this.#ledger = new Ledger(this.#outside, figures);
    this.#people = new People({ author: nature.author, outside: this.#outside, ledger: this.#ledger, processes: this.#processes });
  }

  get violations(): readonly string[] {
    return this.#ledger.violations;
  }

  async begin(): Promise<void> {
    const { user } = this.#processes;
    this.#processes.intercept = (send) => this.#around(send, { canRefuse: false });
    this.#restart();
    await user.create(CloudConfig, { metadata: { namespace: "default", name: "default" }, spec: {} });
    await user.create(Disk, CREATED);
  }

  async make(move: Move): Promise<void> {
    await this.#move(move);
    if (this.#isDead && !this.#isNested) this.#restart();
    await this.#check();
  }

  async #check(): Promise<void> {
    const stored = await this.#live();
    this.#ledger.check(listOf(stored));
    if (!this.#isDoubtful && !this.#isNested && syncedOf(stored) === "CreateInterrupted")
      this.#ledger.violations.push(`6: every create was answered: ${JSON.stringify(stored)}`);
  }

  /** Nothing goes wrong any more, and people do what the object asks for: it becomes Ready, and can be deleted. */
  async calm(): Promise<void> {
    [this.#incidents, this.#late] = [[], []];
    this.#restart();
    // After this time every create has happened, or never will.
    await this.#processes.clock.advance(2 * DEADLINE_MS);
    await this.make("resume");
    await this.#settle();
    await this.make("recreate");
    await this.#settle();
    await this.#checkReady();
    const name = (await this.#live())?.metadata.annotations?.[NAME];
    await this.make("delete");
    await this.#settle();
    const left = await this.#live();
    if (left !== undefined) this.#ledger.violations.push(`2: the object stays: ${JSON.stringify(left)}`);
    if (this.#outside.items.some((item) => item.name === name)) this.#ledger.violations.push(`2: ${name} is left`);
  }

  async #checkReady(): Promise<void> {
    const stored = await this.#live();
    const ready = stored?.status?.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status !== "True") this.#ledger.violations.push(`4: not Ready: ${JSON.stringify(stored)}`);
    const [only, ...more] = this.#ledger.of(stored, stored?.metadata.annotations?.[NAME]);
    if (more.length > 0 || only?.values.sizeGb !== stored?.spec.sizeGb || only?.name !== stored?.metadata.annotations?.[NAME])
      this.#ledger.violations.push(`4: ${JSON.stringify([this.#outside.items, stored])}`);
  }

  async #settle(): Promise<void> {
    for (let i = 0, quiet = 0; i < MAX_PASSES && quiet < 2; i++) {
      const { outcome, writes } = await this.#pass(() => this.#operators[0]?.pass(REF));
      quiet = writes === 0 && outcome.type !== "wait" && outcome.type !== "failed" ? quiet + 1 : 0;
      await this.#move("answer");
      await this.#processes.clock.advance(POLL_MS);
      await this.#check();
    }
  }

  #restart(): void {
    this.#isDead = false;
    const { state } = this.#outside;
    this.#operators = [0, 1].map(() => this.#processes.start(disks(this.#nature.author, { calls: this.#calls(), state }, this.#library)));
  }

  async #live(): Promise<Disk | undefined> {
    return await this.#people.live();
  }

  /** Time goes on during a pass: the client waits before it repeats a read that was lost, and a call may hang. */
  async #pass<T>(begin: () => Promise<T> | undefined): Promise<T> {
    this.#figures.passes++;
    const running = begin() as Promise<T>; // There are always two processes.
    let isOver = this.#isNested;
    void running.finally(() => (isOver = true));
    for (let ms = 100; !isOver; ms = Math.min(5_000, ms * 1.5)) await this.#processes.clock.advance(ms);
    return await running;
  }

  /** One request to either server, with the incidents before and after it. */
  async #around<R>(call: () => Promise<R>, { canRefuse }: { readonly canRefuse: boolean }): Promise<R> {
    if (this.#isDead) throw new Error("the process is dead");
    const incidents = this.#isNested ? [] : this.#incidents.filter(({ at }) => at === this.#tick);
    if (!this.#isNested) this.#tick++;
    const at = (when: Incident["when"]): readonly Incident["what"][] =>
      incidents.filter((each) => each.when === when).map(({ what }) => what);
    await this.#happen(at("before"), canRefuse ? refusal : undefined);
    const answer = await call();
    // A create may make several requests. Only an author who cannot say what happened must answer for each status.
    await this.#happen(at("after"), canRefuse && this.#nature.author !== "blind" ? statusAlone : undefined);
    return answer;
  }

  async #happen(now: readonly Incident["what"][], errorOf: ((status: "429" | "500") => Error) | undefined): Promise<void> {
    if (this.#isDead) throw new Error("the process is dead");
    for (const what of now) if (!isFault(what)) await this.#nested(what);
    if (!now.some(isFault)) return;
    const status = now.find((what) => what === "429" || what === "500");
    if (status !== "429" || errorOf !== refusal || now.includes("crash")) this.#isDoubtful = true;
    if (now.includes("crash")) {
      this.#figures.crashes++;
      this.#isDead = true;
    } else if (status !== undefined && errorOf !== undefined) throw errorOf(status);
    else this.#figures.lost++;
    throw new Error("connection reset");
  }

  /** A move in the middle of a pass. Nothing else happens during it. */
  async #nested(move: Move): Promise<void> {
    this.#isNested = true;
    await this.make(move);
    this.#isNested = false;
  }

  /** The calls of the provider, with the incidents around them. */
  #calls(): Calls {
    const { functions } = this.#outside;
    const around = <R>(call: () => Promise<R>): Promise<R> => this.#around(call, { canRefuse: true });
    return {
      observe: (args) => around(() => functions.observe(args)),
      recoverCreate: (args) => around(() => functions.recoverCreate(args)),
      update: (args) =>
        around(() => {
          this.#ledger.changes("update", args.name);
          return functions.update(args);
        }),
      delete: (args) =>
        around(() => {
          this.#ledger.changes("delete", args.name);
          return functions.delete(args);
        }),
      create: async ({ name, token, want }) => {
        const startedMs = this.#isDead ? undefined : this.#ledger.begins(token, await this.#live(), this.#processes.clock.now());
        return await around(() => this.#create({ name, token, want }, startedMs));
      },
    };
  }

  /** A create that has begun happens, whatever becomes of the caller. */
  async #create(args: Parameters<Calls["create"]>[0], startedMs: number | undefined): ReturnType<Calls["create"]> {
    const late = this.#late.find(({ create }) => create === this.#creates);
    this.#creates++;
    const happen = async (): ReturnType<Calls["create"]> => {
      const made = await this.#outside.functions.create(args);
      this.#ledger.check(listOf(await this.#live()));
      return made;
    };
    if (late === undefined || startedMs === undefined) return await happen();
    this.#figures.late++;
    this.#isDoubtful = true;
    const { clock } = this.#processes;
    const lastMs = startedMs + 2 * DEADLINE_MS - (this.#nature.visibleAfterMs ?? 0) - 1_000;
    const happening = sleep(clock, late.part * (lastMs - clock.now())).then(happen);
    if (!late.dies) return await happening;
    void happening.catch(() => undefined); // Nobody is there for the answer.
    this.#figures.crashes++;
    this.#isDead = true;
    throw new Error("the process died");
  }

  async #move(move: Move): Promise<void> {
    const [leader, deposed] = this.#operators;
    switch (move) {
      case "pass":
        return void (await this.#pass(() => leader?.pass(REF)));
      case "stale pass":
        return void (await this.#pass(() => leader?.stalePass(REF)));
      case "other pass":
        return void (await this.#pass(() => deposed?.pass(REF)));
      case "other stale pass":
        return void (await this.#pass(() => deposed?.stalePass(REF)));
      case "restart":
        return this.#isNested ? undefined : this.#restart();
      default:
        return await this.#people.move(move, this.#tick);
    }
  }
}

function listOf(object: Disk | undefined): readonly Disk[] {
  return object === undefined ? [] : [object];
}

/** An answer that says that nothing happened, or a failure. */
function refusal(status: "429" | "500"): Error {
  return status === "429" ? new Throttled("too many requests", 1_000) : statusAlone(status);
}

function statusAlone(status: "429" | "500"): Error {
  return Object.assign(new Error(`the provider answered ${status}`), { status: Number(status) });
}

function isFault(what: Incident["what"]): what is "crash" | "lost" | "429" | "500" {
  return what === "crash" || what === "lost" || what === "429" || what === "500";
}
