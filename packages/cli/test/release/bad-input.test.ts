/** What a user may get wrong: each message says what, where, and what to do. Nothing is written. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMapYaml, folderOf, Releases } from "./release-terminal.ts";

const memory = { tags: ["memory"] };
const good = folderOf({ "a.yaml": configMapYaml("a", "1") });
const folder = folderOf({
  "empty.yaml": "---\n# nothing\n",
  "twice.yaml": `${configMapYaml("a", "1")}---\n${configMapYaml("a", "2")}`,
  "broken.yaml": "kind: [\n",
  "nameless.yaml": "apiVersion: v1\nkind: ConfigMap\n",
  "misspelled.yaml": configMapYaml("a", "1", { "treadle.dev/aply-order": "1" }),
  "list.txt": "",
  "values.yaml": "a: 1\n",
  "no-values.yaml": "- 1\n",
  "module.mjs": "export const x = 1;\n",
  "throws.mjs": "throw new Error('at import');\n",
});
let cluster: TestCluster;
let releases: Releases;

beforeAll(async () => {
  cluster = await startTestCluster({ https: true, kinds: [ConfigMap, Secret] });
  releases = new Releases(cluster);
  writeFileSync(join(folder, "large.yaml"), largeYaml());
});

afterAll(async () => {
  await cluster.stop();
});

/** Text that does not get smaller by compression. */
function largeYaml(): string {
  let state = 1;
  const next = (): string => String.fromCharCode(33 + ((state = (state * 48_271) % 2_147_483_647) % 90)).replaceAll(/["\\']/g, "x");
  return Array.from({ length: 3 }, (_, i) => configMapYaml(`large-${i}`, Array.from({ length: 700_000 }, next).join(""))).join("---\n");
}

test.for([
  ["apply Shop good", /"Shop" cannot be the name of a release: use at most 53 small letters/],
  ["apply ./deploy good", /the name of the release comes first: treadle apply NAME SOURCE/],
  ["apply a.b good", /"a.b" cannot be the name of a release/],
  ["apply shop missing.yaml", /missing.yaml does not exist; a source is a YAML file/],
  ["apply shop oci://example.dev/chart", /is an address; download it first/],
  ["apply shop https://example.dev/a.yaml", /is an address; download it first/],
  ["apply shop DIR/list.txt", /list.txt is no source: its name ends with none of/],
  ["apply shop DIR/empty.yaml", /the sources have no objects: .*empty.yaml; to remove all objects of the release: treadle delete shop/],
  ["apply shop DIR/twice.yaml", /ConfigMap .*a.*twice/],
  ["apply shop DIR/broken.yaml", /broken.yaml:\d+ \(document 1\)/],
  ["apply shop DIR/nameless.yaml", /nameless.yaml:1 \(document 1\): ConfigMap has no metadata.name/],
  ["apply shop DIR/misspelled.yaml", /aply-order/],
  [
    "apply shop DIR/large.yaml",
    /revision 1 of release default\/shop takes \d\.\d\d MiB after compression, and a Secret holds 0.95 MiB; nothing was changed/,
  ],
  ["apply shop DIR/module.mjs", /module.mjs: the module has no function as its default export/],
  ["apply shop DIR/throws.mjs", /throws.mjs: at import/],
  ["apply shop - -", /several arguments are -, and there is one standard input/],
  ["apply shop -", /there is no standard input; name a file/],
  ["apply shop good -f DIR/values.yaml", /none of the sources takes them/],
  ["apply shop good --set a", /--set "a" cannot be read at "a"; write KEY=VALUE/],
  ["apply shop good -f DIR/none.yaml", /-f .*none.yaml cannot be read/],
  ["apply shop good -f DIR/no-values.yaml", /no-values.yaml is no map of values/],
  ["apply shop good --timeout 5", /--timeout 5 is no time; write a number with a unit, such as 90s/],
  ["apply shop good --history-max 0", /--history-max 0 is no number of revisions/],
  ["apply shop good --target-namespace A_B", /--target-namespace "A_B" cannot be a namespace/],
  ["apply shop", /missing required argument 'source'/],
  ["status shop", /release default\/shop does not exist; `treadle list -A` shows all releases/],
  ["history shop", /release default\/shop does not exist/],
  ["rollback shop", /release default\/shop does not exist/],
  ["rollback shop last", /"last" is no revision/],
  ["delete shop", /release default\/shop does not exist/],
  ["tree release/shop", /release default\/shop does not exist/],
  ["adopt shop", /name the objects to adopt as KIND\/NAME, or a release of Helm by --from-helm/],
  ["adopt shop configmap/none", /ConfigMap default\/none does not exist/],
  ["adopt shop --from-helm none", /Helm has no release none in the namespace default/],
  ["delete shop --cascade foreground", /Allowed choices are delete, orphan/],
] as const)("treadle %s", memory, async ([line, want]) => {
  const words = line.replaceAll("DIR", folder).replaceAll(/\bgood\b/g, good);
  const { code, out, err } = await releases.run(words);
  expect(err).toMatch(want);
  expect([code, out]).toEqual([2, ""]);
  expect(err).not.toMatch(/not an expected failure|\n +at /);
  expect([await cluster.list(ConfigMap, "default"), await cluster.list(Secret, "default")]).toEqual([[], []]);
});

test("a namespace without releases is no failure", memory, async () => {
  expect(await releases.run("list")).toEqual({
    code: 0,
    out: "",
    err: "the namespace default has no releases; -A shows those of all namespaces\n",
  });
  expect(await releases.run("delete shop --ignore-not-found")).toEqual({ code: 0, out: "", err: "" });
});
