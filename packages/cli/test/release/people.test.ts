/** Two people, interrupted runs, and people with few rights. */
import { ConfigMap, Deployment, Namespace, Secret } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { EXIT, runTreadle } from "../../src/index.ts";
import { configMapYaml, folderOf, Releases, releaseTerminal } from "./release-terminal.ts";

const memory = { tags: ["memory"] };

/** A Deployment that nothing makes ready. */
const SLOW = folderOf({
  "web.yaml":
    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector: { matchLabels: { app: web } }\n" +
    "  template:\n    metadata: { labels: { app: web } }\n    spec: { containers: [{ name: main, image: web }] }\n",
});

test(
  "of two people who apply at the same time, the second one is told who the first one is; Ctrl-C gives the release back",
  memory,
  async () => {
    await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret, Deployment] });
    const releases = new Releases(cluster);
    const begun = Promise.withResolvers<void>();
    const terminal = releaseTerminal(releases.kubeconfig, { ms: Date.parse("2026-01-01T00:00:00Z") });
    const first = runTreadle(["apply", "shop", SLOW, "--timeout", "100000h"], {
      ...terminal,
      err: (text) => (/ready/.test(text) ? begun.resolve() : undefined),
    });
    await begun.promise;
    const second = await releases.run(`apply shop ${SLOW}`, { user: "bob" });
    expect(second.code).toBe(EXIT.failed);
    expect(second.err).toMatch(
      /^release default\/shop is being changed by ada@laptop \(pid \d+\) since 2026-01-01T\S+ \(apply\); looks for up to 15s whether that run is alive\ntreadle: release default\/shop is being changed by ada@laptop .*, and that run is alive; nothing was changed. Wait until it has ended, then run the command again\n$/,
    );
    expect((await releases.run("status shop")).out).toContain("apply by ada@laptop");
    terminal.interrupt();
    expect(await first).toBe(EXIT.interrupted);
    const third = await releases.run(`apply shop ${SLOW} --timeout 10s`, { user: "bob" });
    expect(third.err).not.toContain("being changed");
    expect(third).toMatchObject({
      code: EXIT.no,
      out: expect.stringMatching(/revision 1 is not ready in time: 0 of 1 ready: Deployment default\/web/),
    });
    expect(third.err).toContain("Why: treadle explain deployment/web -n default");
    expect((await releases.run("list")).out).toContain("Failed");
    expect((await releases.run(`apply shop ${SLOW} --no-wait`)).out).toBe(
      "release default/shop: revision 1 is applied, as before: 1 unchanged\n",
    );
  },
);

/** Gives a user a Role in the namespace default. */
async function grant(cluster: TestCluster, user: string, rules: readonly object[]): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const made = [
    { kind: "Role", plural: "roles", content: { rules } },
    {
      kind: "RoleBinding",
      plural: "rolebindings",
      content: {
        roleRef: { apiGroup: rbac, kind: "Role", name: user },
        subjects: [{ apiGroup: rbac, kind: "User", name: user }],
      },
    },
  ];
  for (const { kind, plural, content } of made)
    await cluster.client.raw({
      method: "POST",
      path: `/apis/${rbac}/v1/namespaces/default/${plural}`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: `${rbac}/v1`, kind, metadata: { name: user }, ...content }),
    });
}

test("rights in one namespace are enough to apply, change and delete a release", async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret] });
  const releases = new Releases(cluster);
  await grant(cluster, "mia", [{ apiGroups: [""], resources: ["secrets", "configmaps"], verbs: ["*"] }]);
  const one = folderOf({ "a.yaml": configMapYaml("a", "1"), "b.yaml": configMapYaml("b", "1") });
  const two = folderOf({ "a.yaml": configMapYaml("a", "2") });
  expect(await releases.run(`apply shop ${one} --as mia`)).toMatchObject({ code: 0 });
  expect((await releases.run(`apply shop ${two} --as mia`)).out).toBe("release default/shop: revision 2 is ready: 1 changed, 1 deleted\n");
  expect((await releases.run("delete shop --as mia")).out).toBe("release default/shop is deleted: 1 object deleted\n");
  expect(await cluster.get(ConfigMap, "a")).toBeUndefined();
});

test("a person without rights is told which verb on what is missing, and nothing is written", memory, async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret, Namespace] });
  const releases = new Releases(cluster);
  const sources = folderOf({ "a.yaml": configMapYaml("a", "1") });
  const none = await releases.run(`apply shop ${sources} --as nobody`);
  expect(none.code).toBe(EXIT.failed);
  expect(none.err).toContain('cannot get resource "secrets"');
  expect(none.err).toContain("Ask for this right, or act as another user");
  await grant(cluster, "eve", [
    { apiGroups: [""], resources: ["secrets"], verbs: ["*"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
  ]);
  const few = await releases.run(`apply shop ${sources} --as eve`);
  expect(few.code).toBe(EXIT.failed);
  expect(few.err).toContain("ConfigMap default/a");
  expect(few.err).toMatch(/cannot (patch|create) resource "configmaps"/);
  expect(await cluster.get(ConfigMap, "a")).toBeUndefined();
});

test("a person who may not delete Secrets deletes no object of a release, and applies it without removing old revisions", async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret] });
  const releases = new Releases(cluster);
  await grant(cluster, "ben", [
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "create", "update"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["*"] },
  ]);
  const source = (value: string): string => folderOf({ "a.yaml": configMapYaml("a", value) });
  await releases.run(`apply shop ${source("1")} --as ben`);
  const second = await releases.run(`apply shop ${source("2")} --as ben --history-max 1`);
  expect(second).toMatchObject({ code: 0, out: "release default/shop: revision 2 is ready: 1 changed\n" });
  expect(second.err).toContain(
    "old revisions of release default/shop are not removed: cannot delete Secret default/treadle-release.shop.1",
  );
  const deletion = await releases.run("delete shop --as ben");
  expect([deletion.code, deletion.err]).toEqual([EXIT.failed, expect.stringContaining('cannot delete resource "secrets"')]);
  expect(await cluster.get(ConfigMap, "a")).toBeDefined();
  expect((await releases.run("list")).out).toContain("Ready");
  expect(await releases.run("delete shop")).toMatchObject({ code: 0 });
});
