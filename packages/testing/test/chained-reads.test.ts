/** Reads that go through other reads, with real informers: which changes trigger which passes, in an operator and in `fakeWorld`. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { rbacManifests } from "@treadle/controller";
import { conditions, handler, one, step, through } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeReq, fakeWorld, startTestCluster, type TestEnvironment, type UserActions } from "../src/index.ts";

const App = defineResource({
  group: "chains.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  spec: z.object({ config: z.string() }),
  status: z.object({ text: z.string().optional() }),
});
const StoreConfig = defineResource({
  group: "chains.treadle.dev",
  version: "v1",
  kind: "StoreConfig",
  scope: "Namespaced",
  spec: z.object({ secret: z.string() }),
});
const b64 = (text: string): string => Buffer.from(text).toString("base64");
const unb64 = (text: string | undefined): string => Buffer.from(text ?? "", "base64").toString();

const config = one(StoreConfig, (app: ObjectOf<typeof App>) => app.spec.config);
const secretOf = one(
  Secret,
  through(config, (store) => store.spec.secret),
);

const copying = step(App, {
  name: "copy",
  conditions: ["Copied"],
  reads: {
    config,
    secret: secretOf,
    greeting: one(
      ConfigMap,
      through(secretOf, (secret) => unb64(secret.data?.["greeting"])),
    ),
  },
  do(req) {
    const { secret, greeting } = req.reads;
    req.status.text = [unb64(secret?.data?.["value"]) || "none", greeting?.data?.["text"] ?? "none"].join(" ");
    req.conditions.true("Copied");
  },
});
const copier = handler(App).step(conditions()).step(copying).build();

const app = (name: string, of: string): object => ({
  apiVersion: "chains.treadle.dev/v1",
  kind: "App",
  metadata: { name, namespace: "default" },
  spec: { config: of },
});
const store = (name: string, secret: string): object => ({
  apiVersion: "chains.treadle.dev/v1",
  kind: "StoreConfig",
  metadata: { name, namespace: "default" },
  spec: { secret },
});
const secret = (name: string, value: string, greeting = "hello"): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default" },
  data: { value: b64(value), greeting: b64(greeting) },
});
const map = (name: string, text: string): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { text },
});

const objects = [
  app("a", "c1"),
  app("b", "c1"),
  app("c", "c2"),
  store("c1", "s1"),
  store("c2", "s2"),
  secret("s1", "1"),
  secret("s2", "2"),
  map("hello", "hi"),
];

/** What a story needs of an operator: a real one, or `fakeWorld`. */
interface Stage extends Pick<TestEnvironment, "get" | "list" | "requests">, Pick<UserActions, "apply" | "update" | "delete"> {
  settled(): Promise<void>;
  readonly passes: readonly { readonly key: string }[];
  close(): Promise<void>;
}

const stages = {
  "an operator": async (): Promise<Stage> => {
    const cluster = await startTestCluster({ objects, kinds: [StoreConfig] });
    const op = await cluster.start(copier);
    return {
      get: (kind, key) => cluster.get(kind, key),
      list: (kind, namespace) => cluster.list(kind, namespace),
      apply: (manifest) => cluster.apply(manifest),
      update: (kind, key, change) => cluster.update(kind, key, change),
      delete: (kind, key) => cluster.delete(kind, key),
      requests: cluster.requests,
      settled: () => op.settled(),
      passes: op.passes,
      close: async () => await cluster[Symbol.asyncDispose](),
    };
  },
  fakeWorld: async (): Promise<Stage> => {
    const world = fakeWorld(copier, { objects });
    return Object.assign(world, { close: async () => undefined });
  },
};

describe.for(Object.entries(stages))("in %s", ([, begin]) => {
  test("a change of each link triggers passes of those that it concerns, and of no others", async () => {
    const stage = await begin();
    try {
      await stage.settled();
      let seen = 0;
      const passed = async (): Promise<readonly string[]> => {
        await stage.settled();
        const since = stage.passes.slice(seen).map(({ key }) => key);
        seen = stage.passes.length;
        return [...new Set(since)].toSorted();
      };
      const texts = async (): Promise<readonly unknown[]> => (await stage.list(App)).map(({ status }) => status?.text);
      await passed();
      expect(await texts()).toEqual(["1 hi", "1 hi", "2 hi"]);

      await stage.update(Secret, "s1", (object) => void (object.data = { ...object.data, value: b64("one") }));
      expect(await passed(), "the Secret that a and b name through c1").toEqual(["default/a", "default/b"]);
      expect(await texts()).toEqual(["one hi", "one hi", "2 hi"]);

      await stage.update(ConfigMap, "hello", (object) => void (object.data = { text: "welcome" }));
      expect(await passed(), "the ConfigMap that all name through their Secrets").toEqual(["default/a", "default/b", "default/c"]);

      await stage.update(StoreConfig, "c1", (object) => void (object.spec.secret = "s2"));
      expect(await passed(), "the config, which now names another Secret").toEqual(["default/a", "default/b"]);
      expect(await texts()).toEqual(["2 welcome", "2 welcome", "2 welcome"]);

      await stage.update(Secret, "s1", (object) => void (object.data = { ...object.data, value: b64("old") }));
      expect(await passed(), "the Secret that no config names any more").toEqual([]);
      await stage.update(Secret, "s2", (object) => void (object.data = { ...object.data, value: b64("two") }));
      expect(await passed(), "the Secret that both configs name now").toEqual(["default/a", "default/b", "default/c"]);

      await stage.delete(Secret, "s2");
      expect(await passed()).toEqual(["default/a", "default/b", "default/c"]);
      expect(await texts()).toEqual(["none none", "none none", "none none"]);
      await stage.apply(secret("s2", "new"));
      expect(await passed(), "the Secret, which exists again").toEqual(["default/a", "default/b", "default/c"]);
      expect(await texts()).toEqual(["new welcome", "new welcome", "new welcome"]);

      await stage.delete(StoreConfig, "c2");
      expect(await passed()).toEqual(["default/c"]);
      await stage.update(Secret, "s2", (object) => void (object.data = { ...object.data, value: b64("more") }));
      expect(await passed(), "a deleted config names nothing").toEqual(["default/a", "default/b"]);

      await stage.delete(App, "a");
      await passed();
      await stage.update(Secret, "s2", (object) => void (object.data = { ...object.data, value: b64("last") }));
      expect(await passed(), "a deleted primary gets no pass").toEqual(["default/b"]);
    } finally {
      await stage.close();
    }
  });

  test("a settled chain costs no request", async () => {
    const stage = await begin();
    try {
      await stage.settled();
      stage.requests.clear();
      await stage.update(StoreConfig, "c1", (object) => void (object.metadata.labels = { some: "label" }));
      await stage.settled();
      const asked = stage.requests.filter().map(({ verb, resource }) => `${verb} ${resource}`);
      expect(asked.filter((request) => request.endsWith("secrets") || request.endsWith("apps"))).toEqual([]);
    } finally {
      await stage.close();
    }
  });
});

test("the rights of a chain follow from its reads", () => {
  const rules = JSON.stringify(rbacManifests(copier, { name: "chains", namespace: "system" }));
  for (const resource of ["storeconfigs", "secrets", "configmaps"]) expect(rules).toContain(resource);
});

test("fakeReq follows a chain", { tags: ["memory"] }, async () => {
  const req = fakeReq(App, { spec: { config: "c1" } }, { objects: [store("c1", "s1"), secret("s1", "1"), map("hello", "hi")] });
  await req.run(copying);
  expect(req.status.text).toBe("1 hi");
});
