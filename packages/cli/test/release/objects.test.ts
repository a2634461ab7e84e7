/** Single objects that make trouble, and sources that are code. */
import { join } from "node:path";
import { ConfigMap, Deployment, Job, Secret } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { configMapYaml, folderOf, Releases } from "./release-terminal.ts";

const memory = { tags: ["memory"] };

function jobYaml(image: string, annotations = ""): string {
  return (
    `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations: {${annotations}}\nspec:\n  backoffLimit: 0\n` +
    `  template: { spec: { restartPolicy: Never, containers: [{ name: main, image: "${image}" }] } }\n`
  );
}

test("a change of a field that cannot change is refused before the first write, and is possible with recreate", memory, async () => {
  await using cluster = await startTestCluster({ https: true, workloads: true, kinds: [ConfigMap, Secret, Job] });
  const releases = new Releases(cluster, { onSleep: (ms) => cluster.advance(ms) });
  expect(await releases.run("apply shop -", { stdin: jobYaml("migrate:1") })).toMatchObject({ code: 0 });
  const stdin = `${jobYaml("migrate:2")}---\n${configMapYaml("a", "1")}`;
  const refused = await releases.run("apply shop -", { stdin });
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("Job migrate needs another spec.template");
  expect(refused.err).toContain("treadle.dev/update-policy: recreate");
  expect(await cluster.get(ConfigMap, "a")).toBeUndefined();
  const recreated = jobYaml("migrate:2", ' "treadle.dev/update-policy": recreate ');
  expect((await releases.run("diff shop -", { stdin: recreated })).out).toContain("~ Job default/migrate: it is deleted and created again");
  expect(await releases.run("apply shop -", { stdin: recreated })).toMatchObject({ code: 0 });
  expect((await cluster.get(Job, "migrate"))?.spec?.template.spec?.containers[0]?.image).toBe("migrate:2");
});

test("a Job that fails ends the run with 1 before its time, and later waves are not applied", memory, async () => {
  await using cluster = await startTestCluster({ https: true, workloads: true, kinds: [ConfigMap, Secret, Job] });
  cluster.workloads.pods.fail("Error");
  const releases = new Releases(cluster, { onSleep: (ms) => cluster.advance(ms) });
  const stdin = `${jobYaml("migrate:1")}---\n${configMapYaml("a", "1", { "treadle.dev/apply-order": "1" })}`;
  const { code, out, err } = await releases.run("apply shop - --timeout 10h", { stdin });
  expect(code).toBe(1);
  expect(out).toMatch(/^release default\/shop: revision 1 failed: .*Job default\/migrate/);
  expect(err).toContain("Why: treadle explain job/migrate -n default");
  expect(await cluster.get(ConfigMap, "a")).toBeUndefined();
  expect((await releases.run("status shop --exit-code")).code).toBe(1);
  expect((await releases.run("delete shop")).code).toBe(0);
  expect(await cluster.list(Job)).toEqual([]);
});

test("a module of cdk8s is a source, and gets the values", memory, async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret] });
  const generators = JSON.stringify(join(import.meta.dirname, "..", "..", "..", "generators", "package.json"));
  const module = folderOf({
    "deploy.mjs":
      `import { createRequire } from "node:module";\nconst { ApiObject } = createRequire(${generators})("cdk8s");\n` +
      'export default (chart, { spec: { values } }) => void new ApiObject(chart, "config", { apiVersion: "v1", kind: "ConfigMap", data: { color: values.color } });\n',
  });
  expect(await new Releases(cluster).run(`apply shop ${module}/deploy.mjs --set color=red`)).toMatchObject({ code: 0 });
  expect((await cluster.get(ConfigMap, "shop-config"))?.data).toEqual({ color: "red" });
});

test("objects are adopted by name: first shown, then taken, without a change of what kubectl applied", memory, async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret, Deployment] });
  const releases = new Releases(cluster);
  await cluster.create(ConfigMap, { metadata: { name: "a", labels: { team: "web" } }, data: { value: "1" } });
  const before = await cluster.get(ConfigMap, "a");
  const shown = await releases.run("adopt shop configmap/a");
  expect(shown).toEqual({
    code: 0,
    out: "~ ConfigMap default/a: the release takes it; no field changes\n\n1 to change\n",
    err: "Nothing was changed. Add --yes to adopt the objects.\n",
  });
  expect(await cluster.get(ConfigMap, "a")).toEqual(before);
  expect(await releases.run("adopt shop configmap/a --yes")).toMatchObject({ code: 0 });
  const after = await cluster.get(ConfigMap, "a");
  expect([after?.metadata.uid, after?.data, after?.metadata.labels?.["team"]]).toEqual([before?.metadata.uid, { value: "1" }, "web"]);
  // What the release no longer names is removed, also what kubectl has set.
  const stdin = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  other: x\n";
  expect(await releases.run("apply shop -", { stdin })).toMatchObject({ code: 0 });
  expect((await cluster.get(ConfigMap, "a"))?.data).toEqual({ other: "x" });
});
