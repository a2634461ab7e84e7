/** Everything that is measured, in its order: one operator at a time, in turns, the first of a round last in the next. */
import { createBlobs, createWidgets, deleteWidgets, dumbLoop, sweep } from "./load.ts";
import {
  type Empty,
  measureChanges,
  measureCold,
  measureConverging,
  type Measured,
  measureEmpty,
  measureSlices,
  measureSync,
  type Setup,
} from "./measures.ts";
import type { Mode, Peer } from "./operator.ts";
import type { Findings } from "./findings.ts";
import { median } from "./statistics.ts";
import { textOf } from "./settings.ts";

const CACHES = ["cache", "metadata"] as const;

export interface Rounds {
  /** Of the loop of requests without an operator. */
  readonly loop: number;
  /** Of starts, and of Widgets to Ready. */
  readonly short: number;
  /** Of changes at a steady rate. */
  readonly changes: number;
  /** Of Blobs. */
  readonly sync: number;
}

export class Plan {
  readonly #peers: readonly Peer[];
  readonly #setup: Setup;
  readonly #findings: Findings;
  readonly #log: (line: string) => void;

  constructor(peers: readonly Peer[], setup: Setup, findings: Findings, log: (line: string) => void) {
    this.#peers = peers;
    this.#setup = setup;
    this.#findings = findings;
    this.#log = log;
  }

  /** What fails is named in the findings, and the rest goes on. `isLate` ends a kind of rounds after its first. */
  async run(rounds: Rounds, isLate: () => boolean): Promise<void> {
    const goesOn = (round: number, all: number): boolean => round < all && !(round > 0 && isLate());
    for (let round = 0; goesOn(round, rounds.loop); round++) await this.#loop();
    for (let round = 0; goesOn(round, rounds.short); round++) await this.#short(round);
    for (let round = 0; goesOn(round, rounds.changes); round++) await this.#changes(round);
    if (rounds.sync === 0) return;
    const empty = new Map<string, Empty>();
    for (const mode of CACHES)
      for (const peer of this.#inTurn(mode, 0))
        await this.#measure(peer, `no Blobs, ${mode}`, 0, async () => {
          empty.set(`${peer.name} ${mode}`, await measureEmpty(peer, mode, this.#setup));
          return {};
        });
    this.#log(`making ${this.#setup.blobs} Blobs`);
    await createBlobs(this.#setup.client, this.#setup.blobs);
    for (let round = 0; goesOn(round, rounds.sync); round++) await this.#sync(round, empty);
    if (this.#setup.profiles !== undefined) return;
    for (const peer of this.#peers.filter(({ hasEventLoop }) => hasEventLoop))
      await this.#measure(peer, "slices", 0, async () => measureSlices(peer, this.#setup));
  }

  async #loop(): Promise<void> {
    const { client, widgets, concurrency } = this.#setup;
    try {
      await createWidgets(client, widgets);
      this.#findings.dumbLoopMs.push(await dumbLoop(client, widgets, concurrency));
      await deleteWidgets(client);
    } catch (error) {
      this.#findings.failures.push(`the loop of requests: ${textOf(error)}`);
      await sweep(client);
    }
  }

  async #short(round: number): Promise<void> {
    for (const peer of this.#inTurn("reconcile", round)) {
      await this.#measure(peer, "start", round, async () => measureCold(peer, this.#setup));
      await this.#measure(peer, "Widgets", round, async () => {
        const { measured, requests } = await measureConverging(peer, this.#setup);
        this.#findings.requests[peer.name] ??= requests;
        return measured;
      });
    }
  }

  /** The rate is found in the first round, and is the same for all. */
  async #changes(round: number): Promise<void> {
    const peers = this.#inTurn("reconcile", round);
    const findings = this.#findings;
    const rates = peers.map(({ name }) => findings.measured[name]?.["carriedPerSecond"] ?? []);
    const perSecond = findings.perSecond ?? halfOfSlowest(rates);
    if (perSecond === undefined) {
      findings.failures.push("changes at a steady rate: no operator has carried changes as fast as possible");
      return;
    }
    findings.perSecond = perSecond;
    if (round === 0) this.#log(`changes: ${perSecond.toFixed(0)} a second, half of what the slower operator carries`);
    for (const peer of peers) await this.#measure(peer, "changes", round, async () => measureChanges(peer, this.#setup, perSecond));
  }

  async #sync(round: number, empty: ReadonlyMap<string, Empty>): Promise<void> {
    for (const mode of CACHES)
      for (const peer of this.#inTurn(mode, round)) {
        const nothing = empty.get(`${peer.name} ${mode}`);
        if (nothing !== undefined)
          await this.#measure(peer, `Blobs, ${mode}`, round, async () => measureSync(peer, mode, this.#setup, nothing));
      }
  }

  #inTurn(mode: Mode, round: number): readonly Peer[] {
    return inTurn(
      this.#peers.filter(({ modes }) => modes.includes(mode)),
      round,
    );
  }

  async #measure(peer: Peer, what: string, round: number, measure: () => Promise<Measured>): Promise<void> {
    const { measured, failures } = this.#findings;
    const title = `${peer.name}, ${what}, round ${round + 1}`;
    try {
      const found = await measure();
      const numbers = Object.entries(found);
      this.#log(`${title}: ${numbers.map(([name, value]) => `${name} ${value.toFixed(1)}`).join(", ")}`);
      const all = (measured[peer.name] ??= {});
      for (const [name, value] of numbers) (all[name] ??= []).push(value);
    } catch (error) {
      this.#log(`${title} failed: ${error instanceof Error ? error.message : String(error)}`);
      failures.push(`${title}: ${textOf(error)}`);
      await sweep(this.#setup.client);
    }
  }
}

/** The order of a round: that of the list, and the reverse in every second round. */
export function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? all : all.toReversed();
}

/** Half of the least median of rates, or `undefined` when nothing was measured. One list of rates for each operator. */
export function halfOfSlowest(rates: readonly (readonly number[])[]): number | undefined {
  const carried = rates.filter((each) => each.length > 0).map((each) => median(each));
  return carried.length === 0 ? undefined : Math.min(...carried) / 2;
}
