/** Objects of a kind whose versions have different fields and defaults, without a conversion webhook: generations, versions and field owners. */
import type { Json, Scenario, Session } from "../session.ts";
import { serveKind } from "./served-kind.ts";

const MERGE = { headers: { "content-type": "application/merge-patch+json" } };
const APPLY = { query: "fieldManager=applier&force=true", headers: { "content-type": "application/apply-patch+yaml" } };

const text = { type: "string" };
const schema = (fields: Json): Json => ({
  type: "object",
  properties: { spec: { type: "object", properties: fields }, status: { type: "object", properties: { s: text } } },
});
const plain = schema({ a: text });

/** Schemas of v1, which is stored, and v2. */
const PAIRS: Readonly<Record<string, readonly [v1: Json, v2: Json]>> = {
  "equal fields": [plain, plain],
  "fewer fields in the other version": [schema({ a: text, b: text }), plain],
  "a default in the other version": [plain, schema({ a: text, b: { ...text, default: "d" } })],
  "a default in the stored version": [schema({ a: text, b: { ...text, default: "d" } }), plain],
  "two defaults": [schema({ a: text, b: { ...text, default: "d1" } }), schema({ a: text, b: { ...text, default: "d2" } })],
  "another type": [schema({ a: text, b: text }), schema({ a: text, b: { type: "integer" } })],
};

export const differingVersions: readonly Scenario[] = Object.entries(PAIRS).map(([name, [v1, v2]], i) => ({
  name: `versions with ${name}`,
  run: (session) => play(session, `Pair${i}`, v1, v2),
}));

async function play(session: Session, kind: string, v1: Json, v2: Json): Promise<void> {
  const { send, quietly } = session;
  const { group, pathIn, stop } = await serveKind(session, kind, [
    { name: "v1", schema: v1 },
    { name: "v2", schema: v2 },
  ]);
  const object = (version: string, name: string, spec: Json): Json => ({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name },
    spec,
  });
  const again = async (step: string, version: string): Promise<void> =>
    void (await send(step, "PUT", `${pathIn(version)}/a`, { body: await quietly("GET", `${pathIn(version)}/a`) }));
  await send("create in v1", "POST", pathIn("v1"), { body: object("v1", "a", { a: "1", b: "2" }) });
  await send("read in v2", "GET", `${pathIn("v2")}/a`);
  await send("label in v2", "PATCH", `${pathIn("v2")}/a`, { ...MERGE, body: { metadata: { labels: { a: "b" } } } });
  await again("as read in v2", "v2");
  await again("as read in v1", "v1");
  await again("as read in v2 again", "v2");
  await send("nothing in v2", "PATCH", `${pathIn("v2")}/a`, { ...MERGE, body: {} });
  await send("status in v2", "PATCH", `${pathIn("v2")}/a/status`, { ...MERGE, body: { status: { s: "1" } } });
  await send("spec in v2", "PATCH", `${pathIn("v2")}/a`, { ...MERGE, body: { spec: { a: "2" } } });
  await send("read in v1", "GET", `${pathIn("v1")}/a`);
  await send("apply in v2", "PATCH", `${pathIn("v2")}/a`, { ...APPLY, body: object("v2", "a", { a: "9" }) });
  await send("apply in v1", "PATCH", `${pathIn("v1")}/a`, { ...APPLY, body: object("v1", "a", { a: "9" }) });
  await send("label in v1", "PATCH", `${pathIn("v1")}/a`, { ...MERGE, body: { metadata: { labels: { a: "c" } } } });
  await send("create in v2", "POST", pathIn("v2"), { body: object("v2", "b", { a: "1" }) });
  await send("read in v1 after a create in v2", "GET", `${pathIn("v1")}/b`);
  await send("label in v1 after a create in v2", "PATCH", `${pathIn("v1")}/b`, { ...MERGE, body: { metadata: { labels: { a: "c" } } } });
  await send("list in v2", "GET", pathIn("v2"));
  await stop();
}
