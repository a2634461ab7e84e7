/** Traces, as a provider that the program registered gets them. */
import { AsyncLocalStorage } from "node:async_hooks";
import { context, type Context, type ContextManager, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { handler, one, step } from "@treadle/reconcile";
import { afterEach, describe, expect, test } from "vitest";
import { startWorld, Widget, widget } from "./world.ts";

/** The context manager of OpenTelemetry's SDK for Node, in short. */
class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = (): Context => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager["with"] = (given, work, self, ...args) => this.#storage.run(given, () => work.apply(self as never, args));
  bind: ContextManager["bind"] = (_, target) => target;
  enable = (): this => this;
  disable = (): this => this;
}

function register(): InMemorySpanExporter {
  const exporter = new InMemorySpanExporter();
  context.setGlobalContextManager(new AsyncContexts());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  return exporter;
}

afterEach(() => {
  trace.disable();
  context.disable();
});

const store = step(Widget, {
  name: "store",
  owns: [ConfigMap],
  events: ["Stored"],
  reads: { config: one(ConfigMap, (o) => o.metadata.name) },
  async do(req) {
    req.log.info({}, "storing");
    if (req.object.spec.size > 5) throw new Error("no route to postgres://app:hunter2@db");
    if (req.reads.config === undefined) await req.client.create(ConfigMap, { metadata: { name: req.object.metadata.name } });
    req.event("Normal", "Stored", "it is stored");
    req.status.seen = req.object.spec.size;
  },
});
const operator = handler(Widget, { name: "w" })
  .step(step(Widget, { name: "look", gate() {} }))
  .step(store)
  .build();

/** The spans as a tree, each below its parent, by name. */
function tree(spans: readonly ReadableSpan[], parent?: string): unknown[] {
  return spans
    .filter((span) => span.parentSpanContext?.spanId === parent)
    .map((span) => {
      const children = tree(spans, span.spanContext().spanId);
      return children.length === 0 ? span.name : { [span.name]: children };
    });
}

test("an event leads to its queue, its pass, the steps and their requests; log lines name the trace", async () => {
  const exporter = register();
  const world = await startWorld({ handlers: [operator] });
  exporter.reset();
  await world.user.create(Widget, widget("a"));
  await world.settled();
  const spans = exporter.getFinishedSpans().toSorted((a, b) => a.name.localeCompare(b.name));
  expect(tree(spans)).toEqual([
    // What the step made wakes its owner.
    { "added ConfigMap": [{ "pass w": ["do store", "gate look"] }, "queue"] },
    {
      "added Widget": [
        { "pass w": [{ "do store": ["create configmaps"] }, "gate look", "patch widgets.test.treadle.dev/status"] },
        "queue",
      ],
    },
  ]);
  const root = spans.find(({ name }) => name === "added Widget");
  expect(root?.attributes).toMatchObject({
    "treadle.controller": "w",
    "treadle.cause": "added Widget.test.treadle.dev default/a",
    "treadle.object": "default/a",
    "k8s.namespace.name": "default",
    "treadle.reconcile_id": world.reports[0]?.reconcileID,
  });
  const line = world.logs.find(({ text }) => text === "storing");
  const stepSpan = spans.find(({ name }) => name === "do store");
  expect(line?.data).toMatchObject({ trace_id: root?.spanContext().traceId, span_id: stepSpan?.spanContext().spanId });
});

test("a failed step marks its span, the pass and the root, without the secret; the next pass is a trace of its own", async () => {
  const exporter = register();
  const world = await startWorld({ handlers: [operator] });
  exporter.reset();
  await world.user.create(Widget, widget("a", { size: 6 }));
  await world.settled();
  const failed = exporter.getFinishedSpans().filter(({ status }) => status.code === 2);
  expect(failed.map(({ name }) => name)).toEqual(["do store", "pass w", "added Widget"]);
  expect(JSON.stringify(failed.map(({ status, events, attributes }) => [status, events, attributes]))).not.toContain("hunter2");
  exporter.reset();
  await world.clock.advance(5);
  await world.settled();
  const [again] = exporter.getFinishedSpans().filter(({ parentSpanContext }) => parentSpanContext === undefined);
  expect(again).toMatchObject({ name: "requeue Widget", attributes: { "treadle.cause": "requeue" } });
});

test("requests of informers, the election and events belong to no trace", async () => {
  const exporter = register();
  const world = await startWorld({ handlers: [operator], leaderElection: { namespace: "default" } });
  await world.clock.advance(10_000);
  await world.user.create(Widget, widget("a"));
  await world.settled();
  const names = exporter.getFinishedSpans().map(({ name }) => name);
  expect(names).toContain("create configmaps");
  expect(names.filter((name) => /leases|list|watch|events/.test(name))).toEqual([]);
});

test("without a provider no line names a trace", async () => {
  const world = await startWorld({ handlers: [operator] });
  await world.user.create(Widget, widget("a"));
  await world.settled();
  expect(world.logs.filter(({ data }) => "trace_id" in data)).toEqual([]);
});

describe("a provider that throws", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const methods = ["setAttribute", "setStatus", "end", "spanContext"] as const;
  const spanBut = (broken: string) =>
    Object.fromEntries(methods.map((name) => [name, name === broken ? boom : () => ({ traceId: "t", spanId: "s", traceFlags: 1 })]));

  test.for(["getTracer", "startSpan", "active", "with", ...methods])(
    "in %s loses traces but no pass, and is logged once",
    async (broken) => {
      const contexts = new AsyncContexts();
      if (broken === "active" || broken === "with") contexts[broken] = boom;
      context.setGlobalContextManager(contexts);
      const tracer = { startSpan: broken === "startSpan" ? boom : () => spanBut(broken) };
      trace.setGlobalTracerProvider({ getTracer: broken === "getTracer" ? boom : () => tracer } as never); // As far as it is asked.
      const world = await startWorld({ handlers: [operator] });
      await world.user.create(Widget, widget("a"));
      await world.user.create(Widget, widget("b", { size: 9 }));
      await world.settled();
      expect((await world.user.get(Widget, { name: "a", namespace: "default" }))?.status?.seen).toBe(1);
      const logged = world.logs.filter(({ data }) => String(data["error"]).includes("boom"));
      expect(logged).toEqual([expect.objectContaining({ level: "warn", text: "the provider of traces fails, so traces are incomplete" })]);
      expect(world.logs.filter(({ text }) => text.includes("bug of Treadle"))).toEqual([]);
    },
  );
});
