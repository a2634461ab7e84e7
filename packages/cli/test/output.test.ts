/** What users see: text at 80 and 40 columns, in a pipe, with colours, and JSON. */
import { ConfigMap, Deployment, Pod } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { treadle } from "./fake-terminal.ts";
import { pods, Shop, shops } from "./shop.ts";

const memory = { tags: ["memory"] };

/** A shop whose database cannot pull its image. */
async function brokenShop(): Promise<TestCluster> {
  const cluster = await startTestCluster({ workloads: true, https: true });
  cluster.workloads.pods.fail("ErrImagePull", { matchLabels: { app: "a-database" } });
  await cluster.start(shops);
  await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
  await cluster.settled();
  await cluster.advance(270_000);
  return cluster;
}

test("explain names cause, objects, last error, next attempt and advice in 80 columns", memory, async () => {
  await using cluster = await brokenShop();
  expect((await treadle(cluster, "explain shop/a", { columns: 80 })).out).toMatchInlineSnapshot(`
    "Shop default/a is not ready: Pod default/a-database-79f7584655-kvzp9 cannot pull
    the image "web:1" of its container main: failed to pull and unpack image
    "web:1": not found.

    What is not ready:
      Shop default/a: Pending, NotAvailable since 4m31s: step "database": 0 of 1
        replicas are available
        Deployment default/a-database (step database): Pending, ErrImagePull since
          4m31s: 0 of 1 replicas are available
          ReplicaSet default/a-database-79f7584655: Pending, ErrImagePull since
            4m31s: 0 of 1 replicas are available
            Pod default/a-database-79f7584655-kvzp9: Pending, ErrImagePull since
              4m31s: container main: failed to pull and unpack image "web:1": not
              found
        Deployment default/a-web (step web): Pending, WaitingForDependency since
          4m31s: waiting for database

    Last error: Failed to pull image "web:1": failed to pull and unpack image
    "web:1": not found (last 4m30s ago, event of Pod
    default/a-database-79f7584655-kvzp9).

    Next attempt: the kubelet tries again by itself, with pauses of up to 5 minutes.

    What you can do:
      - Correct the image, or give the pod a pull secret of its registry.
      - See its events:
        \`kubectl describe pod a-database-79f7584655-kvzp9 -n default\`.
    "
  `);
});

test("explain fits into 40 columns", memory, async () => {
  await using cluster = await brokenShop();
  const { out } = await treadle(cluster, "explain shop/a", { columns: 40 });
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
  expect(out).toMatchInlineSnapshot(`
    "Shop default/a is not ready: Pod
    default/a-database-79f7584655-kvzp9
    cannot pull the image "web:1" of its
    container main: failed to pull and
    unpack image "web:1": not found.

    What is not ready:
      Shop default/a: Pending,
        NotAvailable since 4m31s: step
        "database": 0 of 1 replicas are
        available
        Deployment default/a-database
          (step database): Pending,
          ErrImagePull since 4m31s: 0 of 1
          replicas are available
          ReplicaSet
            default/a-database-79f7584655:
            Pending, ErrImagePull since
            4m31s: 0 of 1 replicas are
            available
            Pod default/a-database-79f7584
              655-kvzp9: Pending,
              ErrImagePull since 4m31s:
              container main: failed to pull
              and unpack image "web:1": not
              found
        Deployment default/a-web (step
          web): Pending,
          WaitingForDependency since 4m31s:
          waiting for database

    Last error: Failed to pull image
    "web:1": failed to pull and unpack image
    "web:1": not found (last 4m30s ago,
    event of Pod
    default/a-database-79f7584655-kvzp9).

    Next attempt: the kubelet tries again by
    itself, with pauses of up to 5 minutes.

    What you can do:
      - Correct the image, or give the pod a
        pull secret of its registry.
      - See its events:
        \`kubectl describe pod
        a-database-79f7584655-kvzp9 -n
        default\`.
    "
  `);
});

test("explain breaks no line in a pipe, and has no colours", memory, async () => {
  await using cluster = await brokenShop();
  const { out } = await treadle(cluster, "explain shop a");
  expect(out.split("\n")[0]).toMatch(/^Shop default\/a is not ready: Pod .*: not found\.$/);
  expect(out).not.toContain("\u001B");
});

test("explain has colours on a terminal that has them", memory, async () => {
  await using cluster = await brokenShop();
  const { out } = await treadle(cluster, "explain shop/a", { columns: 80, hasColors: true });
  expect(out).toContain("\u001B[31mShop default/a is not ready");
});

