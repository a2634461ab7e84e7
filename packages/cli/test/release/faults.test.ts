/** A connection that fails at any request: the run recovers, or says what is wrong, and the next run finishes it. */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { type FaultName, startFaultProxy, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { configMapYaml, folderOf, Releases } from "./release-terminal.ts";

const ONE = folderOf({ "a.yaml": configMapYaml("a", "1"), "gone.yaml": configMapYaml("gone", "1") });
const TWO = folderOf({ "a.yaml": configMapYaml("a", "2"), "b.yaml": configMapYaml("b", "1", { "treadle.dev/apply-order": "1" }) });

/** Runs an upgrade and a deletion, of which the n-th request has a fault. Returns whether there was such a request. */
async function withFault(fault: FaultName, nth: number): Promise<boolean> {
  await using cluster = await startTestCluster({ https: true, http: true, kinds: [ConfigMap, Secret] });
  await using proxy = await startFaultProxy({ target: cluster.url });
  const releases = new Releases(cluster);
  expect(await releases.run(`apply shop ${ONE}`)).toMatchObject({ code: 0 });
  const verbs = ["get", "list", "create", "update", "patch", "apply", "delete"] as const;
  const handle = proxy.faults.add({ fault, nth, on: { verb: verbs } });
  const tried = [await releases.run(`apply shop ${TWO} --server ${proxy.url}`, { env: { KUBECONFIG: "" } })];
  tried.push(await releases.run(`apply shop ${TWO}`));
  const values = (await cluster.list(ConfigMap, "default")).map(({ metadata, data }) => [metadata.name, data]);
  expect({ nth, values }).toEqual({
    nth,
    values: [
      ["a", { value: "2" }],
      ["b", { value: "1" }],
    ],
  });
  tried.push(await releases.run(`delete shop --server ${proxy.url}`, { env: { KUBECONFIG: "" } }));
  tried.push(await releases.run("delete shop --ignore-not-found"));
  expect([await cluster.list(ConfigMap, "default"), await cluster.list(Secret, "default")]).toEqual([[], []]);
  for (const { err } of tried) expect(err).not.toMatch(/\n +at /);
  expect(tried[1]).toMatchObject({ code: 0 });
  expect(tried[3]).toMatchObject({ code: 0 });
  return handle.hits.length > 0;
}

for (const fault of ["lostResponse", "conflict"] as const)
  test(`${fault} at any request of an upgrade or a deletion`, { tags: ["memory", "long"], timeout: 240_000 }, async () => {
    let nth = 1;
    while (await withFault(fault, nth)) nth++;
    expect(nth).toBeGreaterThan(10);
  });
