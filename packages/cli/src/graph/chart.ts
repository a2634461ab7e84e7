/** Descriptions of handlers as boxes and arrows, which each output writes in its own notation. Pure: equal descriptions give equal charts. */
import type { HandlerDescription, NamedKind, NeedDescription, ReadDescription, StepDescription } from "@treadle/reconcile/unstable/engine";
import { stepLines, type Text } from "./step-lines.ts";

/** A box: a handler, a step or a kind. */
export interface Box {
  /** A word of letters and digits, so that no name can be a word of a notation. */
  readonly id: string;
  /** The lines of its label, safe for the notation. */
  readonly lines: readonly string[];
  /** The boxes inside of it; absent for a box that can have none. */
  readonly parts?: readonly Box[];
}

/** What an arrow means. */
export type ArrowType = "order" | "before" | "vars" | "optional-vars" | "read" | "owns" | "watch";

/** An arrow between two boxes. */
export interface Arrow {
  readonly type: ArrowType;
  readonly from: string;
  readonly to: string;
  /** Absent for the order of a list. */
  readonly label?: string;
}

/** One handler, the kinds that it reads, owns or watches, and the arrows between them. */
export interface Chart {
  readonly handler: Box;
  readonly kinds: readonly Box[];
  readonly arrows: readonly Arrow[];
}

/** Returns the charts of some handlers. Ids differ in all of them. */
export function chartsOf(handlers: readonly HandlerDescription[], text: Text): readonly Chart[] {
  return handlers.map((handler, i) => new HandlerChart(handler, `h${i + 1}`, text).chart());
}

class HandlerChart {
  readonly #handler: HandlerDescription;
  readonly #id: string;
  readonly #text: Text;
  readonly #arrows: Arrow[] = [];
  /** Ids of steps by name. */
  readonly #steps = new Map<string, string>();
  /** By `apiVersion/kind`. */
  readonly #kinds = new Map<string, Box>();

  constructor(handler: HandlerDescription, id: string, text: Text) {
    this.#handler = handler;
    this.#id = id;
    this.#text = text;
  }

  chart(): Chart {
    const { name, kind, steps, watches } = this.#handler;
    const all = flat(steps);
    all.forEach((step, i) => this.#steps.set(step.name, `${this.#id}s${i + 1}`));
    this.#order();
    for (const step of all) this.#stepArrows(step);
    for (const { kind: watched, by, label, form } of watches) {
      const way = label === undefined ? by : `label ${this.#text(label)}`;
      this.#arrow("watch", this.#kind(watched), this.#id, `watch by ${way}${form === "metadata" ? ", metadata" : ""}`);
    }
    const lines = [
      `handler ${this.#text(name)}`,
      `reconciles ${this.#text(kind.kind)} (${this.#text(kind.apiVersion)})`,
      ...this.#settings(),
    ];
    const parts = steps.map((step) => this.#box(step));
    return { handler: { id: this.#id, lines, parts }, kinds: [...this.#kinds.values()], arrows: this.#arrows };
  }

  #settings(): readonly string[] {
    const { finalizer, computesReady } = this.#handler;
    return [...(computesReady ? ["computes Ready"] : []), ...(finalizer === undefined ? [] : [`finalizer ${this.#text(finalizer)}`])];
  }

  /** A composite is a box around its parts. */
  #box(step: StepDescription): Box {
    const box = { id: this.#idOf(step.name), lines: stepLines(step, this.#text) };
    const { steps = [] } = step.parts ?? {};
    return steps.length === 0 ? box : { ...box, parts: steps.map((part) => this.#box(part)) };
  }

  #order(): void {
    const { steps } = this.#handler;
    steps.slice(1).forEach(({ name }, i) => this.#arrow("order", this.#idOf(steps[i]?.name ?? ""), this.#idOf(name)));
  }

  #stepArrows({ name, needs, after, reads, owns }: StepDescription): void {
    const id = this.#idOf(name);
    for (const need of needs) this.#fromStep(need.isOptional ? "optional-vars" : "vars", need.step, id, this.#vars(need));
    for (const other of after) this.#fromStep("before", other, id, "before");
    for (const read of reads) this.#arrow("read", this.#kind(read.kind), id, this.#read(read));
    for (const { kind, ifNotServed } of owns)
      this.#arrow("owns", id, this.#kind(kind), ifNotServed === "skip" ? "owns, if served" : "owns");
  }

  #arrow(type: ArrowType, from: string, to: string, label?: string): void {
    this.#arrows.push({ type, from, to, ...(label === undefined ? {} : { label }) });
  }

  /** An extension may name a step that the handler does not have: `build()` decides whether that is a problem. */
  #fromStep(type: ArrowType, from: string, to: string, label: string): void {
    const id = this.#steps.get(from);
    if (id !== undefined) this.#arrow(type, id, to, label);
  }

  #idOf(step: string): string {
    return this.#steps.get(step) ?? this.#id;
  }

  #kind({ apiVersion, kind }: NamedKind): string {
    const key = `${apiVersion}/${kind}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known.id;
    const id = `${this.#id}k${this.#kinds.size + 1}`;
    this.#kinds.set(key, { id, lines: [this.#text(kind), this.#text(apiVersion)] });
    return id;
  }

  #vars({ vars, isOptional }: NeedDescription): string {
    const names = vars.length === 0 ? "vars" : `vars ${vars.map(this.#text).join(", ")}`;
    return isOptional ? `${names}, if any` : names;
  }

  #read({ name, type, source, isMetadata, watches, through }: ReadDescription): string {
    const words = [
      `reads ${this.#text(name)}`,
      ...(type === "owned" ? ["owned"] : type === "one" ? [] : ["several"]),
      ...(through === undefined ? [] : [`through ${this.#text(through)}`]),
      ...(isMetadata ? ["metadata"] : []),
      ...(source === "live" ? ["live"] : []),
      ...(watches === undefined ? ["not watched"] : []),
    ];
    return words.join(", ");
  }
}

function flat(steps: readonly StepDescription[]): readonly StepDescription[] {
  return steps.flatMap((step) => [step, ...flat(step.parts?.steps ?? [])]);
}
