/** Writes descriptions of handlers as a Mermaid flowchart. Pure: equal descriptions give equal text. */
import type { HandlerDescription, NamedKind, NeedDescription, ReadDescription, StepDescription } from "@treadle/reconcile/unstable/engine";
import { label, labelText } from "./mermaid-text.ts";
import { stepLines } from "./step-lines.ts";

/** Renderers of Mermaid refuse more text, or more arrows, unless they are configured. */
export const MERMAID_LIMITS = { characters: 50_000, arrows: 500 } as const;

/** A flowchart, and the number of its arrows. */
export interface Flowchart {
  readonly text: string;
  readonly arrows: number;
}

/** Returns the flowchart of some handlers. */
export function flowchartOf(handlers: readonly HandlerDescription[]): Flowchart {
  const charts = handlers.map((handler, i) => new HandlerChart(handler, `h${i + 1}`));
  const lines = charts.flatMap((chart) => chart.lines());
  return {
    text: `flowchart TD\n${lines.map((line) => `  ${line}\n`).join("")}`,
    arrows: charts.reduce((sum, { arrows }) => sum + arrows.length, 0),
  };
}

/** The nodes and arrows of one handler. Ids are numbers, so that no name can be a word of Mermaid. */
class HandlerChart {
  readonly arrows: string[] = [];
  readonly #handler: HandlerDescription;
  readonly #id: string;
  /** Ids of steps by name. */
  readonly #steps = new Map<string, string>();
  /** Ids of kinds by `apiVersion/kind`, with their nodes. */
  readonly #kinds = new Map<string, { readonly id: string; readonly node: string }>();

  constructor(handler: HandlerDescription, id: string) {
    this.#handler = handler;
    this.#id = id;
    const all = flat(handler.steps);
    all.forEach(({ name }, i) => this.#steps.set(name, `${id}s${i + 1}`));
    this.#order();
    for (const step of all) this.#stepArrows(step);
    for (const { kind, by, label: name, form } of handler.watches) {
      const way = name === undefined ? by : `label ${labelText(name)}`;
      this.arrows.push(`${this.#kind(kind)} -.->|${label([`watch by ${way}${form === "metadata" ? ", metadata" : ""}`])}| ${id}`);
    }
  }

  lines(): readonly string[] {
    const { name, kind, steps } = this.#handler;
    const title = label([`handler ${labelText(name)}`, `reconciles ${kindText(kind)}`, ...this.#settings()]);
    const nodes = steps.flatMap((step) => this.#nodes(step));
    return [
      `subgraph ${this.#id}[${title}]`,
      "  direction TB",
      ...nodes.map((line) => `  ${line}`),
      "end",
      ...[...this.#kinds.values()].map(({ node }) => node),
      ...this.arrows,
    ];
  }

  #settings(): readonly string[] {
    const { finalizer, computesReady } = this.#handler;
    return [...(computesReady ? ["computes Ready"] : []), ...(finalizer === undefined ? [] : [`finalizer ${labelText(finalizer)}`])];
  }

  /** A composite is a box around its parts. */
  #nodes(step: StepDescription): readonly string[] {
    const id = this.#idOf(step.name);
    const lines = label(stepLines(step));
    if (step.parts === undefined || step.parts.steps.length === 0) return [`${id}[${lines}]`];
    const parts = step.parts.steps.flatMap((part) => this.#nodes(part));
    return [`subgraph ${id}[${lines}]`, "  direction TB", ...parts.map((line) => `  ${line}`), "end"];
  }

  #order(): void {
    const { steps } = this.#handler;
    steps.slice(1).forEach(({ name }, i) => this.arrows.push(`${this.#idOf(steps[i]?.name ?? "")} --> ${this.#idOf(name)}`));
  }

  #stepArrows({ name, needs, after, reads, owns }: StepDescription): void {
    const id = this.#idOf(name);
    for (const need of needs) this.#arrow(need.step, `${need.isOptional ? "-.->" : "==>"}|${label([varsText(need)])}|`, id);
    for (const other of after) this.#arrow(other, `-->|${label(["before"])}|`, id);
    for (const read of reads) this.arrows.push(`${this.#kind(read.kind)} -.->|${label([readText(read)])}| ${id}`);
    for (const { kind, ifNotServed } of owns)
      this.arrows.push(`${id} -->|${label([ifNotServed === "skip" ? "owns, if served" : "owns"])}| ${this.#kind(kind)}`);
  }

  /** An extension may name a step that the handler does not have: `build()` decides whether that is a problem. */
  #arrow(from: string, line: string, to: string): void {
    const id = this.#steps.get(from);
    if (id !== undefined) this.arrows.push(`${id} ${line} ${to}`);
  }

  #idOf(step: string): string {
    return this.#steps.get(step) ?? this.#id;
  }

  #kind(kind: NamedKind): string {
    const key = `${kind.apiVersion}/${kind.kind}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known.id;
    const id = `${this.#id}k${this.#kinds.size + 1}`;
    this.#kinds.set(key, { id, node: `${id}([${label([labelText(kind.kind), labelText(kind.apiVersion)])}])` });
    return id;
  }
}

function flat(steps: readonly StepDescription[]): readonly StepDescription[] {
  return steps.flatMap((step) => [step, ...flat(step.parts?.steps ?? [])]);
}

function kindText({ kind, apiVersion }: NamedKind): string {
  return `${labelText(kind)} (${labelText(apiVersion)})`;
}

function varsText({ vars, isOptional }: NeedDescription): string {
  const names = vars.length === 0 ? "vars" : `vars ${vars.map(labelText).join(", ")}`;
  return isOptional ? `${names}, if any` : names;
}

function readText({ name, type, source, isMetadata, watches, through }: ReadDescription): string {
  const words = [
    `reads ${labelText(name)}`,
    ...(type === "owned" ? ["owned"] : type === "one" ? [] : ["several"]),
    ...(through === undefined ? [] : [`through ${labelText(through)}`]),
    ...(isMetadata ? ["metadata"] : []),
    ...(source === "live" ? ["live"] : []),
    ...(watches === undefined ? ["not watched"] : []),
  ];
  return words.join(", ");
}
