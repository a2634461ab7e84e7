/** One run of a scenario: a server, an operator that may be killed and restarted, a user, and what came of it. */
import { fakeClock, type FakeClock, type Kind, keyOf, type KubernetesObject, seededRandom } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { Backend } from "../internal/backend.ts";
import { kindsOf } from "../internal/handler-kinds.ts";
import { KnownKinds } from "../internal/known-kinds.ts";
import { DEFAULT_NAMESPACE, manifestsOf } from "../internal/manifests.ts";
import { checkStatus } from "../status-invariants.ts";
import { COUNTED_BY_WORKLOADS, MADE_BY_WORKLOADS, NOT_COMPARED } from "./compared.ts";
import { EffectLog } from "./effects.ts";
import { type Entry, madeIn, textOf } from "./journal.ts";
import { Life, RestlessError } from "./life.ts";
import { Patience } from "./patience.ts";
import { checkHandlers, checkWorld } from "./misuse.ts";
import type { Point } from "./point.ts";
import type { Oracle, Problem } from "./problem.ts";
import type { ExploredOperator, ExploreOptions, Scenario } from "./scenario.ts";
import { type Collection, type Json, type Snapshot, takeSnapshot } from "./snapshot.ts";
import { StableUids } from "./uids.ts";
import { clusterOf } from "./user.ts";
import { type SeenEvent, Wire, type Write } from "./wire.ts";

/** What a run was to do. */
export interface Plan<World> {
  readonly operator: ExploredOperator<World>;
  readonly scenario: Scenario<World>;
  readonly options: ExploreOptions;
}

export interface Outcome {
  readonly point: Point;
  readonly journal: readonly Entry[];
  readonly writes: readonly Write[];
  readonly events: readonly SeenEvent[];
  readonly passes: number;
  /** How often the scenario waited for the operator, and went on then. */
  readonly waits: number;
  /** Whether every fault of the point did strike. */
  readonly hasStruck: boolean;
  /** Absent where the run broke before. */
  readonly end: End | undefined;
  /** What is wrong with the run by itself, without a comparison. */
  readonly problems: readonly Problem[];
}

export interface End {
  readonly objects: Snapshot;
  readonly outside: Json;
  readonly effects: readonly string[];
  /** What the operator created before the deletion, each time that it did; as the objects are called. */
  readonly made: readonly string[];
  /** After the primaries were deleted; absent without deletion. */
  readonly deleted: Pick<End, "objects" | "outside" | "effects"> | undefined;
}

export async function runOnce<World>(plan: Plan<World>, point: Point): Promise<Outcome> {
  const run = await Run.begin(plan, point);
  try {
    const end = await run.story();
    return run.outcome(end);
  } finally {
    await run.close();
  }
}

class Run<World> {
  readonly #plan: Plan<World>;
  readonly #point: Point;
  readonly #clock: FakeClock;
  readonly #backend: Backend;
  readonly #wire: Wire;
  readonly #effects: EffectLog;
  readonly #world: World;
  readonly #life: Life;
  readonly #uids: StableUids;
  readonly #patience: Patience;
  readonly #handlers: readonly AnyHandler[];
  readonly #problems: Problem[] = [];

