/** Everything that is measured, in its order: one operator at a time, in turns, the first of a round last in the next. */
import { createBlobs, createWidgets, deleteWidgets, dumbLoop, sweep } from "./load.ts";
import {
  type Empty,
  measureCold,
  type Measured,
  measureEmpty,
  measureReconciling,
  measureSlices,
  measureSync,
  type Setup,
} from "./measures.ts";
import type { Mode, Peer } from "./operator.ts";
import type { Findings } from "./report.ts";

const CACHES = ["cache", "metadata"] as const;

export interface Rounds {
  /** Of starts, and of Widgets. */
  readonly reconcile: number;
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
    for (let round = 0; round < rounds.reconcile && !(round > 0 && isLate()); round++) await this.#reconcile(round);
    const { client, blobs } = this.#setup;
    const empty = new Map<string, Empty>();
    for (const mode of CACHES)
      for (const peer of this.#inTurn(mode, 0))
        await this.#measure(peer, `no Blobs, ${mode}`, 0, async () => {
          empty.set(`${peer.name} ${mode}`, await measureEmpty(peer, mode, this.#setup));
          return {};
        });
    this.#log(`making ${blobs} Blobs`);
    await createBlobs(client, blobs);
    for (let round = 0; round < rounds.sync && !(round > 0 && isLate()); round++) await this.#sync(round, empty);
    for (const peer of this.#peers.filter(({ hasEventLoop }) => hasEventLoop))
      await this.#measure(peer, "slices", 0, async () => measureSlices(peer, this.#setup));
  }

  async #reconcile(round: number): Promise<void> {
    const { client, widgets, concurrency } = this.#setup;
    await createWidgets(client, widgets);
    this.#findings.dumbLoopMs.push(await dumbLoop(client, widgets, concurrency));
    await deleteWidgets(client);
    for (const peer of this.#inTurn("reconcile", round)) {
      await this.#measure(peer, "start", round, async () => measureCold(peer, this.#setup));
      await this.#measure(peer, "Widgets", round, async () => {
        const { measured, requests } = await measureReconciling(peer, this.#setup);
        this.#findings.requests[peer.name] ??= requests;
        return measured;
      });
    }
  }

  async #sync(round: number, empty: ReadonlyMap<string, Empty>): Promise<void> {
    for (const mode of CACHES)
      for (const peer of this.#inTurn(mode, round)) {
        const nothing = empty.get(`${peer.name} ${mode}`);
        if (nothing !== undefined)
          await this.#measure(peer, `Blobs, ${mode}`, round, async () => measureSync(peer, mode, this.#setup, nothing));
      }
  }

  #inTurn(mode: Mode, round: number): Peer[] {
    const peers = this.#peers.filter(({ modes }) => modes.includes(mode));
    return round % 2 === 0 ? peers : peers.toReversed();
  }

  async #measure(peer: Peer, what: string, round: number, measure: () => Promise<Measured>): Promise<void> {
    const { measured, failures } = this.#findings;
    const title = `${peer.name}, ${what}, round ${round + 1}`;
    try {
      const found = await measure();
      this.#log(
        `${title}: ${Object.entries(found)
          .map(([name, value]) => `${name} ${value.toFixed(1)}`)
          .join(", ")}`,
      );
      const all = (measured[peer.name] ??= {});
      for (const [name, value] of Object.entries(found)) (all[name] ??= []).push(value);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#log(`${title} failed: ${text}`);
      failures.push(`${title}: ${text.split("\n")[0]}`);
      await sweep(this.#setup.client);
    }
  }
}
