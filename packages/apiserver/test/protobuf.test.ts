/** Bodies in protobuf, as clients in Go send them. The bytes are those of a real server for the recorded objects. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createApiServer, serveHttp } from "../src/index.ts";
import { decodeObject } from "../src/builtin/decode-object.ts";
import { KINDS } from "../src/builtin/schema-data.ts";
import type { JsonObject } from "../src/internal/json.ts";
import { decodeProtobuf, WireError } from "../src/protobuf/decode.ts";
import { readMeta } from "../src/objects/object-meta.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";

interface Recorded {
  readonly object: JsonObject;
  /** Bytes in base64. */
  readonly bytes: string;
}

const recorded = readFileSync(new URL("fixtures/protobuf.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded); // written from answers of a real server

/** Decodes a body as the server does: with defaults, and without fields that Go omits. */
function read(object: JsonObject): unknown {
  const unknown: string[] = [];
  const name = KINDS[`${String(object["apiVersion"])} ${String(object["kind"])}`] ?? "";
  return [decodeObject(name, { ...object, metadata: readMeta(object["metadata"], unknown) }, unknown), unknown];
}

test.for(
  recorded.map((each) => ({ name: `${String(each.object["kind"])} ${String((each.object["metadata"] as JsonObject)["name"])}`, ...each })),
)("$name is read from protobuf as from JSON", ({ object, bytes }) => {
  const decoded = decodeProtobuf(Buffer.from(bytes, "base64").toString("latin1"));
  expect(read(decoded ?? {})).toEqual(read(object));
});

test("the recorded objects have many kinds", () => {
  expect(new Set(recorded.map(({ object }) => object["kind"])).size).toBeGreaterThan(15);
});

// Any bytes are an object, an object of an unknown kind, or a WireError.
test("no bytes make the decoder crash", () => {
  const bodies = recorded.map(({ bytes }) => Buffer.from(bytes, "base64"));
  const broken = fc.tuple(fc.constantFrom(...bodies), fc.nat(), fc.nat(255), fc.nat()).map(([body, at, byte, cut]) => {
    const copy = Buffer.from(body);
    copy[4 + (at % (copy.length - 4))] = byte;
    return copy.subarray(0, 4 + (cut % (copy.length - 4)) + 1).toString("latin1");
  });
  fc.assert(
    fc.property(
      fc.oneof(
        broken,
        fc.uint8Array({ maxLength: 60 }).map((bytes) => `k8s\0${Buffer.from(bytes).toString("latin1")}`),
      ),
      (body) => {
        try {
          decodeProtobuf(body);
        } catch (error) {
          expect(error).toBeInstanceOf(WireError);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test("a namespace is created from protobuf over HTTP, and an invalid body is refused", async () => {
  const server = createApiServer();
  const front = await serveHttp(server);
  const post = async (body: Uint8Array): Promise<readonly [number, JsonObject]> => {
    const answer = await fetch(`${front.url}/api/v1/namespaces`, { method: "POST", body, headers: { "content-type": PROTOBUF } });
    return [answer.status, (await answer.json()) as JsonObject];
  };
  try {
    // Unknown{typeMeta{v1, Namespace}, raw{metadata{name: "héllo" without its accent}}}
    const text = "k8s\0\n\x0f\n\x02v1\x12\tNamespace\x12\x09\n\x07\n\x05hello";
    const [status, body] = await post(Buffer.from(text, "latin1"));
    expect([status, (body["metadata"] as JsonObject)["name"]]).toEqual([201, "hello"]);
    expect((await post(Buffer.from("k8s\0\xff", "latin1")))[0]).toBe(400);
    expect((await post(Buffer.from("{}", "latin1")))[0]).toBe(400);
  } finally {
    await front.close();
    await server.close();
  }
});
