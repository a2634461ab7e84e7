/** The values of Secrets that a plugin was sent or has planned: what it writes and reports may repeat them. */
import { SecretValues } from "@treadle/reconcile/unstable/engine";

/** Forms of values in one generation: two generations have some 20 MB at most. */
const MAX_FORMS = 50_000;

type Fields = Readonly<Record<string, unknown>>;

/** Hides the values of Secrets of one plugin. After very many values the oldest are forgotten. */
export class PluginSecrets {
  #values: SecretValues = new SecretValues();
  #earlier: SecretValues = new SecretValues();

  /** Notes the Secrets among objects. */
  note(objects: readonly object[]): void {
    for (const object of objects) {
      if (!isSecret(object)) continue;
      this.#values.note(object);
      this.#values.noteTexts(linesOf(textsOfSecrets([object as Fields]))); // Each object has fields.
    }
    if (this.#values.size <= MAX_FORMS) return;
    this.#earlier = this.#values;
    this.#values = new SecretValues();
  }

  /** Returns `text` without the values. */
  hide(text: string): string {
    return this.#earlier.hide(this.#values.hide(text));
  }

  /** The same for all texts in a value. */
  hideIn<T>(value: T): T {
    return this.#earlier.hideIn(this.#values.hideIn(value));
  }
}

/** Returns the values in the Secrets among objects, as plain texts. */
export function textsOfSecrets(objects: readonly Fields[]): readonly string[] {
  const values = (field: unknown): readonly string[] =>
    Object.values((field ?? {}) as Fields).flatMap((value) => (typeof value === "string" ? [value] : []));
  return objects
    .filter(isSecret)
    .flatMap(({ data, stringData }) => [...values(stringData), ...values(data).map((value) => Buffer.from(value, "base64").toString())]);
}

/** A shorter line of a value is often ordinary text, such as a line of a configuration. */
const MIN_LINE = 16;

/** The lines of values with several lines, such as keys in PEM: a program logs them as lines of its log. */
function linesOf(values: readonly string[]): readonly string[] {
  const lines = values.filter((value) => value.includes("\n")).flatMap((value) => value.split("\n"));
  return lines.map((line) => line.trim()).filter((line) => line.length >= MIN_LINE);
}

function isSecret(object: object): boolean {
  const { apiVersion, kind } = object as Fields;
  return apiVersion === "v1" && kind === "Secret";
}
