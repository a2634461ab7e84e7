/** Namespaces that change while an informer runs. */
import { createApiServer } from "@treadle/apiserver";
import { fakeClock, kind, type ObjectOf, seededRandom } from "@treadle/apimachinery";
import { Namespace } from "@treadle/apimachinery/kinds";
import { createClient } from "@treadle/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createInformer, createInformers, type InformerEvent } from "../src/index.ts";
import { added, apiError, bookmark, deleted, modified, type Rig, rig, type Stream, widget, Widget } from "./scripted.ts";

const here = (name: string, version: number, namespace: string) => widget(name, version, { namespace, uid: `uid-${namespace}-${name}` });

/** A started informer of the namespaces `x` and `y`, with one object in each. */
async function running(): Promise<Rig & { readonly streams: Record<"x" | "y", Stream> }> {
  const made = rig({ namespaces: ["x", "y"] });
  made.informer.start();
  await made.settle();
  const [x, y] = ["x", "y"].map((namespace) => made.watch().open(added(here("a", 1, namespace)), bookmark(5, true)));
  await made.settle();
  made.events();
  return { ...made, streams: { x: x as Stream, y: y as Stream } };
}

const shown = ({ informer }: Rig): string[] =>
  informer.list().map(({ metadata }) => `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`);

test("objects of a removed namespace are reported as deleted and unwatched, and its watch ends", async () => {
  const r = await running();
  const events: InformerEvent<unknown>[] = [];
  r.informer.onEvent((event) => void (event.type === "added" ? undefined : events.push(event)));
  r.streams.y.send(modified(here("a", 6, "y")));
  await r.informer.setNamespaces(["x"]);
  r.streams.y.send(deleted(here("a", 7, "y")));
  await r.settle();
  expect(events).toEqual([{ type: "deleted", object: here("a", 1, "y"), unwatched: true }]);
  expect(shown(r)).toEqual(["x/a@1"]);
  expect(r.streams.y.isClosed).toBe(true);
  expect([r.informer.covers("x"), r.informer.covers("y")]).toEqual([true, false]);
  expect(() => r.informer.get({ name: "a", namespace: "y" })).toThrow("not watched");
  r.streams.x.send(modified(here("a", 8, "x")));
  await r.settle();
  expect(shown(r)).toEqual(["x/a@8"]);
  await r.informer.stop();
});

test("an added namespace cannot be read before it is listed, and objects of the others are not reported again", async () => {
  const r = await running();
  const done: string[] = [];
  void r.informer.setNamespaces(["x", "y", "z"]).then(() => done.push("listed"));
  await r.settle();
  expect(r.informer.hasSynced).toBe(true);
  expect(r.informer.covers("z")).toBe(false);
  expect(() => r.informer.get({ name: "a", namespace: "z" })).toThrow("not listed yet");
  expect(shown(r)).toHaveLength(2);
  r.watch().fail(apiError(403));
  await r.settle();
  expect([r.informer.covers("z"), done]).toEqual([false, []]);
  r.informer.retry();
  await r.settle();
  r.list().answer({ apiVersion: "v1", kind: "List", metadata: { resourceVersion: "9" }, items: [here("a", 9, "z")] });
  await r.settle();
  expect(done).toEqual(["listed"]);
  expect(r.events()).toEqual(["added a@9 (initial)"]);
  expect(r.informer.get({ name: "a", namespace: "z" })).toMatchObject(here("a", 9, "z"));
  await r.informer.stop();
});

test("after a change from some namespaces to all, known objects stay readable, and the list reports the others", async () => {
  const r = await running();
  const listed = r.informer.setNamespaces(undefined);
  await r.settle();
  expect([r.informer.covers("x"), r.informer.covers("z")]).toEqual([true, false]);
  expect(shown(r)).toEqual(["x/a@1", "y/a@1"]);
  r.watch().open(added(here("a", 1, "x")), added(here("b", 7, "z")), bookmark(8, true));
  await listed;
  expect(r.events()).toEqual(["added b@7 (initial)", "deleted a@1"]);
  expect(shown(r)).toEqual(["x/a@1", "z/b@7"]);
  const narrowed = r.informer.setNamespaces(["x"]);
  expect(r.events()).toEqual(["deleted b@7"]);
  expect(r.informer.get({ name: "a", namespace: "x" })).toBeDefined();
  await r.settle();
  expect(r.watch().options).toMatchObject({ namespace: "x" });
  void narrowed.catch(() => undefined);
  await r.informer.stop();
});

test("an unconfirmed write in a removed namespace is dropped, and no list is requested for it", async () => {
  const r = await running();
  const done = r.informer.expectWrite({ name: "a", namespace: "y" });
  r.streams.y.send(modified(here("a", 6, "y")));
  await r.settle();
  await r.informer.setNamespaces(["x"]);
  r.informer.observeWrite(here("a", 7, "y"));
  done();
  await r.settle();
  expect(r.events()).toEqual(["deleted a@1"]);
  expect(shown(r)).toEqual(["x/a@1"]);
  for (let i = 0; i < 8; i++) {
    r.streams.x.send(bookmark(10 + i));
    await r.clock.advance(30_000);
  }
  expect(r.waiting).toEqual([]);
  await r.informer.stop();
});

