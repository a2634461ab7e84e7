/** Releases from the command line, as a user runs them. */
import { ConfigMap, Namespace, Secret } from "@treadle/apimachinery/kinds";
import { kind } from "@treadle/apimachinery";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { configMapYaml, folderOf, Releases } from "./release-terminal.ts";

async function startCluster(): Promise<TestCluster> {
  return await startTestCluster({ https: true, kinds: [ConfigMap, Secret, Namespace] });
}

function folder(values: Readonly<Record<string, string>>): string {
  return folderOf(Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name}.yaml`, configMapYaml(name, value)])));
}

test("a folder is applied, changed, rolled back and deleted", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  const one = folder({ a: "1", b: "1" });
  expect(await releases.run(`apply shop ${one}`)).toEqual({
    code: 0,
    out: "release default/shop: revision 1 is ready: 2 created\n",
    err: "2 of 2 ready\n",
  });
  const two = folder({ a: "2", c: "1" });
  expect((await releases.run(`apply shop ${two}`)).out).toBe(
    "release default/shop: revision 2 is ready: 1 created, 1 changed, 1 deleted\n",
  );
  expect((await releases.run(`apply shop ${two}`)).out).toBe("release default/shop: revision 2 is ready, as before: 2 unchanged\n");
  expect((await releases.run("rollback shop")).out).toBe("release default/shop: revision 3 is ready: 1 created, 1 changed, 1 deleted\n");
  expect((await cluster.get(ConfigMap, "a"))?.data).toEqual({ value: "1" });
  expect((await releases.run("delete shop")).out).toBe("release default/shop is deleted: 2 objects deleted\n");
  expect(await cluster.list(Secret, "default")).toEqual([]);
  expect([await cluster.get(ConfigMap, "a"), await cluster.get(ConfigMap, "b")]).toEqual([undefined, undefined]);
});

test("diff shows each field that differs, and has the exit codes of diff", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  await releases.run(`apply shop ${folder({ a: "1", b: "1", c: "1" })}`);
  expect(await releases.run(`diff shop ${folder({ a: "1", b: "1", c: "1" })}`)).toMatchObject({
    code: 0,
    out: "no differences: 3 objects as desired\n",
  });
  const changed = await releases.run(`diff shop ${folder({ a: "2", c: "1", d: "1" })}`);
  expect(changed).toEqual({
    code: 1,
    out: [
      "~ ConfigMap default/a",
      '    data.value: "1" → "2"',
      "+ ConfigMap default/d",
      "- ConfigMap default/b",
      "",
      "1 to create, 1 to change, 1 to delete, 1 unchanged",
      "",
    ].join("\n"),
    err: "",
  });
  expect((await releases.run(`apply shop ${folder({ a: "2" })} --dry-run`)).code).toBe(0);
  expect((await cluster.get(ConfigMap, "a"))?.data).toEqual({ value: "1" });
  expect((await releases.run("diff shop nothing")).code).toBe(2);
});

test("values of a Secret are in no output", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  const secret = (value: string): string =>
    folderOf({ "s.yaml": `apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  password: ${value}\n` });
  const outputs = [
    await releases.run(`apply shop ${secret("hunter1")}`),
    await releases.run(`diff shop ${secret("hunter2")}`),
    await releases.run(`diff shop ${secret("hunter2")} -o json`),
    await releases.run(`apply shop ${secret("hunter2")} -o json`),
    await releases.run("status shop -o json"),
    await releases.run("history shop -o json"),
    await releases.run("tree release/shop"),
  ];
  const all = JSON.stringify(outputs);
  for (const value of ["hunter1", "hunter2"]) {
    expect(all).not.toContain(value);
    expect(all).not.toContain(Buffer.from(value).toString("base64"));
  }
  expect(outputs[1]).toMatchObject({ code: 1, out: expect.stringContaining("data.password: differs (values are not shown)") });
  expect((await cluster.get(Secret, "login"))?.data).toEqual({ password: Buffer.from("hunter2").toString("base64") });
});

test("fields of another manager are not taken, unless they are forced", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  await releases.run(`apply shop ${folder({ a: "1" })}`);
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" }, data: { value: "theirs" } };
  await cluster.client.apply(ConfigMap, body, { fieldManager: "autoscaler", force: true });
  const refused = await releases.run(`apply shop ${folder({ a: "2" })}`);
  expect(refused.code).toBe(2);
  expect(refused.err).toBe(
    "treadle: release default/shop cannot be applied, and nothing was changed:\n" +
      "- ConfigMap default/a: data.value set by autoscaler\n" +
      "--force-conflicts takes these fields. To leave a field to the other manager, remove it from the sources.\n",
  );
  expect((await releases.run(`diff shop ${folder({ a: "2" })}`)).code).toBe(2);
  expect((await cluster.get(ConfigMap, "a"))?.data).toEqual({ value: "theirs" });
  expect((await releases.run(`apply shop ${folder({ a: "2" })} --force-conflicts`)).code).toBe(0);
  expect((await cluster.get(ConfigMap, "a"))?.data).toEqual({ value: "2" });
});

test("objects of others are not taken: of nobody only with --adopt, of another release never", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  await cluster.create(ConfigMap, { metadata: { name: "a" }, data: { value: "by hand" } });
  const refused = await releases.run(`apply shop ${folder({ a: "1" })}`);
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringContaining("ConfigMap default/a: it exists, and belongs to nobody\n--adopt takes"),
  });
  // Nothing is left of a release that was refused.
  expect(await cluster.list(Secret, "default")).toEqual([]);
  expect((await releases.run(`apply shop ${folder({ a: "1" })} --adopt --force-conflicts`)).code).toBe(0);
  const robbed = await releases.run(`apply other ${folder({ a: "1" })} --adopt --force-conflicts`);
  expect(robbed.code).toBe(2);
  expect(robbed.err).toContain("Release default/shop");
  expect(robbed.err).toContain("Rename the objects, or remove them from their present owner first.");
});

test("an object of a release of Helm is not taken, not even with --adopt and --force-conflicts", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  const labels = { "app.kubernetes.io/managed-by": "Helm" };
  const annotations = { "meta.helm.sh/release-name": "redis", "meta.helm.sh/release-namespace": "default" };
  await cluster.create(ConfigMap, { metadata: { name: "a", labels, annotations }, data: { value: "1" } });
  for (const line of [`apply shop ${folder({ a: "1" })} --adopt --force-conflicts`, "adopt shop configmap/a --yes"]) {
    const { code, err } = await releases.run(line);
    expect([line, code]).toEqual([line, 2]);
    expect(err).toContain("ConfigMap default/a: it belongs to the release default/redis of Helm\n`treadle adopt NAME --from-helm RELEASE`");
  }
  expect((await cluster.get(ConfigMap, "a"))?.metadata.labels).toEqual(labels);
});

test("the record of a release cannot be part of a release", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  await releases.run(`apply shop ${folder({ a: "1" })}`);
  const stdin = JSON.stringify(await cluster.get(Secret, "treadle-release.shop"));
  const { code, err } = await releases.run("apply shop - --adopt --force-conflicts", { stdin });
  expect([code, err]).toEqual([2, expect.stringContaining("Secret treadle-release.shop is the record of a release")]);
});

test("a CRD and its instances are one release", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "robots.example.dev" },
    spec: {
      group: "example.dev",
      scope: "Namespaced",
      names: { kind: "Robot", plural: "robots", singular: "robot" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const robot = { apiVersion: "example.dev/v1", kind: "Robot", metadata: { name: "r" }, spec: { arms: 2 } };
  const stdin = `${JSON.stringify(crd)}\n---\n${JSON.stringify(robot)}\n`;
  expect((await releases.run("diff factory -", { stdin })).out).toBe(
    "+ CustomResourceDefinition robots.example.dev\n+ Robot default/r (its kind or namespace is new)\n\n2 to create\n",
  );
  // The server serves the kind a moment later, by its own clock.
  expect((await releases.run("apply factory -", { stdin, isReal: true })).out).toBe(
    "release default/factory: revision 1 is ready: 2 created\n",
  );
  const Robot = kind({ group: "example.dev", version: "v1", kind: "Robot", plural: "robots" });
  expect((await cluster.get(Robot, "r")) !== undefined).toBe(true);
  // An instance of another owner holds the release.
  await cluster.client.create(Robot, { metadata: { name: "mine", namespace: "default" } });
  const blocked = await releases.run("delete factory --timeout 20s");
  expect(blocked.code).toBe(1);
  expect(blocked.out).toContain("Robot");
  await cluster.client.delete(Robot, { name: "mine", namespace: "default" });
  expect((await releases.run("delete factory")).out).toBe("release default/factory is deleted: 2 objects deleted\n");
});

test("a kind that the server does not have is refused before the first write", async () => {
  await using cluster = await startCluster();
  const stdin = `${configMapYaml("a", "1")}---\napiVersion: example.dev/v1\nkind: Missing\nmetadata: { name: x }\n`;
  const refused = await new Releases(cluster).run("apply shop -", { stdin });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("Install the CRDs of these kinds first") });
  expect(await cluster.get(ConfigMap, "a")).toBeUndefined();
});

test("release and target have namespaces of their own, and missing ones are created on demand", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  const sources = folder({ a: "1" });
  const lacks = await releases.run(`apply shop ${sources} -n ops --target-namespace web`);
  expect(lacks).toMatchObject({
    code: 2,
    err: expect.stringContaining("the namespace ops of the release does not exist; add --create-namespace"),
  });
  await cluster.create(Namespace, { metadata: { name: "ops" } });
  const lacksTarget = await releases.run(`apply shop ${sources} -n ops --target-namespace web`);
  expect(lacksTarget.err).toContain("the namespace web does not exist");
  expect(lacksTarget.err).toContain("--create-namespace");
  const diff = await releases.run(`diff shop ${sources} -n ops --target-namespace web --create-namespace`);
  expect(diff.out).toBe("+ Namespace web\n+ ConfigMap web/a (its kind or namespace is new)\n\n2 to create\n");
  expect((await releases.run(`apply shop ${sources} -n ops --target-namespace web --create-namespace`)).code).toBe(0);
  expect((await cluster.get(ConfigMap, "web/a"))?.data).toEqual({ value: "1" });
  // The target stays when it is not named again.
  expect((await releases.run(`apply shop ${sources} -n ops`)).out).toContain("as before");
  expect((await releases.run("list -A -o json")).out).toContain('"targetNamespace": "web"');
  expect((await releases.run("delete shop -n ops")).code).toBe(0);
  expect(await cluster.get(ConfigMap, "web/a")).toBeUndefined();
  expect((await cluster.get(Namespace, "web"))?.metadata.name).toBe("web");
});

test("delete with --cascade orphan leaves the objects without an owner", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  await releases.run(`apply shop ${folder({ a: "1" })}`);
  expect((await releases.run("delete shop --cascade orphan")).out).toBe(
    "release default/shop is deleted; its objects stay, and belong to nobody\n",
  );
  const { labels = {}, annotations = {} } = (await cluster.get(ConfigMap, "a"))?.metadata ?? {};
  expect([labels, annotations]).toEqual([{}, {}]);
  expect(await cluster.list(Secret, "default")).toEqual([]);
  expect(await releases.run(`apply other ${folder({ a: "1" })} --adopt`)).toMatchObject({ code: 0 });
});

test("an object with the policy orphan is released when the sources no longer have it, and diff says so", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  const stdin = `${configMapYaml("a", "1")}---\n${configMapYaml("kept", "1", { "treadle.dev/delete-policy": "orphan" })}`;
  await releases.run("apply shop -", { stdin });
  const less = { stdin: configMapYaml("a", "1") };
  expect(await releases.run("diff shop -", less)).toMatchObject({
    code: 1,
    out: "> ConfigMap default/kept: it stays, and belongs to nobody\n\n1 to release, 1 unchanged\n",
  });
  expect(await releases.run("apply shop -", less)).toMatchObject({ code: 0 });
  expect((await cluster.get(ConfigMap, "kept"))?.metadata.labels).toBeUndefined();
});

test("a release whose Secret was lost finds its objects again", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  await releases.run(`apply shop ${folder({ a: "1" })}`);
  for (const { metadata } of await cluster.list(Secret, "default")) await cluster.client.delete(Secret, metadata);
  expect((await releases.run(`apply shop ${folder({ a: "2" })}`)).out).toBe("release default/shop: revision 1 is ready: 1 changed\n");
});

test("only the newest revisions are kept", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  for (const value of ["1", "2", "3", "4"]) await releases.run(`apply shop ${folder({ a: value })} --history-max 2`);
  const { revisions } = JSON.parse((await releases.run("history shop -o json")).out) as {
    revisions: { revision: number; state: string }[];
  };
  expect(revisions.map(({ revision, state }) => [revision, state])).toEqual([
    [3, "Superseded"],
    [4, "Ready"],
  ]);
  expect(await releases.run("rollback shop 1")).toMatchObject({
    code: 2,
    err: expect.stringContaining("has no revision 1: kept are 3, 4"),
  });
  expect((await releases.run("rollback shop 3")).out).toContain("revision 5 is ready: 1 changed");
});

test("a release whose state was lost goes on after its former revisions, and keeps the new one", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  for (const value of ["1", "2", "3"]) await releases.run(`apply shop ${folder({ a: value })} --history-max 2`);
  await cluster.client.delete(Secret, { namespace: "default", name: "treadle-release.shop" });
  expect((await releases.run(`apply shop ${folder({ a: "4" })} --history-max 2`)).out).toContain("revision 4 is ready: 1 changed");
  const { revisions } = JSON.parse((await releases.run("history shop -o json")).out) as { revisions: { revision: number }[] };
  expect(revisions.map(({ revision }) => revision)).toEqual([3, 4]);
  expect((await releases.run("status shop")).out).toContain("1 of 1 objects are ready");
});

test("a revision that cannot be read hinders neither apply, rollback to another one nor delete", async () => {
  await using cluster = await startCluster();
  const releases = new Releases(cluster);
  for (const value of ["1", "2", "3"]) await releases.run(`apply shop ${folder({ a: value })}`);
  const broken = { namespace: "default", name: "treadle-release.shop.1" };
  await cluster.client.patch(Secret, broken, { type: "merge", body: { data: { revision: "AAAA" } } });
  expect(await releases.run(`apply shop ${folder({ a: "4" })}`)).toMatchObject({ code: 0 });
  expect(await releases.run("rollback shop")).toMatchObject({ code: 0 });
  const history = await releases.run("history shop");
  expect([history.code, history.err]).toEqual([2, expect.stringContaining("Secret default/treadle-release.shop.1, a revision")]);
  expect(await releases.run("delete shop")).toMatchObject({ code: 0 });
  expect(await cluster.list(Secret, "default")).toEqual([]);
});
