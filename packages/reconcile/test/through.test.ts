/** Reads that go through other reads: their order, their namespaces, what is fetched, and what a failure reports. */
import { defineResource, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step, through } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Harness, startHarness } from "./harness.ts";

const App = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  spec: z.object({ config: z.string().optional() }),
  status: z.object({ text: z.string().optional() }),
});
type App = ObjectOf<typeof App>;
const Shared = defineResource({
  group: "t.treadle.dev",
  version: "v1",
  kind: "Shared",
  scope: "Cluster",
  spec: z.object({ secret: z.string() }),
});

const app = (name: string, config?: string): object => ({
  metadata: { name, namespace: "default" },
  spec: config === undefined ? {} : { config },
});
const secret = (name: string, data: object, namespace = "default"): object => ({ metadata: { name, namespace }, data });
const b64 = (text: string): string => Buffer.from(text).toString("base64");
const unb64 = (text: string | undefined): string => Buffer.from(text ?? "", "base64").toString();

async function world(
  ...objects: readonly (readonly [typeof ConfigMap | typeof Secret | typeof Shared | typeof App, object])[]
): Promise<Harness> {
  const harness = await startHarness([App, Shared]);
  for (const [of, object] of objects) await harness.user.create(of as typeof ConfigMap, object as never);
  return harness;
}

const textOf = async (harness: Harness, name = "a"): Promise<unknown> =>
  (await harness.user.get(App, { name, namespace: "default" }))?.status?.text;

/** A Secret that names a Secret that names a Secret: each must be fetched before its data names the next one. */
const first = one(Secret, (object: App) => object.spec.config);
const second = one(
  Secret,
  through(first, (given) => (given.data?.["next"] === undefined ? undefined : unb64(given.data["next"]))),
);
const chain = handler(App)
  .step(conditions())
  .step(
    step(App, {
      name: "follow",
      reads: {
        third: one(
          Secret,
          through(second, (given) => unb64(given.data?.["next"])),
        ),
        second,
        first,
      },
      do: (req) => void (req.status.text = unb64(req.reads.third?.data?.["value"]) || "absent"),
    }),
  )
  .build();
const links = [
  [Secret, secret("one", { next: b64("two") })],
  [Secret, secret("two", { next: b64("three") })],
  [Secret, secret("three", { value: b64("end") })],
] as const;

test("a chain of fetched Secrets is followed, whatever the order of its names, with one GET for each", async () => {
  const harness = await world(...links, [App, app("a", "one")]);
  const operator = harness.operator(chain);
  await operator.pass("default/a");
  expect(await textOf(harness)).toBe("end");
  const gets = (): readonly string[] => harness.requests.filter((request) => request.startsWith("GET secrets/"));
  expect(gets()).toEqual(["GET secrets/one", "GET secrets/two", "GET secrets/three"]);
  await operator.pass("default/a");
  expect(gets(), "the next pass fetches nothing").toHaveLength(3);
});

test("a fetched object that a chain no longer names is released", async () => {
  const harness = await world(...links, [App, app("a", "one")]);
  const operator = harness.operator(chain);
  await operator.pass("default/a");
  await harness.user.patch(Secret, { name: "two", namespace: "default" }, { type: "merge", body: { data: { next: b64("none") } } });
  await operator.pass("default/a");
  expect(await textOf(harness)).toBe("absent");
  await harness.user.patch(Secret, { name: "two", namespace: "default" }, { type: "merge", body: { data: { next: b64("three") } } });
  harness.requests.length = 0;
  await operator.pass("default/a");
  expect(harness.requests).toContain("GET secrets/three");
});

test("a chain whose first object does not exist, or names nothing, is absent", async () => {
  const harness = await world([App, app("a", "one")], [App, app("b")], [App, app("c", "last")], [Secret, secret("last", {})]);
  const operator = harness.operator(chain);
  for (const key of ["a", "b", "c"]) await operator.pass(`default/${key}`);
  for (const key of ["a", "b", "c"]) expect(await textOf(harness, key)).toBe("absent");
});

