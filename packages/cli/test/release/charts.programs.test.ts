/** Releases of charts and kustomizations with the real programs, and the take-over of a release of Helm. */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { configMapYaml, folderOf, Releases } from "./release-terminal.ts";

const helm = process.env["TREADLE_HELM"] ?? "helm";

function chart(): string {
  const folder = folderOf({
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.3\n",
    "values.yaml": "color: red\nlist: [a]\n",
  });
  mkdirSync(join(folder, "templates"));
  writeFileSync(
    join(folder, "templates", "config.yaml"),
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-config\n" +
      'data:\n  color: {{ .Values.color | quote }}\n  items: {{ join "," .Values.list | quote }}\n  upgrade: {{ .Release.IsUpgrade | quote }}\n',
  );
  return folder;
}

test("a chart is rendered with files and --set as Helm merges them", async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret] });
  const releases = new Releases(cluster);
  const values = folderOf({ "a.yaml": "color: blue\nlist: [b, c]\n", "b.yaml": "list: [d]\n" });
  const line = `apply shop ${chart()} -f ${values}/a.yaml -f ${values}/b.yaml`;
  expect(await releases.run(line)).toMatchObject({ code: 0 });
  expect((await cluster.get(ConfigMap, "shop-config"))?.data).toEqual({ color: "blue", items: "d", upgrade: "false" });
  expect(await releases.run(`${line} --set color=green`)).toMatchObject({ code: 0 });
  expect((await cluster.get(ConfigMap, "shop-config"))?.data).toEqual({ color: "green", items: "d", upgrade: "true" });
});

test("a kustomization is a source", async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret] });
  const folder = folderOf({ "kustomization.yaml": "namePrefix: dev-\nresources: [a.yaml]\n", "a.yaml": configMapYaml("a", "1") });
  expect(await new Releases(cluster).run(`apply shop ${folder}`)).toMatchObject({ code: 0 });
  expect((await cluster.get(ConfigMap, "dev-a"))?.data).toEqual({ value: "1" });
});

test("a release of Helm is adopted: what would change is shown first, and no object is created again", async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret] });
  const releases = new Releases(cluster);
  // The server in memory is in this process, so the process must not wait for Helm.
  await promisify(execFile)(helm, ["install", "web", chart(), "--kubeconfig", releases.kubeconfig, "--namespace", "default"], {
    env: { PATH: process.env["PATH"], HOME: folderOf({}) },
  });
  const before = await cluster.get(ConfigMap, "web-config");
  const shown = await releases.run("adopt web --from-helm web");
  expect(shown).toMatchObject({ code: 0, err: "Nothing was changed. Add --yes to adopt the objects.\n" });
  expect(shown.out).toContain("~ ConfigMap default/web-config: the release takes it; no field changes");
  expect(await cluster.get(ConfigMap, "web-config")).toEqual(before);
  const adopted = await releases.run("adopt web --from-helm web --yes");
  expect(adopted).toMatchObject({ code: 0, out: "release default/web: revision 1 is ready: 1 changed\n" });
  expect(adopted.err).toContain("kubectl delete secret -n default -l owner=helm,name=web");
  const after = await cluster.get(ConfigMap, "web-config");
  expect([after?.metadata.uid, after?.data]).toEqual([before?.metadata.uid, before?.data]);
  expect((await releases.run("history web -o json")).out).toContain("helm release web, revision 1, web 1.2.3");
});

test("without Helm the message says what to install", async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret] });
  const program = process.env["TREADLE_HELM"];
  process.env["TREADLE_HELM"] = "/nowhere/helm";
  try {
    const { code, err } = await new Releases(cluster).run(`apply shop ${chart()}`);
    expect([code, err]).toEqual([2, expect.stringContaining("docs/generators.md, Programs")]);
  } finally {
    if (program === undefined) delete process.env["TREADLE_HELM"];
    else process.env["TREADLE_HELM"] = program;
  }
});
