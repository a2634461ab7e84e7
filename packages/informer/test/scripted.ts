/** A server whose every response the test gives. Requests of the informer wait in a queue until the test responds. */
import {
  ApiError,
  fakeClock,
  type FakeClock,
  kind,
  type KubernetesList,
  type KubernetesObject,
  type Random,
  type UntypedObject,
} from "@treadle/apimachinery";
import type { Client, ListOptions, WatchEvent, WatchOptions } from "@treadle/client";
import { type SharedParts, sharedParts } from "../src/internal/shared-parts.ts";
import { createSharingInformer } from "../src/internal/store-informer.ts";
import type { Informer, InformerErrorSource, InformerEvent, InformerOptions } from "../src/index.ts";

export const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
export type WidgetKind = typeof Widget;

/** `widget("a", 5)`: Widget ns/a of uid `uid-a` in version 5. */
export function widget(
  name: string,
  version: number | string,
  more: { uid?: string; namespace?: string; labels?: Record<string, string>; spec?: unknown; metadata?: object } = {},
): UntypedObject {
  const { uid = `uid-${name}`, namespace = "ns", labels, metadata, ...rest } = more;
  return {
    apiVersion: "example.dev/v1",
    kind: "Widget",
    metadata: { name, namespace, uid, resourceVersion: String(version), ...(labels === undefined ? {} : { labels }), ...metadata },
    ...rest,
  };
}

export type Line = WatchEvent<UntypedObject>;

export const added = (object: UntypedObject): Line => ({ type: "ADDED", object });
export const modified = (object: UntypedObject): Line => ({ type: "MODIFIED", object });
export const deleted = (object: UntypedObject): Line => ({ type: "DELETED", object });
export const bookmark = (version: number | string, isEnd = false): Line => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion: String(version), ...(isEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}) } },
});
export const errorLine = (code: number, retryAfterSeconds?: number): Line => ({
  type: "ERROR",
  object: {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    code,
    message: `scripted ${code}`,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  },
});

export function apiError(status: number, retryAfterMs?: number): ApiError {
  return new ApiError({ message: `scripted ${status}`, status, retryAfterMs });
}

export function page(version: number | string, items: readonly UntypedObject[], token?: string): KubernetesList<UntypedObject> {
  return {
    apiVersion: "example.dev/v1",
    kind: "WidgetList",
    metadata: { resourceVersion: String(version), ...(token === undefined ? {} : { continue: token }) },
    items,
  };
}

interface ListCall {
  readonly type: "list";
  readonly options: ListOptions;
  answer(list: KubernetesList<UntypedObject>): void;
  fail(error: unknown): void;
}

interface WatchCall {
  readonly type: "watch";
  readonly options: WatchOptions;
  open(...lines: Line[]): Stream;
  fail(error: unknown): void;
}

/** An open watch. `end` ends it without an error, `fail` breaks the connection. Without either it is silent forever. */
export interface Stream {
  send(...lines: Line[]): void;
  end(): void;
  fail(error: unknown): void;
  readonly isClosed: boolean;
}

export interface Scripted {
  readonly client: Pick<Client, "list" | "watch">;
  /** Requests without a response, oldest first. */
  readonly waiting: readonly (ListCall | WatchCall)[];
  /** Takes the oldest request, which must be a list. */
  list(): ListCall;
  watch(): WatchCall;
}

export function scripted(): Scripted {
  const waiting: (ListCall | WatchCall)[] = [];
  const take = (type: "list" | "watch"): ListCall | WatchCall => {
    const call = waiting.shift();
    if (call?.type !== type)
      throw new Error(
        `expected a ${type} request, but ${call === undefined ? "there is none" : `it is a ${call.type}: ${JSON.stringify(call.options)}`}`,
      );
    return call;
  };
  const client = {
    list: (_: unknown, options: ListOptions) =>
      new Promise((answer, fail) => {
        waiting.push({ type: "list", options, answer, fail });
      }),
    watch: (_: unknown, options: WatchOptions) =>
      new Promise((resolve, fail) => {
        waiting.push({
          type: "watch",
          options,
          fail,
          open(...lines) {
            const stream = openStream();
            stream.send(...lines);
            resolve(stream);
            return stream;
          },
        });
      }),
  };
  // The script returns Widgets for any kind.
  return {
    client: client as unknown as Pick<Client, "list" | "watch">,
    waiting,
    list: () => take("list") as ListCall,
    watch: () => take("watch") as WatchCall,
  };
}

function openStream(): Stream & AsyncIterable<Line> {
  const lines: Line[] = [];
  let outcome: { readonly error?: unknown } | undefined;
  let wake = (): void => undefined;
  let isClosed = false;
  const end = (result: { readonly error?: unknown }): void => {
    outcome = result;
    wake();
  };
  return {
    send(...more) {
      lines.push(...more);
      wake();
    },
    end: () => end({}),
    fail: (error) => end({ error }),
    get isClosed() {
      return isClosed;
    },
    [Symbol.asyncIterator]: () => ({
      async next() {
        while (lines.length === 0 && outcome === undefined) await new Promise<void>((resolve) => (wake = resolve));
        const line = lines.shift();
        if (line !== undefined) return { done: false, value: line };
        if (outcome !== undefined && "error" in outcome) throw outcome.error;
        return { done: true, value: undefined };
      },
      async return() {
        isClosed = true;
        return { done: true, value: undefined };
      },
    }),
  };
}

export interface Rig extends Scripted {
  readonly clock: FakeClock;
  readonly informer: Informer<WidgetKind>;
  /** Events since the last call, short: `added a@5 (initial)`. */
  events(): string[];
  readonly errors: { readonly error: unknown; readonly where: InformerErrorSource }[];
  /** Runs everything that is ready to run. */
  settle(): Promise<void>;
}

/** No jitter: the backoff is 800, 1600, ... ms, and a watch lasts 300 s. */
const noJitter: Random = { next: () => 0 };

export function rig(options: Partial<InformerOptions<WidgetKind>> = {}, shared: Partial<SharedParts> = {}): Rig {
  const script = scripted();
  const clock = fakeClock();
  const errors: Rig["errors"] = [];
  const informer = createSharingInformer<WidgetKind>(
    {
      client: script.client,
      kind: Widget,
      onError: (error, where) => void errors.push({ error, where }),
      ...options,
    },
    { ...sharedParts({ clock, random: noJitter, ...options }), ...shared },
  );
  let seen: string[] = [];
  informer.onEvent((event) => void seen.push(show(event)));
  return {
    ...script,
    clock,
    informer,
    errors,
    settle: () => clock.advance(0),
    events() {
      const taken = seen;
      seen = [];
      return taken;
    },
  };
}

/** A started informer that has synced by a streaming list at `version` and watches: `stream` is its watch. */
export async function synced(
  version: number | string,
  objects: readonly UntypedObject[],
  options: Partial<InformerOptions<WidgetKind>> = {},
): Promise<Rig & { readonly stream: Stream }> {
  const made = rig(options);
  made.informer.start();
  await made.settle();
  const stream = made.watch().open(...objects.map(added), bookmark(version, true));
  await made.settle();
  if (!made.informer.hasSynced) throw new Error("the informer did not sync");
  made.events();
  return { ...made, stream };
}

export function show(event: InformerEvent<UntypedObject>): string {
  return `${event.type} ${id(event.object)}${event.type === "added" && event.initial ? " (initial)" : ""}`;
}

export function id(object: KubernetesObject | undefined): string {
  return object === undefined ? "none" : `${object.metadata.name}@${object.metadata.resourceVersion}`;
}
