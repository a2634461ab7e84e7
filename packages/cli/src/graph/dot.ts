/** Writes descriptions of handlers in the language of Graphviz, which makes an SVG of it. Pure: equal descriptions give equal text. */
import type { HandlerDescription } from "@treadle/reconcile/unstable/engine";
import { type Arrow, type ArrowType, type Box, type Chart, chartsOf } from "./chart.ts";
import { shortText } from "./mermaid-text.ts";

/** Returns the graph of some handlers. */
export function dotOf(handlers: readonly HandlerDescription[]): string {
  const charts = chartsOf(handlers, escaped);
  return `digraph {\n${[...SETTINGS, ...charts.flatMap(chartLines)].map((line) => `  ${line}\n`).join("")}}\n`;
}

/**
 * Boxes are made for letters that are larger by this factor. Graphviz knows the widths of Helvetica only, and a machine without it shows a font that
 * is wider by up to a quarter, such as DejaVu Sans.
 */
export const LAYOUT_SCALE: number = 1.25;

const FONT = `fontname="Helvetica,sans-serif"`;
const SETTINGS = [
  `graph [compound=true, nodesep=0.3, ranksep=0.35, ${FONT}, fontsize=${11 * LAYOUT_SCALE}]`,
  `node [${FONT}, fontsize=${11 * LAYOUT_SCALE}, color="#64748b", margin="0.12,0.06"]`,
  `edge [${FONT}, fontsize=${9 * LAYOUT_SCALE}, color="#64748b", fontcolor="#475569", arrowsize=0.7]`,
];

function chartLines({ handler, kinds, arrows }: Chart): readonly string[] {
  const groups = groupIds(handler);
  return [
    ...group(handler, "#f8fafc"),
    ...kinds.map(({ id, lines }) => `${id} [shape=box, style="rounded,filled", fillcolor="#ecfdf5", label=<${lines.join("<br/>")}>]`),
    ...joined(arrows).map((arrow) => arrowLine(arrow, groups)),
  ];
}

function stepLines(step: Box): readonly string[] {
  if (step.parts !== undefined) return group(step, "#ffffff");
  return [`${step.id} [shape=box, style=filled, fillcolor="#eff6ff", label=<${labelOf(step)}>]`];
}

/** An arrow cannot end at a group, but at an invisible node in it. */
function group(box: Box, color: string): readonly string[] {
  const { id, parts = [] } = box;
  return [
    `subgraph cluster_${id} {`,
    `  label=<${labelOf(box)}>; labeljust=l; style=filled; fillcolor="${color}"; color="#94a3b8"`,
    `  ${id} [shape=point, style=invis, width=0, height=0, label=""]`,
    ...parts.flatMap(stepLines).map((line) => `  ${line}`),
    "}",
  ];
}

function labelOf({ lines: [name = "", ...rest] }: Box): string {
  const end = `<br align="left"/>`;
  return `<b>${name}</b>${end}${rest.map((line) => line + end).join("")}`;
}

interface DotArrow extends Arrow {
  /** Whether it has a head at both ends. */
  readonly isBoth?: boolean;
}

/** A step that owns objects reads them as well: one arrow with two heads says so. */
function joined(arrows: readonly Arrow[]): readonly DotArrow[] {
  const isOwned = (read: Arrow): boolean =>
    arrows.some((arrow) => arrow.type === "owns" && arrow.from === read.to && arrow.to === read.from);
  const owned = new Set(arrows.filter((arrow) => arrow.type === "read" && isOwned(arrow)));
  return arrows
    .filter((arrow) => !owned.has(arrow))
    .map((arrow) => ({
      ...arrow,
      isBoth: [...owned].some(({ from, to }) => arrow.type === "owns" && from === arrow.to && to === arrow.from),
    }));
}

function groupIds(box: Box): ReadonlySet<string> {
  const { id, parts } = box;
  return new Set(parts === undefined ? [] : [id, ...parts.flatMap((part) => [...groupIds(part)])]);
}

function arrowLine({ type, from, to, label, isBoth = false }: DotArrow, groups: ReadonlySet<string>): string {
  const settings = [
    STYLES[type],
    ...(isBoth ? ["dir=both"] : []),
    ...(label === undefined ? [] : [`label=<${label}>`]),
    ...(groups.has(from) ? [`ltail=cluster_${from}`] : []),
    ...(groups.has(to) ? [`lhead=cluster_${to}`] : []),
  ];
  return `${from} -> ${to} [${settings.filter((each) => each !== "").join(", ")}]`;
}

const STYLES: Readonly<Record<ArrowType, string>> = {
  order: "weight=10",
  before: "",
  vars: `penwidth=2, color="#2563eb", fontcolor="#2563eb"`,
  "optional-vars": `style=dashed, color="#2563eb", fontcolor="#2563eb"`,
  read: "style=dashed",
  owns: `color="#059669", fontcolor="#059669"`,
  watch: "style=dashed",
};

/** Signs of HTML, which labels of Graphviz are. XML has no non-characters. */
function escaped(text: string): string {
  return shortText(text).replace(/[&<>"\uFFFE\uFFFF]/g, (sign) => (sign > "\uFFF0" ? "" : `&#${sign.codePointAt(0)};`));
}