test("live and unwatched reads are links of a chain, too, and are read again for each phase", async () => {
  const live = one(ConfigMap, (object: App) => object.spec.config, { live: true });
  const unwatched = one(
    ConfigMap,
    through(live, (map) => map.data?.["next"]),
    { watch: false },
  );
  const seen: (string | undefined)[] = [];
  const following = step(App, {
    name: "follow",
    reads: {
      end: one(
        Secret,
        through(unwatched, (map) => map.data?.["next"]),
      ),
      unwatched,
      live,
    },
    do: (req) => void seen.push(unb64(req.reads.end?.data?.["value"])),
    post: (req) => void seen.push(req.reads.unwatched?.metadata.name),
  });
  const harness = await world(
    [ConfigMap, { metadata: { name: "one", namespace: "default" }, data: { next: "two" } }],
    [ConfigMap, { metadata: { name: "two", namespace: "default" }, data: { next: "three" } }],
    [Secret, secret("three", { value: b64("end") })],
    [App, app("a", "one")],
  );
  await harness.operator(handler(App).step(following).build()).pass("default/a");
  expect(seen).toEqual(["end", "two"]);
  expect(harness.requests.filter((request) => request.startsWith("GET configmaps/"))).toEqual([
    "GET configmaps/one",
    "GET configmaps/two",
    "GET configmaps/one",
    "GET configmaps/two",
  ]);
});

test("a name that a cluster-scoped object gives means the namespace of the primary", async () => {
  const config = one(Shared, (object: App) => object.spec.config);
  const following = step(App, {
    name: "follow",
    reads: {
      config,
      secret: one(
        Secret,
        through(config, (shared) => shared.spec.secret),
        { metadata: true },
      ),
    },
    do: (req) => void (req.status.text = req.reads.secret?.metadata.namespace),
  });
  const harness = await world(
    [Shared, { metadata: { name: "one" }, spec: { secret: "s" } }],
    [Secret, secret("s", {})],
    [App, app("a", "one")],
  );
  await harness.operator(handler(App).step(following).build()).pass("default/a");
  expect(await textOf(harness)).toBe("default");
});

test.for<{ name: string; of: typeof ConfigMap | typeof Secret; ref: () => unknown; message: string }>([
  {
    name: "throws, over a cached object",
    of: ConfigMap,
    ref: () => {
      throw new Error("boom");
    },
    message: 'step "follow", read "end": boom',
  },
  {
    name: "throws, over a fetched object",
    of: Secret,
    ref: () => {
      throw new Error("boom");
    },
    message: 'step "follow", read "end": boom',
  },
  {
    name: "returns a promise",
    of: Secret,
    ref: async () => "x",
    message:
      'step "follow", read "end": one(Secret) of Secret one: the function returned a promise, which is neither a name nor a reference',
  },
  { name: "returns an invalid name", of: ConfigMap, ref: () => "a/b", message: '"a/b" is not a name' },
])("a function that $name fails the step by its name; a cleanup goes on without the read", async ({ of, ref, message }) => {
  const begin = one(of as typeof Secret, (object: App) => object.spec.config);
  const cleaned: unknown[] = [];
  const following = step(App, {
    name: "follow",
    conditions: ["Read"],
    reads: { begin, end: one(Secret, through(begin, ref as () => string)) },
    do: (req) => req.conditions.true("Read"),
    cleanup: (req) => void cleaned.push(req.reads.end),
  });
  const harness = await world([of, secret("one", {})], [App, { ...app("a", "one") }]);
  const operator = harness.operator(handler(App).step(conditions()).step(following).build());
  const result = await operator.pass("default/a");
  expect(result).toMatchObject({ outcome: { type: "failed", step: "follow" } });
  const stored = (await harness.user.get(App, { name: "a", namespace: "default" })) as KubernetesObject & {
    status?: { conditions?: readonly { type: string; message: string }[] };
  };
  expect(stored.status?.conditions?.find(({ type }) => type === "Read")?.message).toContain(message);
  await harness.user.delete(App, { name: "a", namespace: "default" });
  await operator.pass("default/a");
  expect(cleaned).toEqual([undefined]);
  expect(harness.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toEqual([
    expect.stringContaining("cleanup: cannot read end (Secret), which is taken to be absent"),
  ]);
});
