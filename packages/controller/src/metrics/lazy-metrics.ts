/** The metrics of a manager. prom-client is loaded when they are asked for; before, nothing is counted. */
import type { Informer } from "@treadle/informer";
import type { ManagerMetrics } from "./prometheus.ts";

export class LazyMetrics {
  readonly #informers: () => readonly Informer[];
  #asked: Promise<ManagerMetrics> | undefined;
  #loaded: ManagerMetrics | undefined;

  /** @param informers looked at when the metrics are read */
  constructor(informers: () => readonly Informer[]) {
    this.#informers = informers;
  }

  /** Undefined until {@link load} has resolved. */
  get loaded(): ManagerMetrics | undefined {
    return this.#loaded;
  }

  /** What {@link load} gave, if anybody has called it. */
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
