/** Warnings before something fails. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fakeClock, type Kind, kind, metadataOnly, seededRandom } from "@treadle/apimachinery";
import { Event, Pod, Secret } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { createInformers, type InformersOptions, type InformerWarning } from "../src/index.ts";
import { added, apiError, bookmark, deleted, page, scripted, widget, Widget } from "./scripted.ts";

const ConfigMap = kind({ group: "", version: "v1", kind: "ConfigMap" });

function rig(options: Partial<InformersOptions> = {}) {
  const clock = fakeClock();
  const script = scripted();
  const warnings: (InformerWarning & { of: string })[] = [];
  const onWarning = (warning: InformerWarning, of: Kind): void => void warnings.push({ ...warning, of: of.kind });
  const informers = createInformers({ client: script.client, clock, random: seededRandom(1), onWarning, ...options });
  return { ...script, informers, warnings, settle: () => clock.advance(0), types: () => warnings.map(({ type, of }) => `${type} ${of}`) };
}

test.for([
  ["Secrets", Secret, {}, ["unscoped Secret"]],
  ["the metadata of Secrets: it is what reads of a Secret watch", metadataOnly(Secret), {}, []],
  ["Pods", Pod, {}, ["unscoped Pod"]],
  ["Events", Event, {}, ["unscoped Event"]],
  ["the metadata of Pods: it is small", metadataOnly(Pod), {}, []],
  ["Pods of a selection", Pod, { labelSelector: { app: "x" } }, []],
  ["Secrets of a type", Secret, { fieldSelector: "type=kubernetes.io/tls" }, []],
  ["Secrets of a namespace", Secret, { namespaces: ["x"] }, []],
  ["another kind", ConfigMap, {}, []],
] as const)("the warning about a watch of the whole cluster: %s", async ([, of, scope, want]) => {
  const r = rig();
  r.informers.for<Kind>(of, scope);
  expect(r.types()).toEqual([]);
  r.informers.startAll();
  expect(r.types()).toEqual(want);
  for (const { message } of r.warnings) expect(message).toContain("set createManager({ namespaces }), or a selector");
  await r.informers.stop();
});

test("a change to all namespaces at run time gives the warning once", async () => {
  const r = rig({ namespaces: ["x"] });
  r.informers.for(Pod);
  r.informers.startAll();
  expect(r.types()).toEqual([]);
  for (const namespaces of [undefined, ["x"], undefined]) void r.informers.setNamespaces(namespaces);
  expect(r.types()).toEqual(["unscoped Pod"]);
  await r.informers.stop();
});

/** 1,000 bytes of JSON each. */
const large = Array.from({ length: 20 }, (_, i) => {
  const object = widget(`w${i}`, i + 1, { spec: "" });
  return { ...object, spec: "x".repeat(1000 - JSON.stringify(object).length) };
});

/** Has listed the first 20 of 700 objects. */
async function withFirstPage(options: Parameters<typeof rig>[0]): Promise<ReturnType<typeof rig>> {
  const r = rig(options);
  r.informers.for(Widget);
  r.informers.startAll();
  await r.settle();
  r.watch().fail(apiError(422));
  await r.settle();
  const first = page(99, large, "next");
  r.list().answer({ ...first, metadata: { ...first.metadata, remainingItemCount: 680 } });
  await r.settle();
  return r;
}

test("a list that will not fit into memory gives a warning at its first page, with numbers and advice", async () => {
  const r = await withFirstPage({ memoryLimitBytes: 2_000_000 });
  expect(r.types()).toEqual(["memory Widget"]);
  expect(r.warnings[0]?.message).toContain(
    "the cache of Widget may not fit into memory: 700 objects of some 1.5 KB; with all other kinds about 1.1 MB of the 2.0 MB that the process may use",
  );
  expect(r.warnings[0]?.message).toContain('metadataOnly(Widget)), or some fields: cached(Widget, { keep: ["spec.x"] })');
  r.list().answer(page(99, large));
  await r.settle();
  expect(r.types()).toHaveLength(1);
  await r.informers.stop();
});

test("a list that begins again counts its objects once", async () => {
  const r = rig({ memoryLimitBytes: 2_000_000 });
  r.informers.for(Widget);
  r.informers.startAll();
  await r.settle();
  r.watch().fail(apiError(422));
  await r.settle();
  const many = Array.from({ length: 250 }, (_, i) => widget(`w${i}`, i + 1, { spec: "x".repeat(800) }));
  const first = page(99, many, "next");
  const answer = async (): Promise<void> => {
    r.list().answer({ ...first, metadata: { ...first.metadata, remainingItemCount: 300 } });
    await r.settle();
  };
  await answer();
  r.list().fail(apiError(410));
  await r.settle();
  await answer();
  expect(r.types()).toEqual([]);
  await r.informers.stop();
});

test("a list that fits into memory gives no warning", async () => {
  const r = await withFirstPage({ memoryLimitBytes: 2_200_000 });
  expect(r.types()).toEqual([]);
  await r.informers.stop();
});

test("a stream gives the memory warning when the objects of all kinds so far fill a quarter of the limit", async () => {
  const r = rig({ memoryLimitBytes: 200_000 });
  r.informers.for(Widget);
  r.informers.for(ConfigMap);
  r.informers.startAll();
  await r.settle();
  r.watch().open(...large.map(added), deleted(large[0] as never), bookmark(99, true));
  await r.settle();
  expect(r.types()).toEqual([]);
  r.watch().open(...large.map(added));
  await r.settle();
  expect(r.types()).toEqual(["memory ConfigMap"]);
  expect(r.warnings[0]?.message).toContain("so far, and more to come");
  await r.informers.stop();
});

test.for([
  [["--max-old-space-size=128"], "", 128],
  [["--max_old_space_size=100"], "--max-old-space-size=300", 100],
  [[], "--max-semi-space-size=2 --max-old-space-size=300", 300],
] as const)("the memory limit is that of the old space, without the young space: %j, NODE_OPTIONS %j", ([flags, NODE_OPTIONS, want]) => {
  const source = fileURLToPath(new URL("../src/internal/memory-budget.ts", import.meta.url));
  const program = `import { memoryLimitBytes } from ${JSON.stringify(source)}; console.log(memoryLimitBytes() / 1024 ** 2)`;
  const args = [...flags, "--conditions=@treadle/source", "--input-type=module", "--eval", program];
  expect(Number(execFileSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, NODE_OPTIONS } }))).toBe(want);
});
