/** Watches and informers of the official client for JavaScript. */
import * as k8s from "@kubernetes/client-node";
import { same, step, until } from "./steps.mjs";

export async function watches({ config, core, namespace, create, patch }) {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const change = async (name) => {
    await create(name);
    await patch(name, { data: { b: "1" } }, k8s.PatchStrategy.MergePatch);
    await core.deleteNamespacedConfigMap({ namespace, name });
  };
  const version = async () => (await core.listNamespacedConfigMap({ namespace })).metadata.resourceVersion;
  /** Resolves with the events until `isLast`, or with those of a watch that ends. */
  const follow = (where, query, isLast) =>
    new Promise((resolve, reject) => {
      const seen = [];
      let controller;
      const each = (type, object) => {
        seen.push({ type, object });
        if (isLast(seen.at(-1))) controller.then((opened) => opened.abort());
      };
      const done = (error) =>
        error === null || error?.name === "AbortError" || error === k8s.Watch.SERVER_SIDE_CLOSE ? resolve(seen) : reject(error);
      controller = new k8s.Watch(config).watch(where, query, each, done);
      controller.catch(reject);
    });
  const named = (events) => events.map(({ type, object }) => `${type} ${object.metadata.name}`);

  await step("watch from a version", async () => {
    const resourceVersion = await version();
    await change("watched");
    const events = await follow(path, { resourceVersion }, ({ type }) => type === "DELETED");
    same(named(events), ["ADDED watched", "MODIFIED watched", "DELETED watched"]);
  });
  await step("watch with a selector: an object that leaves it is deleted", async () => {
    const resourceVersion = await version();
    await create("leaves", {}, { labels: { selected: "yes" } });
    await patch("leaves", { metadata: { labels: { selected: "no" } } }, k8s.PatchStrategy.MergePatch);
    const events = await follow(path, { resourceVersion, labelSelector: "selected=yes" }, ({ type }) => type === "DELETED");
    same(named(events), ["ADDED leaves", "DELETED leaves"]);
  });
  await step("watch that begins with the state, and a bookmark", async () => {
    const query = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true, labelSelector: "page" };
    const events = await follow(path, query, ({ type }) => type === "BOOKMARK");
    same(
      events.map(({ type }) => type),
      ["ADDED", "ADDED", "ADDED", "ADDED", "ADDED", "BOOKMARK"],
    );
    same(events.at(-1).object.metadata.annotations, { "k8s.io/initial-events-end": "true" });
  });
  await step("watch that ends at its timeout", async () => {
    const events = await follow(path, { resourceVersion: await version(), timeoutSeconds: 1 }, () => false);
    same(events, []);
  });
  await step("a list and a watch of an expired version get 410", async () => {
    const event = (name) => ({ namespace, body: { metadata: { name }, involvedObject: { namespace } } });
    const { resourceVersion } = (await core.createNamespacedEvent(event("old"))).metadata;
    let count = 0;
    const list = () =>
      core.listNamespacedEvent({ namespace, resourceVersion, resourceVersionMatch: "Exact" }).then(
        () => 200,
        ({ code }) => code,
      );
    await until("the version expires", async () => {
      await core.createNamespacedEvent(event(`newer-${++count}`));
      return (await list()) !== 200;
    });
    same(await list(), 410);
    const events = await follow(`/api/v1/namespaces/${namespace}/events`, { resourceVersion }, ({ type }) => type === "ERROR");
    same(
      events.map(({ object }) => object.code),
      [410],
    );
  });
  await step("informer", () => informer());

  async function informer() {
    const made = k8s.makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
    const seen = [];
    for (const verb of ["add", "update", "delete"]) made.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata.name}`));
    await made.start();
    try {
      await until("the list of the informer", () => seen.includes("add one"));
      await change("informed");
      const ofIt = () => seen.filter((line) => line.endsWith(" informed"));
      await until("the events of the informer", () => ofIt().length >= 3);
      same(ofIt(), ["add informed", "update informed", "delete informed"]);
      same(made.get("one", namespace)?.metadata.name, "one");
    } finally {
      await made.stop();
    }
  }
}
