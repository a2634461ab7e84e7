/**
 * The events of one kind, for all controllers of a manager. An informer does not report our own writes to its listeners,
 * because the writer knows them. Other controllers do not know them, so the feed reports them together with the writer.
 */
import { keyOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { Informer, InformerEvent } from "@treadle/informer";

/** The pass that caused an event by a write. */
export interface EventOrigin {
  /** The name of the controller that ran the pass. */
  readonly controller: string;
  /** The key of the object of the pass. */
  readonly key: string;
}

/** Receives the events of a feed. `origin` is undefined for an event that no pass of this process caused. */
export type EventListener = (event: InformerEvent<KubernetesObject>, origin: EventOrigin | undefined) => void;

/** Reports the events of one informer, our own writes included. */
export interface EventFeed {
  /** The informer whose events are reported. */
  readonly informer: Informer;
  /** Calls `listener` for each event from now on; it must not throw. Returns a function that unsubscribes. */
  subscribe(listener: EventListener): () => void;
  /** See `Informer.expectWrite`. */
  expectWrite(ref: Ref): () => void;
  /** Whether a write of the object has no answer yet, so that the informer holds back its events. */
  isExpectingWrite(ref: Ref): boolean;
  /** Reports the response of a write of `controller`. */
  wrote(object: KubernetesObject, controller: string): void;
  /** Reports that a write of `controller` removed the object with `uid`. */
  removed(ref: Ref, uid: string, controller: string): void;
}

/** Makes the feed of an informer. */
export function createEventFeed(informer: Informer): EventFeed {
  let listeners: readonly EventListener[] = [];
  const tell: EventListener = (event, origin) => {
    for (const listener of listeners) listener(event, origin);
  };
  informer.onEvent((event) => tell(event, undefined));
  const expected = new Map<string, number>();

  /** Reports what `observe` changed in the informer's objects. */
  function own(ref: Ref, controller: string, observe: () => void): void {
    // Nobody reads an object of an uncovered namespace. While a namespace is being listed, the informer remembers the write.
    if (!informer.covers(ref.namespace)) return observe();
    const before: KubernetesObject | undefined = informer.get(ref);
    observe();
    const after: KubernetesObject | undefined = informer.get(ref);
    const origin = { controller, key: keyOf(ref) };
    if (before === after) return;
    if (after === undefined)
      tell({ type: "deleted", object: before as KubernetesObject }, origin); // The two differ, so `before` is an object.
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
    expectWrite(ref) {
      const key = keyOf(ref);
      expected.set(key, (expected.get(key) ?? 0) + 1);
      const answered = informer.expectWrite(ref);
      return () => {
        const left = (expected.get(key) ?? 1) - 1;
        if (left > 0) expected.set(key, left);
        else expected.delete(key);
        answered();
      };
    },
    isExpectingWrite: (ref) => expected.has(keyOf(ref)),
    wrote: (object, controller) => own(object.metadata, controller, () => informer.observeWrite(object)),
    removed: (ref, uid, controller) => own(ref, controller, () => informer.observeDelete(ref, uid)),
  };
}
