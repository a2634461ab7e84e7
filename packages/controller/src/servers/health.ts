/** The checks behind `/healthz` and `/readyz`: those of the manager, and custom ones. */
import type { Informer } from "@treadle/informer";
import type { AnyHandler } from "@treadle/reconcile";
import type { ManagerState } from "../manager.ts";
import type { KindPresence } from "../feeds/kind-presence.ts";
import { ManagerError } from "../manager-error.ts";
import { type Check, type Probe, deadness, informerProblem, missingKind, staleness } from "./probes.ts";

/** What the checks read when a probe asks. */
export interface HealthSource {
  readonly state: () => ManagerState;
  readonly informers: () => readonly Informer[];
  /** Whether the informer may be out of date, because it was started while the manager runs. */
  readonly mayLag: (informer: Informer) => boolean;
  readonly handlers: () => readonly AnyHandler[];
  readonly presence: () => KindPresence | undefined;
}

export class Health {
  readonly healthz: Map<string, Check> = new Map();
  readonly readyz: Map<string, Check> = new Map();
  readonly #source: HealthSource;
  #servesCaches = false;

  constructor(source: HealthSource) {
    this.#source = source;
    this.healthz.set("ping", () => undefined).set("informers", () => informerProblem(source.informers(), deadness));
    this.readyz
      .set("running", () => (source.state() === "running" ? undefined : `the manager is ${source.state()}`))
      .set("informers", () =>
        informerProblem(source.informers(), (informer) => this.#lag(informer) ?? this.#missingKind(informer) ?? staleness(informer)),
      );
  }

  /** The checks of each probe. */
  get probes(): Readonly<Record<string, Probe>> {
    return { healthz: { checks: this.healthz, leftOut: NONE }, readyz: { checks: this.readyz, leftOut: this.#leftOut } };
  }

  /**
   * Notes that what the caches may wait for is served. A Service leads only to ready pods, so the plain `/readyz` must not wait for
   * the caches from now on.
   */
  servesCaches(): void {
    this.#servesCaches = true;
  }

  /** Adds the check of a runnable. Returns the way to remove it. @throws ManagerError ERR_ADD_REFUSED */
  addReadyzCheck(name: string, check: Check): () => void {
    if (this.readyz.has(name))
      throw new ManagerError("ERR_ADD_REFUSED", `cannot add check "${name}" to /readyz: another check has that name: choose another one`);
    this.readyz.set(name, check);
    return () => {
      if (this.readyz.get(name) === check) this.readyz.delete(name);
    };
  }

  /** Adds the check of an election: not ready while `problem` returns a text. */
  watchElection(problem: () => string | undefined): void {
    this.readyz.set("leader-election", problem);
  }

  /** A kind that one object names must not make the process unready: the step that watches it reports that it is listed or refused. */
  #lag(informer: Informer): readonly [] | undefined {
    const { mayLag, presence } = this.#source;
    const isReported = !informer.hasSynced || presence()?.refusalOf(informer.kind) !== undefined;
    return isReported && mayLag(informer) ? [] : undefined;
  }

  get #leftOut(): ReadonlySet<string> {
    if (!this.#servesCaches) return NONE;
    const state = this.#source.state();
    return state === "starting" || state === "running" ? UNTIL_SYNCED : INFORMERS;
  }

  #missingKind({ kind }: Informer): string | readonly [] | undefined {
    const { presence, handlers } = this.#source;
    return presence()?.isAwaited(kind) === false ? missingKind(kind, handlers()) : undefined;
  }
}

const NONE: ReadonlySet<string> = new Set();
const INFORMERS: ReadonlySet<string> = new Set(["informers"]);
const UNTIL_SYNCED: ReadonlySet<string> = new Set(["running", "informers"]);
