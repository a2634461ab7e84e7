/** The Grafana dashboard of an operator: panels for the metrics that it has. Pure. */
import { type MetricFacts, ofJob } from "./facts.ts";
import { PANELS, type Panel } from "./panels.ts";

/** Two panels in a row of 24 columns. */
const SIZE = { h: 8, w: 12 } as const;
const DATA_SOURCE = { type: "prometheus", uid: "${datasource}" } as const;

/** Returns the dashboard as JSON. The same operator gives the same text. */
export function dashboardText(facts: MetricFacts, { name, job }: { readonly name: string; readonly job: string }): string {
  const panels = PANELS.filter(({ when }) => when === undefined || when(facts));
  const dashboard = {
    title: `Operator ${name}`,
    uid: `treadle-${name}`.slice(0, 40),
    schemaVersion: 39,
    version: 1,
    editable: true,
    tags: ["treadle"],
    time: { from: "now-6h", to: "now" },
    refresh: "1m",
    templating: { list: variables(job) },
    panels: panels.map((panel, index) => panelOf(panel, { index, job })),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

function variables(job: string): readonly object[] {
  const query = `label_values(controller_runtime_max_concurrent_reconciles{job="${job}"}, controller)`;
  return [
    { name: "datasource", type: "datasource", query: "prometheus", label: "Data source" },
    {
      name: "controller",
      type: "query",
      label: "Controller",
      multi: true,
      includeAll: true,
      allValue: ".*",
      current: { text: "All", value: "$__all" },
      datasource: DATA_SOURCE,
      query,
      refresh: 2,
    },
  ];
}

function panelOf({ title, unit, queries }: Panel, { index, job }: { readonly index: number; readonly job: string }): object {
  return {
    id: index + 1,
    title,
    type: "timeseries",
    datasource: DATA_SOURCE,
    gridPos: { ...SIZE, x: (index % 2) * SIZE.w, y: Math.floor(index / 2) * SIZE.h },
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: queries.map(([expr, legendFormat], n) => ({ refId: String.fromCharCode(65 + n), expr: ofJob(expr, job), legendFormat })),
  };
}
