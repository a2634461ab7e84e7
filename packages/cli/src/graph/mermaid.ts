/** Writes descriptions of handlers as a Mermaid flowchart. Pure: equal descriptions give equal text. */
import type { HandlerDescription } from "@treadle/reconcile/unstable/engine";
import { type Arrow, type ArrowType, type Box, type Chart, chartsOf } from "./chart.ts";
import { label, labelText } from "./mermaid-text.ts";

/** Renderers of Mermaid refuse more text, or more arrows, unless they are configured. */
export const MERMAID_LIMITS = { characters: 50_000, arrows: 500 } as const;

/** A flowchart, and the number of its arrows. */
export interface Flowchart {
  readonly text: string;
  readonly arrows: number;
}

/** Returns the flowchart of some handlers. */
export function flowchartOf(handlers: readonly HandlerDescription[]): Flowchart {
  const charts = chartsOf(handlers, labelText);
  const lines = charts.flatMap(chartLines);
  return {
    text: `flowchart TD\n${lines.map((line) => `  ${line}\n`).join("")}`,
    arrows: charts.reduce((sum, { arrows }) => sum + arrows.length, 0),
  };
}

function chartLines({ handler, kinds, arrows }: Chart): readonly string[] {
  return [...group(handler, handler.lines), ...kinds.map(({ id, lines }) => `${id}([${label(lines)}])`), ...arrows.map(arrowLine)];
}

function stepLines(step: Box): readonly string[] {
  const [name = "", ...rest] = step.lines;
  const lines = [`<b>${name}</b>`, ...rest];
  return step.parts === undefined ? [`${step.id}[${label(lines)}]`] : group(step, lines);
}

function group({ id, parts = [] }: Box, lines: readonly string[]): readonly string[] {
  return [`subgraph ${id}[${label(lines)}]`, "  direction TB", ...parts.flatMap(stepLines).map((line) => `  ${line}`), "end"];
}

function arrowLine({ type, from, to, label: text }: Arrow): string {
  return `${from} ${ARROWS[type]}${text === undefined ? "" : `|${label([text])}|`} ${to}`;
}

const ARROWS: Readonly<Record<ArrowType, string>> = {
  order: "-->",
  before: "-->",
  vars: "==>",
  "optional-vars": "-.->",
  read: "-.->",
  owns: "-->",
  watch: "-.->",
};
