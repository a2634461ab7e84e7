/**
 * The events that the simulated control plane writes about its objects.
 *
 * - A controller reports an event with a {@link Recorder}. It is stored at once and without a request, so it costs little:
 *   neither webhooks, policies nor quotas see it. No controller waits for events, and a refused event is not retried.
 * - Repeated and similar events are joined as by client-go, see `event-correlator.ts`.
 * - An event is deleted an hour after its last write, as by kube-apiserver.
 * - A namespace that is being deleted gets no events.
 */
import {
  apiVersionOf,
  type Clock,
  dns1123SubdomainProblems,
  formatTime,
  type Kind,
  type KubernetesObject,
  type Timer,
} from "@treadle/apimachinery";
import type { JsonObject } from "../internal/json.ts";
import { Recent } from "../internal/recent.ts";
import { keyFor, type Store } from "../storage/store.ts";
import { type EventContent, EventCorrelator } from "./event-correlator.ts";
import { managerOf } from "./writer.ts";

/** What happened to an object. */
export interface Occurrence {
  /** @defaultValue Normal */
  readonly type?: "Warning";
  readonly reason: string;
  readonly message: string;
  /** Part of the object, `spec.containers{NAME}`. */
  readonly fieldPath?: string;
  /** Node of the reporter. */
  readonly host?: string;
}

/** Reports an event about an object. */
export type Recorder = (kind: Kind, object: KubernetesObject, occurrence: Occurrence) => void;

/** An event of kube-scheduler. */
export interface Decision extends Occurrence {
  readonly action: string;
}

export interface EventSources {
  readonly clock: Clock;
  readonly store: Store;
  readonly uid: () => string;
}

export class Events {
  readonly #sources: EventSources;
  /** Times at which the events expire, by key, the earliest first. */
  readonly #ends = new Map<string, number>();
  #timer: Timer | undefined;
  #count = 0;

  constructor(sources: EventSources) {
    this.#sources = sources;
  }

  /** Returns the recorder of a component, which is the source of the events. */
  recorder(component: string): Recorder {
    const { clock } = this.#sources;
    const correlator = new EventCorrelator(clock);
    const manager = managerOf(component);
    return (kind, object, { type, reason, message, fieldPath, host }) => {
      const content: EventContent = {
        involvedObject: referenceTo(kind, object, fieldPath),
        type: type ?? "Normal",
        reason,
        message,
        source: { component, ...(host === undefined ? {} : { host }) },
        reportingComponent: component,
        reportingInstance: host ?? "",
      };
      const next = correlator.correlate(content, () => this.#name(object));
      if (next === undefined) return;
      const times = { firstTimestamp: formatTime(next.firstMs), lastTimestamp: formatTime(clock.now()) };
      const event = { ...next.content, eventTime: null, ...times, count: next.count };
      const owner = { manager, apiVersion: "v1", fields: coreFields(next.content) };
      this.#put({ name: next.name, namespace: namespaceOf(object), event, owner });
    };
  }

  /** Returns the recorder of kube-scheduler, which uses `events.k8s.io`: repeated events become a series. */
  decisions(): (kind: Kind, object: KubernetesObject, decision: Decision) => void {
    const { clock } = this.#sources;
    const seen = new Recent<Series>(MAX_SERIES);
    return (kind, object, { type, reason, message, action }) => {
      const involvedObject = referenceTo(kind, object, undefined);
      const nowMs = clock.now();
      const key = JSON.stringify([type, action, reason, involvedObject]);
      const known = seen.get(key);
      if (known !== undefined && nowMs - known.startedMs < SERIES_MS) {
        known.count++;
        // The real recorder writes the count of later repeats when the series has ended.
        if (known.count > 2) return;
        const event = { ...known.written.event, series: { count: 2, lastObservedTime: microTime(nowMs) } };
        this.#put({ ...known.written, event, owner: schedulerOwner(["f:series"]) });
        return;
      }
      const unset = { source: {}, firstTimestamp: null, lastTimestamp: null };
      const what = { action, reason, message: message.slice(0, MAX_NOTE), type: type ?? "Normal" };
      const event = { involvedObject, ...SCHEDULER, ...what, eventTime: microTime(nowMs), ...unset };
      const written = { name: this.#name(object), namespace: namespaceOf(object), event, owner: schedulerOwner([]) };
      seen.set(key, { written, startedMs: nowMs, count: 1 });
      this.#put(written);
    };
  }

  close(): void {
    this.#timer?.cancel();
  }

  /** Stores the event, new or changed. */
  #put({ name, namespace, event, owner }: Written): void {
    const { store, clock, uid } = this.#sources;
    const home = store.collection("namespaces").get(namespace);
    if (home === undefined || home.object.metadata.deletionTimestamp !== undefined) return;
    const now = formatTime(clock.now());
    const { manager, apiVersion, fields } = owner;
    const managedFields = [{ manager, operation: "Update", apiVersion, time: now, fieldsType: "FieldsV1", fieldsV1: fields }];
    const events = store.collection("events");
    const key = keyFor(namespace, name);
    const known = events.get(key);
    const { uid: id, creationTimestamp } = known?.object.metadata ?? { uid: uid(), creationTimestamp: now };
    const metadata = { name, namespace, uid: id, creationTimestamp, managedFields };
    // Frozen by the store, and not changed by anything that shares its parts.
    const draft = { kind: "Event", apiVersion: "v1", metadata, ...event };
    if (known === undefined) events.create(draft);
    else events.update(known, draft);
    this.#ends.delete(key);
    this.#ends.set(key, clock.now() + TIME_TO_LIVE_MS);
    this.#arm();
  }

  #name({ metadata: { name } }: KubernetesObject): string {
    this.#count = (this.#count + 1) % 1_000_000;
    // In nanoseconds, so that two events of one millisecond have two names.
    const text = `${name}.${(BigInt(Math.trunc(this.#sources.clock.now())) * 1_000_000n + BigInt(this.#count)).toString(16)}`;
    return dns1123SubdomainProblems(text).length === 0 ? text : this.#sources.uid();
  }

