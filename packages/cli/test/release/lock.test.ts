/** The lock of a release: a run that loses it stops. */
import { ConfigMap, Deployment, Secret } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { configMapYaml, folderOf, Releases } from "./release-terminal.ts";

const memory = { tags: ["memory"] };

/** A Deployment that is not ready, and a ConfigMap after it. */
const sources = folderOf({
  "a.yaml":
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: a }\nspec:\n  selector: { matchLabels: { app: a } }\n" +
    "  template:\n    metadata: { labels: { app: a } }\n    spec: { containers: [{ name: main, image: a }] }\n",
  "b.yaml": configMapYaml("b", "1", { "treadle.dev/apply-order": "1" }),
});

test("a run whose release was taken by another one writes nothing more, and says who has it", memory, async () => {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret, Deployment] });
  const releases = new Releases(cluster);
  const lock = { id: "other", holder: "bob@desk", command: "apply", since: "", renewed: "" };
  const data = { lock: Buffer.from(JSON.stringify(lock)).toString("base64") };
  let isTaken = false;
  // The run was suspended for longer than its lock holds.
  const { code, err } = await releases.run(`apply shop ${sources}`, {
    async onSleep() {
      if (isTaken || (await cluster.get(Deployment, "a")) === undefined) return;
      isTaken = true;
      releases.clock.ms += 60_000;
      await cluster.client.patch(Secret, { namespace: "default", name: "treadle-release.shop" }, { type: "merge", body: { data } });
    },
  });
  expect([code, isTaken]).toEqual([2, true]);
  expect(err).toContain(
    "release default/shop was taken by bob@desk, because this run did not renew its lock in time; nothing more is changed",
  );
  expect(await cluster.get(ConfigMap, "b")).toBeUndefined();
  expect((await releases.run("list")).out).toContain("apply by bob@desk");
});
