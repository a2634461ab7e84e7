/**
 * Traces by OpenTelemetry: what happened to an object, how long its key waited, the pass, its steps, their requests. Only the
 * API package is used; what becomes of the spans is up to the provider that the program registers before the manager
 * starts. Without one nothing is loaded and nothing is measured.
 */
import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { Clock } from "@treadle/apimachinery";
import type { Exchange } from "@treadle/client";
import type { AnyHandler, Logger } from "@treadle/reconcile";
import { messageOf } from "../internal/error-text.ts";
import { PassTracing } from "./pass-tracing.ts";

type Api = typeof import("@opentelemetry/api");

/** Where the API package, whichever copy of it, keeps what was registered. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");

/** Undefined when nobody has registered a provider of traces. */
export async function loadTracing(clock: Clock): Promise<Tracing | undefined> {
  const registered = (globalThis as { [REGISTERED]?: { readonly trace?: unknown } })[REGISTERED];
  if (registered?.trace === undefined) return undefined;
  return new Tracing(await import("@opentelemetry/api"), clock);
}

/** Where and what a span is about. */
export interface SpanStart {
  readonly name: string;
  readonly atMs: number;
  readonly parent: Context;
  readonly type?: "consumer" | "client";
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
}

export class Tracing {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly clock: Clock;

  constructor(api: Api, clock: Clock) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("@treadle/controller");
    this.clock = clock;
  }

  /** Of the passes of one handler. */
  passesOf(handler: AnyHandler): PassTracing {
    return new PassTracing(handler, this);
  }

  /** A request of a pass. Those of informers and of the election belong to no trace. */
  readonly exchanged = ({ method, verb, resource, subresource, status, error, attempt, durationMs, server }: Exchange): void => {
    const parent = this.#api.context.active();
    if (this.#api.trace.getSpan(parent) === undefined) return;
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
    if (error !== undefined) this.failed(span, error);
    else if (status !== undefined && status >= 400) span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    this.end(span);
  };

  /** `log`, whose lines name the span in which they are written. */
  logger(log: Logger): Logger {
    const write =
      (level: keyof Logger) =>
      (data: object, text: string): void => {
        const span = this.#api.trace.getSpan(this.#api.context.active())?.spanContext();
        log[level](span === undefined ? data : { ...data, trace_id: span.traceId, span_id: span.spanId }, text);
      };
    return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  }

  active(): Context {
    return this.#api.context.active();
  }

  root(): Context {
    return this.#api.ROOT_CONTEXT;
  }

  isTraced(context: Context): boolean {
    return this.#api.trace.getSpan(context) !== undefined;
  }

  within(context: Context, span: Span): Context {
    return this.#api.trace.setSpan(context, span);
  }

  run<T>(context: Context, work: () => T): T {
    return this.#api.context.with(context, work);
  }

  start({ name, atMs, parent, type, attributes = {} }: SpanStart): Span {
    const { SpanKind } = this.#api;
    const kind = type === "consumer" ? SpanKind.CONSUMER : type === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const given = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
    return this.#tracer.startSpan(name, { kind, startTime: new Date(atMs), attributes: given as Record<string, string | number> }, parent);
  }

  /** No secrets, and no stacks, which hold the same message. */
  failed(span: Span, error: unknown): void {
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: messageOf(error) });
  }

  end(span: Span): void {
    span.end(new Date(this.clock.now()));
  }
}
