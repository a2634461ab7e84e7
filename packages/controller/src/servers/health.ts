/** The checks behind `/healthz` and `/readyz`: those of the manager, and custom ones. */
import type { Informer } from "@treadle/informer";
import type { AnyHandler } from "@treadle/reconcile";
import type { ManagerState } from "../manager.ts";
import type { KindPresence } from "../feeds/kind-presence.ts";
import { type Check, type Checks, deadness, informerProblem, missingKind, staleness } from "./probes.ts";

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
  get checks(): Readonly<Record<string, Checks>> {
    return { healthz: this.healthz, readyz: this.readyz };
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

  #missingKind({ kind }: Informer): string | readonly [] | undefined {
    const { presence, handlers } = this.#source;
    return presence()?.isAwaited(kind) === false ? missingKind(kind, handlers()) : undefined;
  }
}
