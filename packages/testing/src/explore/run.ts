/** One run of a scenario: a server, an operator that may be killed and started again, a user, and the checks of the end. */
import { fakeClock, type FakeClock, type Kind, keyOf, type KubernetesObject, seededRandom } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { Backend } from "../internal/backend.ts";
import { kindsOf, kindsOfRunnable } from "../internal/handler-kinds.ts";
import { KnownKinds } from "../internal/known-kinds.ts";
import { DEFAULT_NAMESPACE, manifestsOf } from "../internal/manifests.ts";
import { statusProblems } from "../status-invariants.ts";
import { COUNTED_BY_WORKLOADS, MADE_BY_WORKLOADS, NOT_COMPARED } from "./not-compared.ts";
import { currentProcess, EffectLog } from "./external-effects.ts";
import { madeIn, textOf } from "./journal.ts";
import { RestartingOperator, UnsettledError } from "./restarting-operator.ts";
import { AwayFault } from "./away-fault.ts";
import { checkHandlers, checkExternal } from "./option-checks.ts";
import type { Point } from "./fault-point.ts";
import type { ExplorationProblemType, ExplorationProblem } from "./exploration-problem.ts";
import type { End, Plan, RunOutcome } from "./run-outcome.ts";
import type { ExploredOperator, ExploredParts } from "./scenario.ts";
import { type Collection, type Json, takeSnapshot } from "./snapshot.ts";
import { StableUids } from "./stable-uids.ts";
import { exploredCluster } from "./explored-cluster.ts";
import { FaultInjector } from "./fault-injector.ts";

/** Runs the scenario once with the faults of a point. */
export async function runOnce<External>(plan: Plan<External>, point: Point): Promise<RunOutcome> {
  const run = await Run.begin(plan, point);
  try {
    const end = await run.play();
    return run.outcome(end);
  } finally {
    await run.close();
  }
}

class Run<External> {
  readonly #plan: Plan<External>;
  readonly #point: Point;
  readonly #clock: FakeClock;
  readonly #backend: Backend;
  readonly #injector: FaultInjector;
  readonly #effects: EffectLog;
  readonly #external: External;
  readonly #operator: RestartingOperator;
  readonly #uids: StableUids;
  readonly #away: AwayFault;
  readonly #handlers: readonly AnyHandler[];
  readonly #problems: ExplorationProblem[] = [];

