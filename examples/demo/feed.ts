/** What the demo prints: titles, passes, objects, and claims with a tick or a cross. Colours on a terminal only. */
import { styleText } from "node:util";
import type { Condition, KubernetesObject, PassReport } from "treadle";

interface Status extends Readonly<Record<string, unknown>> {
  readonly conditions?: readonly Condition[];
}

/** How long a claim may take to come true, in milliseconds. */
const PATIENCE_MS = 5_000;

export class Feed {
  readonly #stream: NodeJS.WriteStream;
  passes = 0;
  checks = 0;
  failures = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  title(text: string): void {
    this.#print(`\n${this.#paint("bold", text)}`);
  }

  line(text: string): void {
    this.#print(`  ${text}`);
  }

  /** One line for a pass: what each step did. */
  pass({ ref, result }: PassReport): void {
    this.passes++;
    const steps = result.phases.map(({ step, result: end, reason }) => {
      const color = end === "done" ? "green" : end === "failed" ? "red" : "yellow";
      return `${step} ${this.#paint(color, end)}${reason === undefined ? "" : this.#paint("dim", ` (${reason})`)}`;
    });
    const text = result.outcome.type === "gone" ? "is gone" : steps.join(", ");
    this.#print(`  ${this.#paint("cyan", `pass   ${ref.name}:`)} ${text}${this.#paint("dim", `  [${writesText(result.writes)}]`)}`);
  }

  /** One line for a change of an object: what is in its status. */
  object(type: "ADDED" | "MODIFIED" | "DELETED", object: KubernetesObject): void {
    const { conditions = [], observedGeneration: _, ...values } = (object as { readonly status?: Status }).status ?? {};
    const states = conditions.map((condition) => {
      const color = condition.status === "True" ? "green" : condition.status === "False" ? "red" : "yellow";
      return this.#paint(color, `${condition.type}=${condition.status}`) + this.#paint("dim", `/${condition.reason}`);
    });
    const texts = Object.entries(values).map(([key, value]) => `${key} ${String(value)}`);
    const what = type === "DELETED" ? [] : [texts.join(", "), ...states];
    this.#print(
      `  ${[this.#paint("magenta", `object ${object.metadata.name}: ${type.toLowerCase()}`), ...what].filter(Boolean).join(" ")}`,
    );
  }

  /** Asks until the claim holds; says so, or what is there instead. */
  async expect(claim: string, holds: () => Promise<true | string>): Promise<void> {
    this.checks++;
    const endMs = performance.now() + PATIENCE_MS;
    let answer = await holds();
    while (answer !== true && performance.now() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      answer = await holds();
    }
    if (answer === true) this.#print(`  ${this.#paint("green", "ok")}     ${claim}`);
    else {
      this.failures++;
      this.#print(`  ${this.#paint("red", "WRONG")}  ${claim}: ${answer}`);
    }
  }

  #paint(color: Parameters<typeof styleText>[0], text: string): string {
    return this.#stream.isTTY ? styleText(color, text, { stream: this.#stream }) : text;
  }

  #print(text: string): void {
    this.#stream.write(`${text}\n`);
  }
}

function writesText(writes: number): string {
  return writes === 0 ? "nothing to write" : writes === 1 ? "1 write" : `${writes} writes`;
}
