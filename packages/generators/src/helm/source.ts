/** The chart of a renderer: constant in production, and read again after a change in development. */
import type { LiveInput } from "@treadle/dependents/unstable/render";
import { TerminalError } from "@treadle/reconcile";
import { WatchedFolders } from "../files/watch-folder.ts";
import { type Chart, openChart } from "./chart.ts";

/** The chart of a renderer. */
export interface ChartSource {
  /** Changes with the files; `undefined`: they do not change. */
  readonly live: LiveInput | undefined;
  /** Returns the chart as it is now. @throws TerminalError with the code ChartInvalid for a chart that was broken since the start */
  current(): Chart;
}

/**
 * Opens the chart at a path.
 * @throws Error with code ERR_INVALID_CHART
 */
export function chartSource(root: string, isWatched: boolean): ChartSource {
  const chart = openChart(root);
  return isWatched ? new WatchedChart(chart) : { live: undefined, current: () => chart };
}

class WatchedChart implements ChartSource {
  readonly live: WatchedFolders;
  #chart: Chart;
  #openedAt = 0;

  constructor(chart: Chart) {
    this.#chart = chart;
    this.live = new WatchedFolders(() => [chart.path]);
  }

  current(): Chart {
    const { version } = this.live;
    if (version === this.#openedAt) return this.#chart;
    try {
      this.#chart = openChart(this.#chart.path);
    } catch (error) {
      throw new TerminalError(error instanceof Error ? error.message : String(error), { code: "ChartInvalid", cause: error });
    }
    this.#openedAt = version;
    return this.#chart;
  }
}
