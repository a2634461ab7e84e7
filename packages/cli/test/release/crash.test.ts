/**
 * A run that is killed after any of its writes is finished by the next one: the cluster is then as if nothing had happened. Reads and dry
 * runs change nothing, so a kill after them is a kill after the write before them.
 */
import { ApiError } from "@treadle/apimachinery";
import { ConfigMap, Namespace, Secret } from "@treadle/apimachinery/kinds";
import { type RecordedRequest, startTestCluster, type TestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { configMapYaml, folderOf, Releases } from "./release-terminal.ts";

const memory = { tags: ["memory", "long"], timeout: 240_000 };

const ONE = folderOf({
  "a.yaml": configMapYaml("a", "1"),
  "b.yaml": configMapYaml("b", "1", { "treadle.dev/apply-order": "1" }),
  "kept.yaml": configMapYaml("kept", "1", { "treadle.dev/delete-policy": "orphan" }),
});
const TWO = folderOf({
  "a.yaml": configMapYaml("a", "2"),
  "c.yaml": configMapYaml("c", "1", { "treadle.dev/apply-order": "2" }),
  "space.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: more\n",
});

interface Scenario {
  readonly name: string;
  /** Command lines before. */
  readonly before: readonly string[];
  /** The command line that is killed, and that finishes what the killed one has begun. */
  readonly line: string;
}

const SCENARIOS: readonly Scenario[] = [
  { name: "apply", before: [], line: `apply shop ${ONE}` },
  { name: "an upgrade", before: [`apply shop ${ONE}`], line: `apply shop ${TWO} --history-max 1` },
  { name: "rollback", before: [`apply shop ${ONE}`, `apply shop ${TWO}`], line: "rollback shop 1 --adopt" },
  { name: "delete", before: [`apply shop ${ONE}`, `apply shop ${TWO}`], line: "delete shop --ignore-not-found" },
  { name: "delete with --cascade orphan", before: [`apply shop ${ONE}`], line: "delete shop --cascade orphan --ignore-not-found" },
  { name: "adopt", before: [], line: "adopt shop configmap/mine --yes" },
];

for (const { name, before, line } of SCENARIOS)
  test(`${name}: the next run finishes one that was killed after any of its writes`, memory, async () => {
    const whole = await endAfter(before, line, undefined);
    let cuts = 0;
    for (let cut = 1; ; cut++) {
      const { state, isCut } = await endAfter(before, line, cut);
      expect({ cut, ...state }).toEqual({ cut, ...whole.state });
      if (!isCut) break;
      cuts++;
    }
    expect(cuts).toBeGreaterThan(2);
  });

interface End {
  readonly state: { readonly objects: unknown; readonly releases: unknown };
  /** Whether the run was killed before its end. */
  readonly isCut: boolean;
}

/** Runs the lines; the last one is killed after so many writes, and then run again by another person. */
async function endAfter(before: readonly string[], line: string, cut: number | undefined): Promise<End> {
  await using cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret, Namespace] });
  await cluster.create(ConfigMap, { metadata: { name: "mine" }, data: { value: "1" } });
  const releases = new Releases(cluster);
  for (const each of before) expect(await releases.run(each)).toMatchObject({ code: 0 });
  let writes = 0;
  let isCut = false;
  const end = cluster.onRequest((request) => {
    if (cut !== undefined && writes >= cut) {
      isCut = true;
      throw new ApiError({ message: "the process was killed", status: 401, reason: "Unauthorized" });
    }
    if (isWrite(request)) writes++;
  });
  const first = await releases.run(line);
  end();
  if (cut === undefined || !isCut) expect(first).toMatchObject({ code: 0 });
  else expect(await releases.run(line, { user: "bob" })).toMatchObject({ code: 0 });
  return { state: await stateOf(cluster, releases), isCut };
}

function isWrite({ verb, path }: Omit<RecordedRequest, "status">): boolean {
  return !["get", "list", "watch", "other"].includes(verb) && !path.includes("dryRun=All");
}

/** What users see of a cluster: objects with owners, and releases. */
async function stateOf(cluster: TestCluster, releases: Releases): Promise<End["state"]> {
  const maps = await cluster.list(ConfigMap);
  const objects = maps.map(({ metadata: { namespace, name, labels }, data }) => ({ namespace, name, labels, data }));
  const secrets = (await cluster.list(Secret)).map(({ metadata }) => metadata.name).toSorted();
  const namespaces = (await cluster.list(Namespace)).map(({ metadata }) => metadata.name).toSorted();
  const { items } = JSON.parse((await releases.run("list -A -o json")).out) as { items: readonly Record<string, unknown>[] };
  return {
    objects: [objects, namespaces],
    releases: [secrets, items.map(({ release, revision, state, lock }) => ({ release, revision, state, lock }))],
  };
}