  private constructor(plan: Plan<World>, point: Point, uids: StableUids) {
    const { scenario, options } = plan;
    const { seed = 1, namespaces, controller = {}, horizonMs = 120_000 } = options;
    const clock = fakeClock();
    this.#plan = plan;
    this.#point = point;
    this.#uids = uids;
    this.#effects = new EffectLog((text) => this.#wire.journal.push({ type: "effect", text }));
    // A scenario without a world has `undefined` for one.
    this.#world = scenario.world?.({ effects: this.#effects, clock, random: seededRandom(seed) }) as World;
    checkWorld(this.#world);
    this.#handlers = handlersOf(plan.operator, this.#world);
    checkHandlers(this.#handlers);
    const kinds = [...this.#handlers.flatMap(kindsOf), ...(scenario.kinds ?? [])];
    const manifests = manifestsOf(scenario.objects ?? [], new KnownKinds(kinds), {
      where: "explore objects",
      namespace: DEFAULT_NAMESPACE,
    });
    this.#backend = new Backend({
      clock,
      kinds,
      manifests,
      random: seededRandom(seed),
      server: { garbageCollection: true, workloads: scenario.workloads ?? false },
    });
    // With workloads it waits for them.
    this.#clock = this.#backend.clock as FakeClock;
    this.#wire = new Wire(() => this.#backend.transport(), {
      point,
      random: seededRandom(seed),
      clock,
      version: () => this.#backend.server.resourceVersion,
    });
    // The first life has the handlers that told the kinds; each that follows has new ones.
    let first: readonly AnyHandler[] | undefined = this.#handlers;
    const handlers = (): readonly AnyHandler[] => {
      const made = first ?? handlersOf(plan.operator, this.#world);
      first = undefined;
      return made;
    };
    this.#life = new Life({
      backend: this.#backend,
      wire: this.#wire,
      clock: this.#clock,
      seed,
      handlers,
      namespaces,
      controller,
      horizonMs,
    });
    this.#patience = new Patience(point, this.#wire, this.#life);
  }

  static async begin<World>(plan: Plan<World>, point: Point): Promise<Run<World>> {
    const uids = new StableUids();
    const run = new Run(plan, point, uids);
    const manifests = manifestsOf(plan.scenario.objects ?? [], run.#backend.kinds, {
      where: "explore objects",
      namespace: DEFAULT_NAMESPACE,
    });
    await run.#backend.put(
      manifests.map((manifest) => ({ ...manifest, uid: manifest.uid ?? uids.next(manifest.kind.kind, keyOf(manifest.object.metadata)) })),
    );
    return run;
  }

  /** Everything that happens; undefined where it broke. */
  async story(): Promise<End | undefined> {
    const { scenario, options } = this.#plan;
    const life = this.#life;
    const cluster = clusterOf(
      {
        backend: this.#backend,
        life,
        wire: this.#wire,
        uids: this.#uids,
        clock: this.#clock,
        effects: this.#effects,
        patience: this.#patience,
      },
      this.#world,
    );
    if (!(await this.#try("rest", () => life.settled(false)))) return undefined;
    this.#patience.begins();
    if (!(await this.#try("scenario", async () => await scenario.run(cluster)))) return undefined;
    if (!(await this.#try("rest", () => life.settled(true)))) return undefined;
    await this.#checkStatuses();
    await this.#try("check", async () => await scenario.check?.(cluster));
    const now = await this.#state();
    if (!(await this.#checkFixedPoint())) return { ...now, deleted: undefined };
    const deleted = options.deletion === false ? undefined : await this.#deleteAll();
    return { ...now, deleted };
  }

  outcome(end: End | undefined): Outcome {
    const { journal, writes, events, struck } = this.#wire;
    return {
      point: this.#point,
      journal,
      writes,
      events,
      passes: this.#life.passes,
      waits: this.#patience.waits,
      hasStruck: struck.size === this.#point.length,
      end,
      problems: this.#problems,
    };
  }

  async close(): Promise<void> {
    await this.#life.end();
    await this.#backend.close();
  }

  async #state(): Promise<Omit<End, "deleted">> {
    const { scenario, options } = this.#plan;
    const { ignore = [] } = options;
    const isSimulated = (scenario.workloads ?? false) !== false;
    const ignored = isSimulated ? [...ignore, ...COUNTED_BY_WORKLOADS] : ignore;
    const objects = await takeSnapshot(this.#backend.transport(), this.#collections(), ignored);
    // Compared as JSON: what is not in it makes no difference.
    const outside = JSON.parse(JSON.stringify(scenario.outside?.(this.#world) ?? null)) as Json;
    return { objects, outside, effects: [...this.#effects.all], made: madeIn(this.#wire.journal) };
  }

  /** All that the scenario or the operator has to do with. */
  #collections(): readonly Collection[] {
    const { workloads = false } = this.#plan.scenario;
    const used = this.#backend.usedKinds
      .map(({ group, version, plural }) => ({ group, version, resource: plural }))
      .filter(({ resource }) => workloads === false || !MADE_BY_WORKLOADS.has(resource));
    const written = this.#wire.writes.map(({ target: { group, version, resource } }) => ({ group, version, resource }));
    const all = [...used, ...written].filter(({ resource }) => !NOT_COMPARED.has(resource));
    return [...new Map(all.map((one) => [`${one.group}/${one.resource}`, one])).values()];
  }

  async #checkStatuses(): Promise<void> {
    await this.#backend.refresh();
    for (const handler of this.#handlers)
      for (const object of this.#primaries(handler.kind)) {
        const problems = checkStatus(object, { handler, nowMs: this.#clock.now() });
        const lines = problems.map(({ code, path, message }) => `${object.kind} ${keyOf(object.metadata)}: ${code} ${path}: ${message}`);
        if (lines.length > 0) this.#problems.push({ oracle: "status", lines });
      }
  }

  async #checkFixedPoint(): Promise<boolean> {
    const [writes, effects] = [this.#wire.writes.length, this.#effects.all.length];
    this.#wire.journal.push({ type: "user", text: "nothing; a resync of all objects" });
    this.#life.resync();
    if (!(await this.#try("rest", () => this.#life.settled(true, RESYNC_HORIZON_MS)))) return false;
    const lines = [
      ...this.#wire.writes.slice(writes).map(({ target }) => `a resync wrote: ${textOf(target)} ${JSON.stringify(target.body ?? null)}`),
      ...this.#effects.all.slice(effects).map((text) => `a resync did: ${text}`),
    ];
    if (lines.length > 0) this.#problems.push({ oracle: "fixed point", lines });
    return true;
  }

  async #deleteAll(): Promise<End["deleted"]> {
    const kinds = this.#handlers.map(({ kind }) => kind);
    await this.#backend.refresh();
    for (const kind of kinds)
      for (const { metadata } of this.#primaries(kind)) {
        this.#wire.journal.push({ type: "user", text: `delete ${kind.kind} ${keyOf(metadata)}, to see what stays` });
        await this.#backend.user.delete(kind, metadata);
      }
    if (!(await this.#try("rest", () => this.#life.settled(true)))) return undefined;
    await this.#backend.refresh();
    const left = kinds.flatMap((kind) => this.#primaries(kind));
    const lines = left.map(
      ({ kind, metadata }) => `${kind} ${keyOf(metadata)} does not go: finalizers ${(metadata.finalizers ?? []).join(", ")}`,
    );
    if (lines.length > 0) this.#problems.push({ oracle: "deletion", lines });
    return await this.#state();
  }

  #primaries(kind: Kind): readonly KubernetesObject[] {
    return this.#backend.list(kind) as readonly KubernetesObject[]; // whatever kind it is
  }

  async #try(oracle: Oracle, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#problems.push({
        oracle: error instanceof RestlessError ? "rest" : oracle,
        lines:
          error instanceof Error
            ? [error.message, ...(oracle === "scenario" || oracle === "check" ? whereIn(error) : [])]
            : [String(error)],
      });
      return false;
    }
  }
}

/** The line of the author's own code that an error comes from. */
function whereIn({ stack = "" }: Error): readonly string[] {
  const frames = stack.split("\n").filter((each) => /^\s+at .*[/\\]/.test(each));
  const own = frames.find((each) => !/node_modules|node:|[/\\]packages[/\\][a-z]+[/\\](src|dist)[/\\]/.test(each));
  return own === undefined ? [] : [own.trim()];
}

/** Waits of the first tries are over by then. */
const RESYNC_HORIZON_MS = 1_000;

function handlersOf<World>(operator: ExploredOperator<World>, world: World): readonly AnyHandler[] {
  const made = typeof operator === "function" ? operator(world) : operator;
  return Array.isArray(made) ? (made as readonly AnyHandler[]) : [made as AnyHandler];
}
