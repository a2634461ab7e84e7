import { kind } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { json, scriptedTransport } from "../test/scripted-transport.ts";
import { createClient } from "./create-client.ts";
import { warningsIn } from "./warnings.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const ref = { name: "a", namespace: "ns" };
const object = { kind: "Widget", metadata: ref };
const warned = (header: string) => json(200, object, { warning: header });

test.for([
  { header: '299 - "one"', want: ["one"] },
  {
    header: '299 - "one, with a comma", 299 kube "say \\"two\\" \\\\ 3" "Sun, 06 Nov 1994 08:49:37 GMT"',
    want: ["one, with a comma", 'say "two" \\ 3'],
  },
  { header: '110 - "stale"', want: [] },
  { header: "299 - one", want: [] },
  { header: "", want: [] },
])("the header $header holds the warnings $want", ({ header, want }) => {
  expect(warningsIn(header)).toEqual(want);
});

test("each warning is reported once for all calls", async () => {
  const told: string[] = [];
  const transport = scriptedTransport(warned('299 - "old"'), warned('299 - "old", 299 - "odd"'), warned('299 - "old"'), json(200, object));
  const client = createClient({ transport, onWarning: (text) => told.push(text) });
  await client.get(Widget, ref);
  await client.patch(Widget, ref, { type: "merge", body: {} });
  await client.raw({ method: "GET", path: "/version", headers: {} });
  await client.get(Widget, ref);
  expect(told).toEqual(["old", "odd"]);
});

test("warnings are process warnings without onWarning, and an onWarning that throws breaks no call", async () => {
  const seen: string[] = [];
  const listen = (warning: Error): void => void seen.push(`${warning.name}: ${warning.message}`);
  process.on("warning", listen);
  const transport = scriptedTransport(warned('299 - "old"'));
  await createClient({ transport, server: "https://api" }).get(Widget, ref);
  const boom = (): never => {
    throw new Error("boom");
  };
  expect(await createClient({ transport, onWarning: boom }).get(Widget, ref)).toEqual(object);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(seen).toEqual(["KubernetesWarning: https://api: old", "TreadleWarning: the onWarning of a client threw: boom"]);
});
