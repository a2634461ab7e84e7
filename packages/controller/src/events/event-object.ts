/** Makes the `events.k8s.io/v1` object of a `req.event()`. */
import type { KubernetesObject, WriteOf } from "@treadle/apimachinery";
import type { Event } from "@treadle/apimachinery/kinds";
import type { EventNote } from "@treadle/reconcile";
import { withoutSecrets } from "@treadle/reconcile/unstable/engine";

/** Limits of the API. */
const MAX_NOTE_BYTES = 1024;
const MAX_NAME = 253;
const MAX_INSTANCE = 128;

/** The namespace of events about cluster-scoped objects, as for Kubernetes' own components. */
const CLUSTER_EVENTS_NAMESPACE = "default";

/** The object of an event, as it is created. */
export type EventObject = WriteOf<typeof Event> & { readonly metadata: { readonly name: string; readonly namespace: string } };

/** Who records an event. */
export interface Reporter {
  /** The handler's name. */
  readonly controller: string;
  /** The name of the process. */
  readonly instance: string;
}

/** What an event says, when, and who says it. */
export interface EventObjectOptions {
  /** Who records it. */
  readonly reporter: Reporter;
  /** The text, its reason and its type. */
  readonly note: EventNote;
  /** The time, in milliseconds since 1970. */
  readonly atMs: number;
  /** Makes the name unique. */
  readonly id: string;
}

/** Makes the object; the note must come from {@link shownNote}. */
export function eventObject(object: KubernetesObject, { reporter, note, atMs, id }: EventObjectOptions): EventObject {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    metadata: { name: `${name.slice(0, MAX_NAME - id.length - 1)}.${id}`, namespace: namespace ?? CLUSTER_EVENTS_NAMESPACE },
    eventTime: microTime(atMs),
    type: note.type,
    reason: note.reason,
    action: note.action,
    note: note.note,
    regarding: {
      apiVersion,
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    reportingController: reporter.controller,
    reportingInstance: reporter.instance.slice(0, MAX_INSTANCE),
  };
}

/** Removes secrets from a note, and cuts it to the length that the API allows. */
export function shownNote(note: string): string {
  const shown = withoutSecrets(note);
  if (Buffer.byteLength(shown) <= MAX_NOTE_BYTES) return shown;
  const cut = Buffer.from(shown).subarray(0, MAX_NOTE_BYTES - Buffer.byteLength(ELLIPSIS));
  // A character that was cut in two is left out.
  return `${new TextDecoder().decode(cut, { stream: true })}${ELLIPSIS}`;
}

const ELLIPSIS = "…";

/** A time in the form of the API for event times. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
