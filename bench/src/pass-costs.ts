/**
 * What passes cost that find nothing to do, in one checkout of Treadle: `pass-costs.ts DIRECTORY`. Prints one line of JSON:
 * `passUs` for a handler with three steps, and `dependentUs` for a dependent that is as desired, in microseconds of the processor.
 * The packages are loaded from the directory by their paths, so that one program measures an older checkout as well.
 */
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { z } from "zod";

type Treadle = typeof import("treadle");
interface Engine {
  createReconciler(built: unknown, env: object): { pass(ref: Ref): Promise<unknown> };
}
interface Machinery {
  readonly systemClock: object;
}
interface Server {
  createApiServer(options: object): { transport(): never };
}
interface Ref {
  readonly namespace: string;
  readonly name: string;
}
interface PlainObject {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}
interface Selection {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

const DEPENDENTS = 10;
const WARM_UP = 3_000;
const ROUNDS = 5_000;

const directory = process.argv[2] ?? ".";
const load = async (path: string): Promise<unknown> => await import(pathToFileURL(`${directory}/packages/${path}`).href);
const { conditions, createClient, defineResource, dependentApply, handler, one, step } = (await load("treadle/src/index.ts")) as Treadle;
const { ConfigMap, Namespace, Secret } = (await load("apimachinery/src/kinds.ts")) as typeof import("treadle/kinds");
const { systemClock } = (await load("apimachinery/src/index.ts")) as Machinery;
const { createApiServer } = (await load("apiserver/src/index.ts")) as Server;
const { createReconciler } = await engine();

const spec = z.object({ size: z.int32(), text: z.string() });
const common = { group: "bench.treadle.dev", version: "v1", scope: "Namespaced", spec } as const;
const Widget = defineResource({ ...common, kind: "Widget", status: z.object({ size: z.int32().optional() }), dependents: true });

const server = createApiServer({ clock: systemClock, resources: [Widget] });
const client = createClient({ transport: server.transport(), clock: systemClock as never, fieldManager: "bench" });
await client.create(Namespace, { metadata: { name: "ns" } });

/** As the store of an informer: frozen objects by kind and name. */
const objects = new Map<string, PlainObject>();
const keyOf = (kind: string, { namespace, name }: Partial<Ref>): string => `${kind} ${namespace ?? ""}/${name}`;
const put = (object: object): void => {
  const { kind, metadata } = object as PlainObject;
  objects.set(keyOf(kind, metadata), freeze(object as PlainObject));
};
const env = {
  client,
  clock: systemClock,
  log: { debug() {}, info() {}, warn: console.warn, error: console.error },
  observeWrite: put,
  observeOther: (_kind: unknown, object: object) => put(object),
  cache: {
    get: ({ kind }: { readonly kind: string }, ref: Ref) => objects.get(keyOf(kind, ref)),
    list: ({ kind }: { readonly kind: string }, { matchLabels = {} }: Selection = {}) => {
      const wanted = Object.entries(matchLabels);
      return [...objects.values()].filter(
        (object) => object.kind === kind && wanted.every(([key, value]) => object.metadata.labels?.[key] === value),
      );
    },
  },
};

const steps = ["one", "two", "three"].map((name) =>
  step(Widget, {
    name,
    conditions: [`Done${name}`],
    reads: { secret: one(Secret, () => "s") },
    do(req) {
      if (req.object.status?.size !== req.object.spec.size) req.status.size = req.object.spec.size;
      req.conditions.true(`Done${name}`);
    },
    post() {},
  }),
);
const dependents = Array.from({ length: DEPENDENTS }, (_, index) =>
  dependentApply(Widget, {
    name: `part${index}`,
    kind: ConfigMap,
    objectName: ({ metadata }) => `${metadata.name}-part${index}`,
    desired: ({ metadata, spec: { text } }) => ({ metadata: { labels: { of: metadata.name } }, data: { text, more: "x".repeat(500) } }),
  }),
);
const withSteps = await settled(
  "steps",
  steps.reduce((builder, each) => builder.step(each), handler(Widget, { name: "steps.bench.treadle.dev" }).step(conditions())).build(),
);
const withNone = await settled(
  "none",
  handler(Widget, { name: "none.bench.treadle.dev" })
    .step(conditions({ ready: false }))
    .build(),
);
const withMany = await settled(
  "many",
  dependents
    .reduce((builder, each) => builder.step(each), handler(Widget, { name: "many.bench.treadle.dev" }).step(conditions({ ready: false })))
    .build(),
);
const passUs = await microseconds(withSteps, 20_000);
const dependentUs = ((await microseconds(withMany)) - (await microseconds(withNone))) / DEPENDENTS;
console.log(JSON.stringify({ passUs, dependentUs }));

/** An earlier checkout exports it elsewhere. */
async function engine(): Promise<Engine> {
  const unstable = "reconcile/src/unstable/engine.ts";
  const found = existsSync(`${directory}/packages/${unstable}`) ? ((await load(unstable)) as Partial<Engine>) : {};
  return found.createReconciler === undefined ? ((await load("reconcile/src/index.ts")) as Engine) : (found as Engine);
}

/** An object that its handler has brought to where a pass finds nothing to do. */
async function settled(name: string, built: unknown): Promise<() => Promise<unknown>> {
  put(await client.create(Widget, { metadata: { name, namespace: "ns" }, spec: { size: 1, text: "text ".repeat(40) } }));
  const reconciler = createReconciler(built, env);
  const ref = { namespace: "ns", name };
  for (let pass = 0; pass < 5; pass++) await reconciler.pass(ref);
  return () => reconciler.pass(ref);
}

/** Of the processor, so that other programs on the machine do not count. */
async function microseconds(pass: () => Promise<unknown>, rounds: number = ROUNDS): Promise<number> {
  for (let round = 0; round < WARM_UP; round++) await pass();
  const started = process.cpuUsage();
  for (let round = 0; round < rounds; round++) await pass();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / rounds;
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}
