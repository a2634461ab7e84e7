/** Answers in protobuf. The objects are those that a real server encoded (`fixtures/protobuf.jsonl`). */
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { serveHttp } from "../src/index.ts";
import type { JsonObject } from "../src/internal/json.ts";
import { decodeProtobuf, WireError } from "../src/protobuf/decode.ts";
import { encodeProtobuf } from "../src/protobuf/encode.ts";
import { CONFIG_MAPS, configMap, harness, WIDGETS, widget } from "./harness.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const PARTIAL = `${PROTOBUF};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io`;

const recorded = readFileSync(new URL("fixtures/protobuf.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly object: JsonObject; readonly bytes: string }); // written from answers of a real server

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

/** Removes empty fields that a real server writes. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !['""', "0", "false", "null", "{}", "[]"].includes(JSON.stringify(member))));
}

test.for(recorded.map(({ object, bytes }) => ({ name: `${String(object["kind"])}`, object, bytes })))(
  "the answer for $name in protobuf is that of a real server",
  ({ object, bytes }) => {
    const given = decodeProtobuf(encodeProtobuf(object));
    expect(withoutEmpty(given)).toEqual(withoutEmpty(decodeProtobuf(Buffer.from(bytes, "base64").toString("latin1"))));
  },
);

test("a value that does not fit its field is reported, not written", () => {
  const odd = { apiVersion: "v1", kind: "ConfigMap", metadata: { generation: "x" } };
  expect(() => encodeProtobuf(odd)).toThrow(WireError);
  expect(() => encodeProtobuf({ apiVersion: "example.com/v1", kind: "Widget" })).toThrow(WireError);
});

describe("over HTTP", () => {
  async function server() {
    const given = harness();
    const http = await serveHttp(given.server);
    open.push(given.server, http);
    const bytes = async (path: string, accept = PROTOBUF, init: RequestInit = {}): Promise<{ type: string | null; object: unknown }> => {
      const response = await fetch(http.url + path, { ...init, headers: { accept } });
      const text = Buffer.from(await response.arrayBuffer()).toString("latin1");
      return { type: response.headers.get("content-type"), object: decodeProtobuf(text) };
    };
    return { ...given, http, bytes };
  }

  test("objects, lists, metadata and refusals are answered in protobuf", async () => {
    const { call, bytes } = await server();
    await call("POST", CONFIG_MAPS, configMap("a", { data: { text: "grüße" }, binaryData: { raw: "AP8B" } }));
    expect(await bytes(`${CONFIG_MAPS}/a`)).toMatchObject({
      type: PROTOBUF,
      object: { kind: "ConfigMap", metadata: { name: "a" }, data: { text: "grüße" }, binaryData: { raw: "AP8B" } },
    });
    expect(await bytes(CONFIG_MAPS)).toMatchObject({ object: { kind: "ConfigMapList", items: [{ metadata: { name: "a" } }] } });
    expect(await bytes(`${CONFIG_MAPS}/absent`)).toMatchObject({
      type: PROTOBUF,
      object: { kind: "Status", code: 404, reason: "NotFound", details: { name: "absent", kind: "configmaps" } },
    });
    await call("POST", WIDGETS, widget("w"));
    expect(await bytes(WIDGETS, PARTIAL)).toMatchObject({
      object: { kind: "PartialObjectMetadataList", items: [{ metadata: { name: "w" } }] },
    });
    expect(await bytes(WIDGETS)).toMatchObject({ object: { kind: "Status", code: 406 } });
    const { headers } = await call("GET", WIDGETS, undefined, { accept: `${PROTOBUF},application/json` });
    expect(headers["content-type"]).toBe("application/json");
  });

  test("a watch in protobuf sends frames that begin with their length", async () => {
    const { call, http } = await server();
    await call("POST", CONFIG_MAPS, configMap("a", { data: { text: "grüße" } }));
    const end = new AbortController();
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const response = await fetch(`${http.url}${CONFIG_MAPS}?${query}`, { headers: { accept: PROTOBUF }, signal: end.signal });
    expect(response.headers.get("content-type")).toBe(`${PROTOBUF};stream=watch`);
    const frames: Buffer[] = [];
    let bytes = Buffer.alloc(0);
    for await (const chunk of response.body ?? []) {
      bytes = Buffer.concat([bytes, chunk as Uint8Array]); // what fetch reads
      while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE()) {
        frames.push(bytes.subarray(4, 4 + bytes.readUInt32BE()));
        bytes = bytes.subarray(4 + bytes.readUInt32BE());
      }
      if (frames.length === 2) break;
    }
    end.abort();
    expect(frames.map((frame) => frame.subarray(2, 2 + (frame[1] ?? 0)).toString())).toEqual(["ADDED", "BOOKMARK"]);
    const [added, bookmark] = frames.map((frame) => decodeProtobuf(frame.subarray(frame.indexOf("k8s\0")).toString("latin1")));
    expect(added).toMatchObject({ kind: "ConfigMap", data: { text: "grüße" } });
    expect(bookmark).toMatchObject({ kind: "ConfigMap", metadata: { annotations: { "k8s.io/initial-events-end": "true" } } });
  });
});
