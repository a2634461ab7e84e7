/** The label and field selectors of an informer. */
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

/** Selectors as an author writes them. */
export interface Selectors {
  readonly labelSelector?: string | Readonly<Record<string, string>>;
  readonly fieldSelector?: string;
}

/** Parsed selectors. */
export class Selection {
  readonly #labels: LabelRequirements;
  readonly #fields: FieldRequirements;

  /** @throws SelectorError for a selector that cannot be parsed */
  constructor({ labelSelector = "", fieldSelector = "" }: Selectors) {
    this.#labels =
      typeof labelSelector === "string" ? parseLabelSelector(labelSelector) : labelRequirements({ matchLabels: labelSelector });
    this.#fields = parseFieldSelector(fieldSelector);
  }

  /** Whether all objects are selected. */
  get isEverything(): boolean {
    return this.#labels.length === 0 && this.#fields.length === 0;
  }

  /** Tells whether the label selector selects the object. Only the server knows for certain how it compares fields. */
  allows({ metadata }: KubernetesObject): boolean {
    return this.#labels.length === 0 || matchesLabels(this.#labels, metadata.labels);
  }

  /** Tells whether both selectors select the object. */
  selects(object: KubernetesObject): boolean {
    return this.allows(object) && matchesFields(this.#fields, object);
  }

  /** The label selector as text. */
  get labels(): string {
    return formatLabelSelector(this.#labels);
  }
}
