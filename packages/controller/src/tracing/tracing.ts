/**
 * Traces by OpenTelemetry: the event, the queue, the pass, its steps and their requests. Only the API package is used; the
 * provider that the program registers before the manager starts decides what happens to the spans. Without a provider
 * nothing is loaded and nothing is measured. An error of the provider does not affect a pass.
 */
import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { Clock } from "@treadle/apimachinery";
import type { Exchange } from "@treadle/client";
import type { Logger } from "@treadle/reconcile";
import { errorFields, messageOf } from "../internal/error-text.ts";

type Api = typeof import("@opentelemetry/api");

/** Where every copy of the API package stores what was registered. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** Makes the tracing of a manager; undefined when no provider of traces is registered. */
export async function loadTracing(clock: Clock, log: Logger): Promise<Tracing | undefined> {
  const registered = (globalThis as { [REGISTERED]?: { readonly trace?: unknown } })[REGISTERED];
  if (registered?.trace === undefined) return undefined;
  return new Tracing(await import("@opentelemetry/api"), clock, log);
}

/** The beginning of a span. */
export interface SpanStart {
  readonly name: string;
  readonly atMs: number;
  readonly parent: Context;
  readonly type?: "consumer" | "client";
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
}

/** A span that has begun. */
export interface Traced {
  /** The context of what happens within it. */
  readonly context: Context;
  set(attribute: string, value: string): void;
  /** Marks the span as failed, without secrets and without a stack. */
  failed(error?: unknown): void;
  end(atMs?: number): void;
}

export class Tracing {
  readonly #api: Api;
  readonly #log: Logger;
  readonly #tracer: Tracer | undefined;
  #isBroken = false;
  readonly clock: Clock;

  constructor(api: Api, clock: Clock, log: Logger) {
    this.#api = api;
    this.#log = log;
    this.#tracer = this.#asked(() => api.trace.getTracer("@treadle/controller"));
    this.clock = clock;
  }

  /** Adds the span of a request of a pass. Requests of informers and of the election belong to no trace. */
  readonly exchanged = ({ method, verb, resource, subresource, status, error, attempt, durationMs, server }: Exchange): void => {
    const parent = this.active();
    if (!this.isTraced(parent)) return;
    const what = `${resource ?? ""}${subresource === undefined ? "" : `/${subresource}`}`;
    const span = this.start({
      name: what === "" ? verb : `${verb} ${what}`,
      atMs: this.clock.now() - durationMs,
      parent,
      type: "client",
      attributes: {
        "http.request.method": method,
        "http.response.status_code": status,
        "http.request.resend_count": attempt === 0 ? undefined : attempt,
        "server.address": server,
      },
    });
    if (error !== undefined || (status !== undefined && status >= 400)) span.failed(error);
    span.end();
  };

  /** Makes a log whose lines name the span in which they are written. */
  logger(log: Logger): Logger {
    const write =
      (level: keyof Logger) =>
      (data: object, text: string): void => {
        const span = this.#asked(() => this.#api.trace.getSpan(this.active())?.spanContext());
        log[level](span === undefined ? data : { ...data, trace_id: span.traceId, span_id: span.spanId }, text);
      };
    return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  }

  active(): Context {
    return this.#asked(() => this.#api.context.active()) ?? this.root();
  }

  root(): Context {
    return this.#api.ROOT_CONTEXT;
  }

  isTraced(context: Context): boolean {
    return this.#api.trace.getSpan(context) !== undefined;
  }

  /** Runs `work` in a context. What it throws is its own error, and not one of the provider. */
  run<T>(context: Context, work: () => T): T {
    let result: { readonly of: T } | { readonly error: unknown } | undefined;
    this.#asked(() =>
      this.#api.context.with(context, () => {
        try {
          result = { of: work() };
        } catch (error) {
          result = { error };
        }
      }),
    );
    if (result === undefined) return work();
    if ("error" in result) throw result.error;
    return result.of;
  }

  start({ name, atMs, parent, type, attributes = {} }: SpanStart): Traced {
    const { SpanKind, SpanStatusCode, trace } = this.#api;
    const kind = type === "consumer" ? SpanKind.CONSUMER : type === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const given = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Record<
      string,
      string | number
    >;
    const span: Span | undefined = this.#asked(() =>
      this.#tracer?.startSpan(name, { kind, startTime: new Date(atMs), attributes: given }, parent),
    );
    return {
      context: span === undefined ? parent : trace.setSpan(parent, span),
      set: (attribute, value) => void this.#asked(() => span?.setAttribute(attribute, value)),
      failed: (error) =>
        void this.#asked(() =>
          span?.setStatus({ code: SpanStatusCode.ERROR, ...(error === undefined ? {} : { message: messageOf(error) }) }),
        ),
      end: (at = this.clock.now()) => void this.#asked(() => span?.end(new Date(at))),
    };
  }

  /** Asks the provider; returns undefined, and warns once, when it throws. */
  #asked<T>(ask: () => T): T | undefined {
    try {
      return ask();
    } catch (error) {
      if (!this.#isBroken) {
        this.#isBroken = true;
        this.#log.warn(errorFields(error), "the provider of traces fails, so traces are incomplete");
      }
      return undefined;
    }
  }
}
