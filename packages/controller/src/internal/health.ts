/** What a manager says of itself to the kubelet: the checks behind `/healthz` and `/readyz`, the author's own among them. */
import type { Informer } from "@treadle/informer";
import type { AnyHandler } from "@treadle/reconcile";
import type { ManagerState } from "../manager.ts";
import type { KindPresence } from "./kind-presence.ts";
import { type Check, deadness, informerProblem, missingKind, staleness } from "./probes.ts";

/** Looked at when a probe asks. */
export interface HealthSource {
  readonly state: () => ManagerState;
  readonly informers: () => readonly Informer[];
  readonly handlers: () => readonly AnyHandler[];
  readonly presence: () => KindPresence | undefined;
  /** What is wrong with the election. Undefined: there is none. */
  readonly electionProblem: (() => string | undefined) | undefined;
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
      .set("informers", () => informerProblem(source.informers(), (informer) => this.#missingKind(informer) ?? staleness(informer)));
    if (source.electionProblem !== undefined) this.readyz.set("leader-election", source.electionProblem);
  }

  #missingKind({ kind }: Informer): string | readonly [] | undefined {
    const { presence, handlers } = this.#source;
    return presence()?.isServed(kind) === false ? missingKind(kind, handlers()) : undefined;
  }
}