test("the last of several setNamespaces calls counts and each resolves; stop rejects them; an empty list is refused", async () => {
  const r = await running();
  const done: string[] = [];
  for (const namespaces of [
    ["x", "z"],
    ["x", "w"],
    ["x", "y", "z"],
  ]) {
    void r.informer.setNamespaces(namespaces).then(
      () => done.push(namespaces.join()),
      (error: Error) => done.push(error.message),
    );
  }
  await r.settle();
  const asked = r.waiting.map(({ options }) => (options as { namespace?: string }).namespace);
  // The requests of removed namespaces were aborted.
  const open = r.waiting
    .filter(({ options }) => options.signal?.aborted === false)
    .map(({ options }) => (options as { namespace?: string }).namespace);
  expect([new Set(asked), open]).toEqual([new Set(["z", "w", "y"]), ["y", "z"]]);
  expect(done).toEqual(["x,z", "x,w"]);
  expect(() => r.informer.setNamespaces([])).toThrow("namespaces is empty");
  await r.informer.stop();
  await r.settle();
  expect(done).toEqual(["x,z", "x,w", "the informer of Widget was stopped"]);
});

test("the namespaces of all informers change together, except those of an informer that names its own", async () => {
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(1), resources: [Widget] });
  const client = createClient({ transport: server.transport(), clock });
  const informers = createInformers({ client, clock, random: seededRandom(1), namespaces: ["x"] });
  const [common, own] = [informers.for(Widget), informers.for(Widget, { namespaces: ["x"] })];
  expect(common).not.toBe(own);
  informers.startAll();
  await informers.synced();
  await informers.setNamespaces(["y"]);
  const later = informers.for(kind({ ...Widget, version: "v1beta1" }));
  expect([common, own, later].map((informer) => [informer.covers("x"), informer.covers("y")])).toEqual([
    [false, true],
    [true, false],
    [false, true],
  ]);
  await informers.stop();
  expect(server.watchCount).toBe(0);
});

/**
 * For any order of changes of namespaces and objects:
 * 1. Handlers can keep a copy, and no event is reported twice.
 * 2. At the end exactly the objects of the last namespaces are shown.
 * 3. No deletion is reported of an object that exists.
 */
test("after any sequence of namespace changes the store has the server's objects in the last namespaces", { tags: ["part"] }, async ({
  part,
}) => {
  const namespace = fc.constantFrom("x", "y", "z");
  const step = fc.oneof(
    fc.record({
      type: fc.constant("namespaces" as const),
      namespaces: fc.option(fc.uniqueArray(namespace, { minLength: 1 }), { nil: undefined }),
    }),
    fc.record({ type: fc.constant("write" as const), namespace }),
    fc.record({ type: fc.constant("delete" as const), namespace }),
    fc.record({ type: fc.constant("wait" as const), turns: fc.nat(6) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const clock = fakeClock();
      const server = createApiServer({ clock, random: seededRandom(1), resources: [Widget] });
      const client = createClient({ transport: server.transport(), clock });
      for (const name of ["x", "y", "z"]) await client.create(Namespace, { metadata: { name } });
      let writes = 0;
      const informer = createInformer({ client, kind: Widget, clock, random: seededRandom(1), namespaces: ["x"] });
      const copy = new Map<string, ObjectOf<typeof Widget>>();
      const problems: string[] = [];
      const living = new Set<string>();
      informer.onEvent((event) => {
        const { namespace: of, uid = "" } = event.object.metadata;
        const key = `${of}`;
        if ((event.type === "added") === copy.has(key)) problems.push(`${event.type} ${key} twice`);
        if (event.type === "deleted" && event.unwatched !== true && living.has(uid)) problems.push(`${key} lives`);
        if (event.type === "deleted") copy.delete(key);
        else copy.set(key, event.object);
      });
      informer.start();
      let last: readonly string[] | undefined = ["x"];
      const ref = (of: string) => ({ name: "a", namespace: of });
      for (const given of steps) {
        if (given.type === "namespaces") {
          last = given.namespaces;
          void informer.setNamespaces(given.namespaces);
        } else if (given.type === "write") {
          const stored = await client.get(Widget, ref(given.namespace));
          const metadata = ref(given.namespace);
          const written =
            stored === undefined
              ? await client.create(Widget, { apiVersion: "example.dev/v1", kind: "Widget", metadata })
              : await client.update(Widget, { ...stored, spec: { n: ++writes } });
          living.add(written.metadata.uid ?? "");
        } else if (given.type === "delete") {
          const stored = await client.get(Widget, ref(given.namespace));
          if (stored !== undefined) {
            living.delete(stored.metadata.uid ?? "");
            await client.delete(Widget, ref(given.namespace));
          }
        } else {
          for (let i = 0; i < given.turns; i++) await clock.advance(0);
        }
        expect(problems).toEqual([]);
      }
      for (let i = 0; i < 10; i++) await clock.advance(1_000);
      const wanted: readonly string[] = last ?? ["x", "y", "z"];
      const stored = (await client.list(Widget)).items
        .map(({ metadata }) => metadata)
        .filter(({ namespace: of = "" }) => wanted.includes(of));
      const versions = (all: Iterable<ObjectOf<typeof Widget>["metadata"]>): string[] =>
        [...all].map((of) => `${of.namespace}@${of.resourceVersion}`).sort();
      expect(versions(informer.list().map(({ metadata }) => metadata))).toEqual(versions(stored));
      expect(versions([...copy.values()].map(({ metadata }) => metadata))).toEqual(versions(stored));
      expect(problems).toEqual([]);
      await informer.stop();
      for (let i = 0; i < 4; i++) await clock.advance(0);
      expect(server.watchCount).toBe(0);
    }),
    part.runs(60),
  );
});
