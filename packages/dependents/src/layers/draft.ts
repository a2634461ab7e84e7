/** What the functions of a layer need to know about the draft that they edit: its kind, and the containers before the layer. */
import type { Kind } from "@treadle/apimachinery";
import type { Draft } from "./merge.ts";

/** Facts about a draft while a layer edits it. */
export interface DraftFacts {
  /** The kind of the object; `undefined` where `desired` is called alone. */
  readonly kind: Kind | undefined;
  /** Beginning of messages. */
  readonly where: string;
  /** The containers of the draft, each as it was before the layer. */
  readonly before: ReadonlyMap<object, ContainerBefore>;
}

/** A container as it was before the layer. */
export interface ContainerBefore {
  readonly container: Draft;
  readonly index: number;
}

/** A hidden member of a draft. It is not enumerable: neither JSON nor the author's functions see it. */
const FACTS: unique symbol = Symbol("treadle.draft");

/** Runs `edit` while the draft has these facts. */
export function withFacts(draft: Draft, facts: DraftFacts, edit: () => unknown): unknown {
  Object.defineProperty(draft, FACTS, { value: facts, enumerable: false, configurable: true });
  try {
    return edit();
  } finally {
    Reflect.deleteProperty(draft, FACTS);
  }
}

/** Returns the facts of a draft; `undefined` for an object that no layer edits. */
export function factsOf(draft: object): DraftFacts | undefined {
  return (draft as { readonly [FACTS]?: DraftFacts })[FACTS];
}
