/** kubernetes-fluent-client, whose watches use HTTP/2. */
import { K8s, kind, RegisterKind } from "kubernetes-fluent-client";
import { refused, same, step, until } from "./steps.mjs";

const namespace = "fluent-client";
const maps = () => K8s(kind.ConfigMap).InNamespace(namespace);
const map = (name, data = { a: "1" }, labels = {}) => ({ metadata: { name, namespace, labels }, data });
const isAbsent = (name) =>
  maps()
    .Get(name)
    .then(
      () => false,
      ({ status }) => status === 404,
    );

async function objects() {
  await step("create and read", async () => {
    await K8s(kind.ConfigMap).Create(map("one", { a: "1" }, { app: "one" }));
    same((await maps().Get("one")).data, { a: "1" });
  });
  await step("apply", async () =>
    same((await K8s(kind.ConfigMap).Apply(map("one", { b: "1" }, { app: "one" }), { force: true })).data, { a: "1", b: "1" }),
  );
  await step("JSON patch", async () => {
    const operations = [{ op: "add", path: "/data/c", value: "1" }];
    same((await K8s(kind.ConfigMap, { namespace, name: "one" }).Patch(operations)).data.c, "1");
  });
  await step("selectors", async () => {
    await K8s(kind.ConfigMap).Create(map("two"));
    same(
      (await maps().WithLabel("app", "one").Get()).items.map(({ metadata }) => metadata.name),
      ["one"],
    );
    same((await maps().WithField("metadata.name", "two").Get()).items.length, 1);
  });
  await step("404", () => refused(404, maps().Get("absent")));
  await step("409", () => refused(409, K8s(kind.ConfigMap).Create(map("one"))));
  await step("scale", async () => {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } };
    await K8s(kind.Deployment).Apply({
      metadata: { name: "web", namespace },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    await K8s(kind.Deployment).InNamespace(namespace).Scale(3, "web");
    same((await K8s(kind.Deployment).InNamespace(namespace).Get("web")).spec.replicas, 3);
  });
}

class Widget {}
RegisterKind(Widget, { group: "example.dev", version: "v1", kind: "Widget" });

async function customKind() {
  const widget = { metadata: { name: "one", namespace }, spec: { size: 3 } };
  await step("status of a custom kind", async () => {
    await K8s(Widget).Apply(widget);
    same((await K8s(Widget).PatchStatus({ ...widget, status: { ready: true } })).status, { ready: true });
  });
  await step("a finalizer is added and removed", async () => {
    const one = () => K8s(Widget).InNamespace(namespace);
    await one().Finalize("add", "example.dev/fluent", "one");
    await one().Delete("one");
    same((await one().Get("one")).metadata.finalizers, ["example.dev/fluent"]);
    await one().Finalize("remove", "example.dev/fluent", "one");
    await until("no Widget", () =>
      one()
        .Get("one")
        .then(
          () => false,
          ({ status }) => status === 404,
        ),
    );
  });
}

async function watches() {
  await step("watch", async () => {
    const seen = [];
    const watcher = maps().Watch(({ metadata }, phase) => void seen.push(`${phase} ${metadata.name}`));
    await watcher.start();
    try {
      await until("the present state", () => seen.includes("ADDED one"));
      await K8s(kind.ConfigMap).Create(map("watched"));
      await K8s(kind.ConfigMap, { namespace, name: "watched" }).Patch([{ op: "add", path: "/data/b", value: "1" }]);
      await maps().Delete("watched");
      const ofIt = () => seen.filter((line) => line.endsWith(" watched"));
      await until("the events", () => ofIt().length >= 3);
      same(ofIt(), ["ADDED watched", "MODIFIED watched", "DELETED watched"]);
    } finally {
      watcher.close();
    }
  });
  await step("delete", async () => {
    await maps().Delete("one");
    await until("no object", () => isAbsent("one"));
  });
}

await K8s(kind.Namespace).Create({ metadata: { name: namespace } });
for (const part of [objects, customKind, watches]) await part();
process.exit();
