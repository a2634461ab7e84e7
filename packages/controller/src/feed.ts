/**
 * Feed: the events of one kind for all controllers of a manager. An informer does not tell its handlers of our own
 * writes, because the writer knows; but the other controllers do not, so the feed tells them, and says who wrote.
 */
import { keyOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { Informer, InformerEvent } from "@treadle/informer";

/** The pass that wrote. */
export interface Origin {
  readonly controller: string;
  readonly key: string;
}

export type FeedListener = (event: InformerEvent<KubernetesObject>, origin: Origin | undefined) => void;

export interface Feed {
  readonly informer: Informer;
  /** Tells what happens from now on. A listener must not throw. Returns the way to unsubscribe. */
  subscribe(listener: FeedListener): () => void;
  expectWrite(ref: Ref): () => void;
  /** The response of a write of `controller` to its primary. */
  wrote(object: KubernetesObject, controller: string): void;
  /** A write of `controller` removed the object `uid`. */
  removed(ref: Ref, uid: string, controller: string): void;
}

export function createFeed(informer: Informer): Feed {
  let listeners: readonly FeedListener[] = [];
  const tell: FeedListener = (event, origin) => {
    for (const listener of listeners) listener(event, origin);
  };
  informer.onEvent((event) => tell(event, undefined));

  /** Tells what `observe` changed in what the informer shows. */
  function own(ref: Ref, controller: string, observe: () => void): void {
    // Nobody reads it there yet, or ever; of a namespace that is being listed the informer remembers it.
    if (!informer.covers(ref.namespace)) return observe();
    const before: KubernetesObject | undefined = informer.get(ref);
    observe();
    const after: KubernetesObject | undefined = informer.get(ref);
    const origin = { controller, key: keyOf(ref) };
    if (before === after) return;
    if (after === undefined)
      tell({ type: "deleted", object: before as KubernetesObject }, origin); // They differ, so there was one.
    else if (before === undefined) tell({ type: "added", object: after, initial: false }, origin);
    else if (before.metadata.resourceVersion !== after.metadata.resourceVersion)
      tell({ type: "updated", object: after, previous: before }, origin);
  }

  return {
    informer,
    subscribe(listener) {
      listeners = [...listeners, listener];
      return () => {
        listeners = listeners.filter((other) => other !== listener);
      };
    },
    expectWrite: (ref) => informer.expectWrite(ref),
    wrote: (object, controller) => own(object.metadata, controller, () => informer.observeWrite(object)),
    removed: (ref, uid, controller) => own(ref, controller, () => informer.observeDelete(ref, uid)),
  };
}
