/** What users see of releases: text at 80 and 40 columns, in a pipe, and JSON that fits its schema. */
import { chdir, cwd } from "node:process";
import { ConfigMap, Deployment, Job, Secret } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import { releaseDeletion, releaseDiff, releaseHistory, releaseList, releaseResult, releaseStatus } from "../../scripts/release-schemas.ts";
import { configMapYaml, folderOf, Releases } from "./release-terminal.ts";

const memory = { tags: ["memory"] };

function workload(kind: "Job" | "Deployment", name: string, wave: number): string {
  const isJob = kind === "Job";
  const labels = isJob ? "" : `  selector: { matchLabels: { app: ${name} } }\n`;
  const restart = isJob ? ", restartPolicy: Never" : "";
  return (
    `apiVersion: ${isJob ? "batch" : "apps"}/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  annotations: { treadle.dev/apply-order: "${wave}" }\n` +
    `spec:\n${labels}  template:\n    metadata: { labels: { app: ${name} } }\n    spec: { containers: [{ name: main, image: "${name}:1" }]${restart} }\n`
  );
}

const ONE = {
  "settings.yaml": configMapYaml("settings", "dark"),
  "migrate.yaml": workload("Job", "migrate", 0),
  "web.yaml": workload("Deployment", "web", 1),
};

let cluster: TestCluster;
let releases: Releases;
const before = cwd();

/** Sources are named as a user names them, so that no path of a machine is in a text. */
beforeAll(async () => {
  cluster = await startTestCluster({ https: true, workloads: true, kinds: [ConfigMap, Secret, Deployment, Job] });
  releases = new Releases(cluster, { onSleep: (ms) => cluster.advance(ms) });
  chdir(folderOf(ONE));
});

afterAll(async () => {
  chdir(before);
  await cluster.stop();
});

/** Pauses of a run are as many as the machine needs, so ages differ. */
function ageless(text: string): string {
  return text
    .replaceAll(/\b\d+[smhd](?:\d+[smhd])?\b {2,}/g, "AGE  ")
    .replaceAll(/\b\d+[smhd](?:\d+[smhd])?\b/g, "AGE")
    .replaceAll(/(?<=\S) {3,}/g, "  ");
}

