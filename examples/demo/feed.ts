/** Prints the demo's titles, objects and checked claims. Uses colours on a terminal only. */
import { styleText } from "node:util";
import type { Condition, KubernetesObject } from "treadle";

interface Status extends Readonly<Record<string, unknown>> {
  readonly conditions?: readonly Condition[];
}

/** Maximum time until a claim holds, in milliseconds. */
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

  /** Counts a pass. What it changed is in the log of the operator. */
  pass(): void {
    this.passes++;
  }

  /** Prints one line for a change of an object: its status. */
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

  /** Checks the claim until it holds or the time is over, and prints the result. */
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