  /** Sets the timer for the oldest event. */
  #arm(): void {
    const [oldest] = this.#ends.values();
    if (oldest === undefined || this.#timer !== undefined) return;
    const { clock } = this.#sources;
    this.#timer = clock.after(Math.max(0, oldest - clock.now()), () => {
      this.#timer = undefined;
      this.#expire(clock.now());
      this.#arm();
    });
  }

  /** Deletes the events as etcd does when a lease ends. */
  #expire(nowMs: number): void {
    const events = this.#sources.store.collection("events");
    for (const [key, endMs] of this.#ends) {
      if (endMs > nowMs) return;
      this.#ends.delete(key);
      const entry = events.get(key);
      if (entry !== undefined) events.delete(entry);
    }
  }
}

/** An event to store. */
interface Written {
  readonly name: string;
  readonly namespace: string;
  /** The event without its metadata, as `v1` has it. */
  readonly event: object;
  readonly owner: { readonly manager: string; readonly apiVersion: string; readonly fields: object };
}

interface Series {
  readonly written: Written;
  readonly startedMs: number;
  count: number;
}

/** `--event-ttl` of kube-apiserver. */
const TIME_TO_LIVE_MS = 3_600_000;
/** client-go `events`: the time after which a series has ended. */
const SERIES_MS = 360_000;
const MAX_SERIES = 4096;
const MAX_NOTE = 1024;
const SCHEDULER = { reportingComponent: "default-scheduler", reportingInstance: "default-scheduler-control-plane" };

/** Returns the namespace of the events of an object. Cluster-scoped objects have theirs in `default`. */
function namespaceOf({ metadata }: KubernetesObject): string {
  return metadata.namespace ?? "default";
}

function referenceTo(kind: Kind, { metadata }: KubernetesObject, fieldPath: string | undefined): JsonObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  const reference = { kind: kind.kind, namespace, name, uid, apiVersion: apiVersionOf(kind), resourceVersion, fieldPath };
  return Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== undefined));
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}

/** Returns the fields that the manager of an event of `v1` owns. Empty fields are owned, too, unless Go omits them. */
function coreFields({ source, reportingComponent, reportingInstance }: EventContent): object {
  const names = ["count", "firstTimestamp", "involvedObject", "lastTimestamp", "message", "reason"];
  return {
    ...owned(names.map((name) => `f:${name}`)),
    ...owned([
      ...(reportingComponent === "" ? [] : ["f:reportingComponent"]),
      ...(reportingInstance === "" ? [] : ["f:reportingInstance"]),
    ]),
    "f:source": owned(Object.keys(source).map((name) => `f:${name}`)),
    "f:type": {},
  };
}

function schedulerOwner(more: readonly string[]): Written["owner"] {
  const names = ["action", "eventTime", "note", "reason", "regarding", "reportingController", "reportingInstance"];
  const fields = { ...owned([...names.map((name) => `f:${name}`), ...more]), "f:type": {} };
  return { manager: managerOf("kube-scheduler"), apiVersion: "events.k8s.io/v1", fields };
}

function owned(fields: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(fields.map((field) => [field, {}]));
}