function width({ out, err }: { readonly out: string; readonly err: string }): number {
  // oxlint-disable-next-line no-control-regex -- the line of a terminal is cleared
  const lines = `${out}\n${err}`.replaceAll(/\u001B\[K/g, "").split(/[\n\r]/);
  return Math.max(...lines.map((line) => line.length));
}

test("apply shows its progress wave by wave in a pipe, and one line on a terminal", memory, async () => {
  const piped = await releases.run("apply shop . --target-namespace default");
  expect(piped.out).toBe("release default/shop: revision 1 is ready: 3 created\n");
  const waves = piped.err.split("\n").map((line) => line.replace(/:.*/, ""));
  expect([...new Set(waves)]).toEqual(["wave 1 of 2, 1 of 3 ready", "wave 2 of 2, 2 of 3 ready", "wave 2 of 2, 3 of 3 ready", ""]);
  const shown = await releases.run("apply other - --set a=1", { columns: 40, stdin: configMapYaml("x", "1") });
  expect(shown.code).toBe(2);
  expect(width(shown)).toBeLessThanOrEqual(200);
});

test("diff fits into 80 and 40 columns", memory, async () => {
  chdir(
    folderOf({ ...ONE, "settings.yaml": configMapYaml("settings", "light"), "more.yaml": configMapYaml("more", "1"), "migrate.yaml": "" }),
  );
  const wide = await releases.run("diff shop .", { columns: 80 });
  expect(wide.out).toMatchInlineSnapshot(`
    "+ ConfigMap default/more
    ~ ConfigMap default/settings
        data.value: "dark" → "light"
    - Job default/migrate

    1 to create, 1 to change, 1 to delete, 1 unchanged
    "
  `);
  const narrow = await releases.run("diff shop .", { columns: 40 });
  expect(width(narrow)).toBeLessThanOrEqual(40);
  expect(narrow.out).toMatchInlineSnapshot(`
    "+ ConfigMap default/more
    ~ ConfigMap default/settings
        data.value: "dark" → "light"
    - Job default/migrate

    1 to create, 1 to change, 1 to delete, 1
    unchanged
    "
  `);
});

test("status, list and history fit into 80 and 40 columns", memory, async () => {
  cluster.workloads.pods.fail("ErrImagePull", { matchLabels: { app: "broken" } });
  chdir(folderOf({ "broken.yaml": workload("Deployment", "broken", 0), "settings.yaml": configMapYaml("note", "1") }));
  const failed = await releases.run("apply bad . --timeout 1m", { columns: 80 });
  expect(failed.code).toBe(1);
  expect(failed.out).toMatchInlineSnapshot(`
    "release default/bad: revision 1 is not ready in time: 1 of 2 ready: Deployment
    default/broken: 0 of 1 replicas are available
    "
  `);
  expect(ageless((await releases.run("status bad", { columns: 80 })).out)).toMatchInlineSnapshot(`
    "release default/bad: Failed, revision 1, changed AGE ago
      1 of 2 ready: Deployment default/broken: 0 of 1 replicas are available
    sources: . (manifests)
    1 of 2 objects are ready

    OBJECT  HEALTH  SINCE
    Deployment default/broken  Pending (ErrImagePull)  AGE
      0 of 1 replicas are available
    ConfigMap default/note  Ready  AGE
    "
  `);
  expect(ageless((await releases.run("status bad", { columns: 40 })).out)).toMatchInlineSnapshot(`
    "release default/bad: Failed, revision 1,
    changed AGE ago
      1 of 2 ready: Deployment
      default/broken: 0 of 1 replicas are
      available
    sources: . (manifests)
    1 of 2 objects are ready

    Deployment default/broken
      health  Pending (ErrImagePull)
      since  AGE
      0 of 1 replicas are available
    ConfigMap default/note
      health  Ready
      since  AGE
    "
  `);
  expect(ageless((await releases.run("list", { columns: 80 })).out)).toMatchInlineSnapshot(`
    "NAME  NAMESPACE  TARGET  REVISION  STATE  CHANGED
    bad  default  default  1  Failed  AGE
    shop  default  default  1  Ready  AGE
    "
  `);
  expect(ageless((await releases.run("list", { columns: 40 })).out)).toMatchInlineSnapshot(`
    "bad
      namespace  default
      target  default
      revision  1
      state  Failed
      changed  AGE
    shop
      namespace  default
      target  default
      revision  1
      state  Ready
      changed  AGE
    "
  `);
  expect(ageless((await releases.run("history bad", { columns: 80 })).out)).toMatchInlineSnapshot(`
    "REVISION  STATE  AGE  OBJECTS  CAUSE  BY
    1  Failed  AGE  2  apply  ada@laptop
    "
  `);
  expect(ageless((await releases.run("history bad", { columns: 40 })).out)).toMatchInlineSnapshot(`
    "1
      state  Failed
      age  AGE
      objects  2
      cause  apply
      by  ada@laptop
    "
  `);
  for (const line of ["status bad", "list", "history bad", "tree release/bad"])
    expect(width(await releases.run(line, { columns: 40 }))).toBeLessThanOrEqual(40);
});

test("tree shows a release with its objects and their pods", memory, async () => {
  const { out } = await releases.run("tree release/shop", { columns: 80 });
  expect(ageless(out).replaceAll(/-[a-z0-9]{8,10}-[a-z0-9]{5}|-[a-z0-9]{8,10}\b|-[a-z0-9]{5}\b/g, "-x")).toMatchInlineSnapshot(`
    "Release default/shop  Ready  AGE
    └─ step objects
       ├─ Job migrate  Ready  AGE
       │  └─ Pod migrate-x  Ready  AGE
       ├─ ConfigMap settings  Ready  AGE
       └─ Deployment web  Ready  AGE
          └─ ReplicaSet web-x  Ready  AGE
             └─ Pod web-x  Ready  AGE
    "
  `);
});

test.for([
  ["diff shop - -o json", releaseDiff],
  ["apply shop - -o json --timeout 5m", releaseResult],
  ["apply slow - -o json --no-wait", releaseResult],
  ["rollback shop 1 -o json", releaseResult],
  ["status shop -o json", releaseStatus],
  ["list -A -o json", releaseList],
  ["history shop -o json", releaseHistory],
  ["delete slow -o json", releaseDeletion],
] as const)("%s fits its schema", memory, async ([line, schema]) => {
  const { out } = await releases.run(line, { stdin: configMapYaml(line.includes("slow") ? "slow" : "settings", "blue") });
  expect(() => (schema as z.ZodType).parse(JSON.parse(out))).not.toThrow();
});
