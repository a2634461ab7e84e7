/** Which objects of a kind are watched, as its selectors say it. */
import {
  type FieldRequirements,
  formatLabelSelector,
  type KubernetesObject,
  labelRequirements,
  type LabelRequirements,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from "@treadle/apimachinery";

export interface Selectors {
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
}

export class Selection {
  readonly #labels: LabelRequirements;
  readonly #fields: FieldRequirements;

  /** @throws SelectorError for one that cannot be read */
  constructor({ labelSelector = "", fieldSelector = "" }: Selectors) {
    this.#labels =
      typeof labelSelector === "string" ? parseLabelSelector(labelSelector) : labelRequirements({ matchLabels: labelSelector });
    this.#fields = parseFieldSelector(fieldSelector);
  }

  get isEverything(): boolean {
    return this.#labels.length === 0 && this.#fields.length === 0;
  }

  /** Whether the labels allow it; which fields a server selects by, it alone knows for certain. */
  allows({ metadata }: KubernetesObject): boolean {
    return this.#labels.length === 0 || matchesLabels(this.#labels, metadata.labels);
  }

  selects(object: KubernetesObject): boolean {
    return this.allows(object) && matchesFields(this.#fields, object);
  }

  get labels(): string {
    return formatLabelSelector(this.#labels);
  }
}
