/** The metrics of a manager. prom-client is loaded when they are first needed; before that, nothing is counted. */
import type { Informer } from "@treadle/informer";
import type { ManagerMetrics } from "./prometheus.ts";

export class LazyMetrics {
  readonly #informers: () => readonly Informer[];
  #asked: Promise<ManagerMetrics> | undefined;
  #loaded: ManagerMetrics | undefined;

  /** @param informers read when the metrics are scraped */
  constructor(informers: () => readonly Informer[]) {
    this.#informers = informers;
  }

  /** Undefined until {@link load} has resolved. */
  get loaded(): ManagerMetrics | undefined {
    return this.#loaded;
  }

  /** The result of {@link load}, if it was called. */
  async asked(): Promise<ManagerMetrics | undefined> {
    return await this.#asked;
  }

  async load(): Promise<ManagerMetrics> {
    this.#asked ??= import("./prometheus.ts").then(({ createPrometheus }) => {
      this.#loaded = createPrometheus();
      this.#loaded.watchInformers(this.#informers);
      return this.#loaded;
    });
    return await this.#asked;
  }
}
