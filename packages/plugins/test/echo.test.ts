/**
 * A plugin that repeats the values of its Secrets wherever it can. Neither they nor their beginnings are shown.
 *
 * @module-tag memory
 */
import { ConfigMap, Event, Secret } from "@treadle/apimachinery/kinds";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FaultStage, faultStage, program } from "./fault-stage.ts";
import { Capability } from "./stage.ts";

/** Nothing else begins as it does, in plain or in base64. */
const VALUE = "Zq7k-hunter2-hunter2";
const BEGINNINGS = [VALUE.slice(0, 4), "hunter2", Buffer.from(VALUE).toString("base64").slice(0, 5)];

const cutAt = (length: number): string => `"x".repeat(${length - 6}) + value`;
const state = (message: string, more = "{}"): string =>
  `objects(secret, { ...map("a"), state: { type: "Failed", reason: "Broken", message: ${message}, ...${more} } })`;

/** What the plugin does with the \`value\`, as code: it writes, and returns an answer. */
const ECHOES: readonly { readonly name: string; readonly echo: string; readonly live?: boolean }[] = [
  { name: "an exception", echo: "(() => { throw new Error(value) })()" },
  { name: "a long exception", echo: `(() => { throw new Error(${cutAt(1_024)}) })()` },
  { name: "an error", echo: `({ error: { code: "Broken", message: "it has " + value, terminal: false } })` },
  { name: "a terminal error", echo: `({ error: { code: "Broken", message: ${cutAt(1_000)}, terminal: true } })` },
  { name: "the code of an error", echo: `({ error: { code: "x " + value, message: "", terminal: false } })` },
  { name: "the cut code of an error", echo: `({ error: { code: ${cutAt(100)}, message: "", terminal: false } })` },
  { name: "a problem", echo: `({ problems: { problems: [{ path: "spec." + value, message: value }] } })` },
  { name: "a cut problem", echo: `({ problems: { problems: [{ path: "spec", message: ${cutAt(296)} }] } })` },
  { name: "an id, twice", echo: "objects(map(value), map(value))" },
  { name: "the name of an object", echo: `objects(map("a", { metadata: { name: "A " + value } }))` },
  { name: "a namespace", echo: `objects(map("a", { metadata: { namespace: value } }))` },
  { name: "an annotation", echo: `objects(map("a", { metadata: { annotations: { [value]: 1 } } }))` },
  { name: "a kind", echo: `objects(map("a", { kind: value }))` },
  { name: "a state", echo: state("value") },
  { name: "a long state", echo: state(cutAt(1_024)) },
  { name: "the reason of a state", echo: state(`""`, "{ reason: value }") },
  { name: "the attribute of a state", echo: state(`""`, "{ attributes: [{ name: value, value }] }") },
  { name: "a line", echo: `log("it is " + value + " and " + btoa(value))` },
  { name: "a cut line", echo: `log(${cutAt(8_192)})` },
  { name: "a line of hclog as JSON", echo: `log(JSON.stringify({ "@level": "warn", "@message": value, "@module": value, key: value }))` },
  { name: "an escaped line of hclog", echo: `log(JSON.stringify({ "@level": "warn", "@message": value }).replaceAll("Z", "\\\\u005a"))` },
  { name: "a line of hclog as text", echo: `log("2024-01-01T00:00:00.000Z [WARN]  it is " + value)` },
  { name: "a line of stdout", echo: `(console.log(value), objects(secret))` },
  {
    name: "its last words",
    echo: `(process.stderr.write("fatal error: " + value + "\\n"), setTimeout(() => process.exit(1), 50), objects(secret))`,
  },
];

const CODE = `
import { readFileSync, writeFileSync, existsSync } from "node:fs";
const secret = map("credentials", { kind: "Secret", stringData: { password: ${JSON.stringify(VALUE)} } });
const log = (line) => { process.stderr.write(line + "\\n"); return objects(secret); };
const echo = (nth, value, objects) => [${ECHOES.map(({ echo }) => `() => ${echo}`).join(",\n")}][nth]();
const answer = (request) => {
  const { nth, isFirst } = parametersOf(request);
  if (nth === undefined) return objects(secret);
  // The value is that of the live Secret, or that of the Secret in the same answer.
  const live = request.live.map(({ object }) => JSON.parse(object)).find(({ kind }) => kind === "Secret");
  const value = isFirst ? ${JSON.stringify(VALUE)} : atob(live.data.password);
  return echo(nth, value, objects);
};`;

let stage: FaultStage;

beforeAll(async () => {
  stage = await faultStage({ echo: [ConfigMap, Secret] });
  await stage.put("echo", program("echo", "plan: (_, request) => answer(request)", CODE));
  await stage.own("echo");
  await isReady();
});

afterAll(() => stage[Symbol.asyncDispose]());

const isReady = (): Promise<void> =>
  stage.until(async () => (await stage.condition("echo", "Ready")).startsWith("True"), "the plugin is Ready");

/** All that users see, with the log after its first `from` characters. */
async function shown(from = 0): Promise<string> {
  const { items } = await stage.cluster.client.list(Event);
  const owner = await stage.cluster.get(Capability, "echo");
  return JSON.stringify([owner, items, await stage.infos(), await stage.metrics(), stage.operator.events]) + stage.logs().slice(from);
}

/** The places where a value begins. */
function leaks(text: string): readonly string[] {
  return BEGINNINGS.flatMap((beginning) =>
    [...text.matchAll(new RegExp(beginning, "g"))].map(({ index }) => text.slice(Math.max(0, index - 80), index + 30)),
  );
}

const plans = async (): Promise<number> =>
  [...(await stage.metrics()).matchAll(/calls_total\{plugin="echo",method="Plan".*\} (\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0);

test.for(ECHOES.map(({ name }, nth) => ({ name, nth })))("a value of a Secret in $name is not shown", async ({ nth }) => {
  const [asked, from] = [await plans(), stage.logs().length];
  await stage.set("echo", { nth });
  await stage.until(async () => (await plans()) > asked, "it was asked");
  await stage.pass(3_000);
  expect(leaks(await shown(from))).toEqual([]);
  await stage.set("echo", { nth: null });
  await isReady();
});

test("the lines and the end of the plugin were shown without the values", async () => {
  for (const part of ["it is <redacted> and <redacted>", "fatal error: <redacted>", "is not ready (Away): it ended"])
    await stage.until(() => stage.logs().includes(part), `the log has ${part}`);
  expect(leaks(await shown())).toEqual([]);
});

test("a value of a Secret in the state of another object of the same first answer is not shown", async () => {
  const from = stage.logs().length;
  await stage.cluster.delete(Capability, "echo");
  await stage.pass(2_000);
  await stage.cluster.create(Capability, {
    metadata: { name: "echo" },
    spec: { category: "database", type: "echo", parameters: { nth: 13, isFirst: true } },
  });
  await stage.until(async () => (await stage.condition("echo", "Ready")).includes("redacted"), "the state is shown");
  expect(leaks(await shown(from))).toEqual([]);
});