  private constructor(plan: Plan<External>, point: Point, uids: StableUids) {
    const { scenario, options } = plan;
    const { seed = 1, namespaces, controller = {}, horizonMs = 120_000 } = options;
    const clock = fakeClock();
    this.#plan = plan;
    this.#point = point;
    this.#uids = uids;
    this.#effects = new EffectLog((text) => this.#injector.journal.push({ type: "effect", text }));
    // Without `external` the type parameter is undefined.
    this.#external = scenario.external?.({
      effects: this.#effects,
      clock,
      random: seededRandom(seed),
      // The injector is made below, before the first request.
      through: (transport) => ({
        request: async (request) => await this.#injector.elsewhere(transport, currentProcess).request(request),
        close: () => transport.close(),
      }),
    }) as External;
    checkExternal(this.#external);
    const made = partsOf(plan.operator, this.#external);
    this.#handlers = made.handlers;
    checkHandlers(this.#handlers);
    const kinds = [...this.#handlers.flatMap(kindsOf), ...(made.runnables ?? []).flatMap(kindsOfRunnable), ...(scenario.kinds ?? [])];
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
    // With workloads, this clock waits for them.
    this.#clock = this.#backend.clock as FakeClock;
    this.#injector = new FaultInjector(() => this.#backend.transport(), {
      point,
      random: seededRandom(seed),
      clock,
      version: () => this.#backend.server.resourceVersion,
    });
    // The first process has the parts whose kinds were used above; each later one gets new parts.
    let first: ExploredParts | undefined = made;
    const parts = (): ExploredParts => {
      const next = first ?? partsOf(plan.operator, this.#external);
      first = undefined;
      return next;
    };
    this.#operator = new RestartingOperator({
      backend: this.#backend,
      injector: this.#injector,
      clock: this.#clock,
      seed,
      parts,
      namespaces,
      controller,
      horizonMs,
    });
    this.#away = new AwayFault(point, this.#injector, this.#operator);
  }

  static async begin<External>(plan: Plan<External>, point: Point): Promise<Run<External>> {
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

  /** Plays the whole run. Returns its end; undefined if it stopped before. */
  async play(): Promise<End | undefined> {
    const { scenario, options } = this.#plan;
    const operator = this.#operator;
    const cluster = exploredCluster(
      {
        backend: this.#backend,
        operator,
        injector: this.#injector,
        uids: this.#uids,
        clock: this.#clock,
        effects: this.#effects,
        away: this.#away,
      },
      this.#external,
    );
    if (!(await this.#try("not idle", () => operator.settled(false)))) return undefined;
    this.#away.begins();
    if (!(await this.#try("scenario", async () => await scenario.run(cluster)))) return undefined;
    if (!(await this.#try("not idle", () => operator.settled(true)))) return undefined;
    await this.#checkStatuses();
    await this.#try("check", async () => await scenario.check?.(cluster));
    const now = await this.#state();
    if (!(await this.#checkFixedPoint())) return { ...now, deleted: undefined };
    const deleted = options.deletion === false ? undefined : await this.#deleteAll();
    return { ...now, deleted };
  }

  outcome(end: End | undefined): RunOutcome {
    const { journal, writes, events, struck } = this.#injector;
    return {
      point: this.#point,
      journal,
      writes,
      events,
      passes: this.#operator.passes,
      waits: this.#away.waits,
      hasHappened: struck.size === this.#point.length,
      end,
      problems: this.#problems,
    };
  }

  async close(): Promise<void> {
    await this.#operator.end();
    await this.#backend.close();
  }

  async #state(): Promise<Omit<End, "deleted">> {
    const { scenario, options } = this.#plan;
    const { ignore = [] } = options;
    const isSimulated = (scenario.workloads ?? false) !== false;
    const ignored = isSimulated ? [...ignore, ...COUNTED_BY_WORKLOADS] : ignore;
    const objects = await takeSnapshot(this.#backend.transport(), this.#collections(), ignored);
    // Values that JSON does not have are not compared.
    const outside = JSON.parse(JSON.stringify(scenario.externalState?.(this.#external) ?? null)) as Json;
    return { objects, outside, effects: [...this.#effects.all], made: madeIn(this.#injector.journal) };
  }

  /** The collections that the scenario uses or the operator writes. */
  #collections(): readonly Collection[] {
    const { workloads = false } = this.#plan.scenario;
    const used = this.#backend.usedKinds
      .map(({ group, version, plural }) => ({ group, version, resource: plural }))
      .filter(({ resource }) => workloads === false || !MADE_BY_WORKLOADS.has(resource));
    const written = this.#injector.writes.map(({ target: { group, version, resource } }) => ({ group, version, resource }));
    const all = [...used, ...written].filter(({ resource }) => !NOT_COMPARED.has(resource));
    return [...new Map(all.map((one) => [`${one.group}/${one.resource}`, one])).values()];
  }

  async #checkStatuses(): Promise<void> {
    await this.#backend.refresh();
    for (const handler of this.#handlers)
      for (const object of this.#primaries(handler.kind)) {
        const problems = statusProblems(object, { handler, nowMs: this.#clock.now() });
        const lines = problems.map(({ code, path, message }) => `${object.kind} ${keyOf(object.metadata)}: ${code} ${path}: ${message}`);
        if (lines.length > 0) this.#problems.push({ type: "status", lines });
      }
  }

  async #checkFixedPoint(): Promise<boolean> {
    const [writes, effects] = [this.#injector.writes.length, this.#effects.all.length];
    this.#injector.journal.push({ type: "user", text: "none; a resync of all objects" });
    this.#operator.resync();
    if (!(await this.#try("not idle", () => this.#operator.settled(true, RESYNC_HORIZON_MS)))) return false;
    const lines = [
      ...this.#injector.writes
        .slice(writes)
        .map(({ target }) => `a resync wrote: ${textOf(target)} ${JSON.stringify(target.body ?? null)}`),
      ...this.#effects.all.slice(effects).map((text) => `a resync did: ${text}`),
    ];
    if (lines.length > 0) this.#problems.push({ type: "fixed point", lines });
    return true;
  }

  async #deleteAll(): Promise<End["deleted"]> {
    const kinds = this.#handlers.map(({ kind }) => kind);
    await this.#backend.refresh();
    for (const kind of kinds)
      for (const { metadata } of this.#primaries(kind)) {
        this.#injector.journal.push({ type: "user", text: `delete ${kind.kind} ${keyOf(metadata)}, to check what remains` });
        await this.#backend.user.delete(kind, metadata);
      }
    if (!(await this.#try("not idle", () => this.#operator.settled(true)))) return undefined;
    await this.#backend.refresh();
    const left = kinds.flatMap((kind) => this.#primaries(kind));
    const lines = left.map(
      ({ kind, metadata }) => `${kind} ${keyOf(metadata)} is not deleted: finalizers ${(metadata.finalizers ?? []).join(", ")}`,
    );
    if (lines.length > 0) this.#problems.push({ type: "deletion", lines });
    return await this.#state();
  }

  #primaries(kind: Kind): readonly KubernetesObject[] {
    return this.#backend.list(kind) as readonly KubernetesObject[]; // Every kind has objects of Kubernetes.
  }

  async #try(type: ExplorationProblemType, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#problems.push({
        type: error instanceof UnsettledError ? "not idle" : type,
        lines:
          error instanceof Error ? [error.message, ...(type === "scenario" || type === "check" ? whereIn(error) : [])] : [String(error)],
      });
      return false;
    }
  }
}

/** Returns the line of the scenario that an error comes from. */
function whereIn({ stack = "" }: Error): readonly string[] {
  const frames = stack.split("\n").filter((each) => /^\s+at .*[/\\]/.test(each));
  const own = frames.find((each) => !/node_modules|node:|[/\\]packages[/\\][a-z]+[/\\](src|dist)[/\\]/.test(each));
  return own === undefined ? [] : [own.trim()];
}

/** Longer than the first delays of a wait. */
const RESYNC_HORIZON_MS = 1_000;

function partsOf<External>(operator: ExploredOperator<External>, external: External): ExploredParts {
  const made = typeof operator === "function" ? operator(external) : operator;
  if (Array.isArray(made)) return { handlers: made as readonly AnyHandler[] };
  return "handlers" in made ? made : { handlers: [made as AnyHandler] };
}