test("tree shows steps and dependents with health and age in 80 columns", memory, async () => {
  await using cluster = await brokenShop();
  expect((await treadle(cluster, "tree shop/a", { columns: 80 })).out).toMatchInlineSnapshot(`
    "Shop default/a
      Pending (NotAvailable) 4m31s
      step "database": 0 of 1 replicas are available
    ├─ step settings
    │  └─ ConfigMap a
    │       Ready 4m31s
    ├─ step database
    │  └─ Deployment a-database
    │       Pending (ErrImagePull) 4m31s
    │       0 of 1 replicas are available
    │     └─ ReplicaSet a-database-79f7584655
    │          Pending (ErrImagePull) 4m31s
    │          0 of 1 replicas are available
    │        └─ Pod a-database-79f7584655-kvzp9
    │             Pending (ErrImagePull) 4m31s
    │             container main: failed to pull and unpack image "web:1": not found
    └─ step web
       └─ Deployment a-web
            Pending (WaitingForDependency) 4m31s
            waiting for database
    "
  `);
});

test("tree has two lines for each object in 40 columns", memory, async () => {
  await using cluster = await brokenShop();
  const { out } = await treadle(cluster, "tree shop/a", { columns: 40 });
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
  expect(out).toMatchInlineSnapshot(`
    "Shop default/a
      Pending (NotAvailable) 4m31s
      step "database": 0 of 1 replicas are
      available
    ├─ step settings
    │  └─ ConfigMap a
    │       Ready 4m31s
    ├─ step database
    │  └─ Deployment a-database
    │       Pending (ErrImagePull) 4m31s
    │       0 of 1 replicas are available
    │     └─ ReplicaSet a-da…base-79f7584655
    │          Pending (ErrImagePull) 4m31s
    │          0 of 1 replicas are available
    │        └─ Pod a-database…7584655-kvzp9
    │             Pending (ErrI…ePull) 4m31s
    │             container main: failed to
    │             pull and unpack image
    │             "web:1": not found
    └─ step web
       └─ Deployment a-web
            Pending (Waiting…pendency) 4m31s
            waiting for database
    "
  `);
});

test("tree shows the owners above an object", memory, async () => {
  await using cluster = await startTestCluster({ workloads: true, https: true });
  await cluster.create(Deployment, { metadata: { name: "web" }, spec: pods("web") });
  await cluster.settled();
  const { out } = await treadle(cluster, "tree deployment/web");
  const [, replicaSet = ""] = /ReplicaSet (\S+)/.exec(out) ?? [];
  expect((await treadle(cluster, `tree replicaset/${replicaSet}`)).out).toMatch(
    /^owner Deployment default\/web\s+Ready .*\nReplicaSet default\/web-\S+\s+Ready .*\n└─ Pod web-\S+\s+Ready /,
  );
});

test("an object that is ready has a short explanation", memory, async () => {
  await using cluster = await startTestCluster({ workloads: true, https: true });
  await cluster.create(ConfigMap, { metadata: { name: "app" }, data: {} });
  expect(await treadle(cluster, "explain configmap/app --exit-code")).toEqual({
    code: 0,
    err: "",
    out: "ConfigMap default/app is ready.\n",
  });
});

test("--exit-code ends with 1 if the object is not ready", memory, async () => {
  await using cluster = await brokenShop();
  expect((await treadle(cluster, "explain shop/a")).code).toBe(0);
  expect((await treadle(cluster, "explain shop/a --exit-code")).code).toBe(1);
});

test("a ready object that is paused is ready, and the pause is listed", memory, async () => {
  await using cluster = await startTestCluster({ workloads: true, https: true });
  await cluster.start(shops);
  await cluster.create(Shop, { metadata: { name: "a" }, spec: {} });
  await cluster.settled();
  await cluster.update(Shop, "a", (shop) => void (shop.metadata.annotations = { "treadle.dev/paused": "true" }));
  await cluster.settled();
  const { code, out } = await treadle(cluster, "explain shop/a --exit-code");
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Shop default\/a is ready\.\n\nWhat was found around it:\n  - Shop default\/a is paused by the annotation treadle.dev\/paused\.\n$/,
  );
});

test("a container that crashed once and runs for long is not called a crash loop", memory, async () => {
  await using cluster = await startTestCluster({ workloads: true, https: true });
  cluster.workloads.pods.fail("NotReady");
  await cluster.create(Deployment, { metadata: { name: "web" }, spec: pods("web") });
  await cluster.settled();
  const [pod] = await cluster.list(Pod);
  await cluster.updateStatus(Pod, pod?.metadata.name ?? "", (each) => {
    for (const status of each.status?.containerStatuses ?? []) {
      status.restartCount = 1;
      status.lastState = { terminated: { exitCode: 1 } };
    }
  });
  await cluster.advance(300_000);
  expect((await treadle(cluster, "explain deployment/web")).out).toMatch(/container main of Pod \S+ runs and is not ready/);
});
