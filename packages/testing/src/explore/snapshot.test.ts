/** What of two states is compared, and how a difference is told. */
import type { Transport } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { changes, difference } from "./diff.ts";
import { idOf, parsePoint } from "./fault-point.ts";
import { type IgnoredPath, type Snapshot, takeSnapshot } from "./snapshot.ts";

const THINGS = [{ group: "a", version: "v1", resource: "things" }];

async function snapshot(items: readonly object[], ignored: readonly IgnoredPath[] = []): Promise<Snapshot> {
  const body = JSON.stringify({ apiVersion: "a/v1", kind: "ThingList", items });
  const transport: Transport = { request: async () => ({ status: 200, headers: {}, body }), close: async () => undefined };
  return await takeSnapshot(transport, THINGS, ignored);
}

const thing = (metadata: object, rest: object = {}): object => ({ metadata: { namespace: "d", ...metadata }, ...rest });
const uid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

describe("the same state", () => {
  test.for<{ name: string; a: readonly object[]; b: readonly object[] }>([
    {
      name: "versions, generations and times differ",
      a: [
        thing(
          { name: "x", resourceVersion: "1", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" },
          { status: { at: "2026-01-01T00:00:00Z" } },
        ),
      ],
      b: [
        thing(
          { name: "x", resourceVersion: "9", generation: 4, creationTimestamp: "2026-02-01T00:00:00Z" },
          { status: { at: "2026-01-05T00:00:00.123Z" } },
        ),
      ],
    },
    {
      name: "uids differ, wherever they are mentioned",
      a: [
        thing({ name: "x", uid: uid(1) }),
        thing({ name: "y", uid: uid(2), ownerReferences: [{ uid: uid(1) }], labels: { [uid(1)]: "" } }),
      ],
      b: [
        thing({ name: "x", uid: uid(7) }),
        thing({ name: "y", uid: uid(8), ownerReferences: [{ uid: uid(7) }], labels: { [uid(7)]: "" } }),
      ],
    },
    {
      name: "generated names differ, wherever they are mentioned",
      a: [thing({ name: "x-b2c4d", generateName: "x-" }), thing({ name: "y" }, { status: { made: "x-b2c4d", url: "http://x-b2c4d.d" } })],
      b: [thing({ name: "x-zzzzz", generateName: "x-" }), thing({ name: "y" }, { status: { made: "x-zzzzz", url: "http://x-zzzzz.d" } })],
    },
    {
      name: "both are up to date with their own generation",
      a: [
        thing({ name: "x", generation: 1 }, { status: { observedGeneration: 1, conditions: [{ type: "Ready", observedGeneration: 1 }] } }),
      ],
      b: [
        thing({ name: "x", generation: 3 }, { status: { observedGeneration: 3, conditions: [{ type: "Ready", observedGeneration: 3 }] } }),
      ],
    },
    {
      name: "managers in another order, at another time",
      a: [
        thing({
          name: "x",
          managedFields: [
            { manager: "a", time: "1" },
            { manager: "b", time: "2" },
          ],
        }),
      ],
      b: [
        thing({
          name: "x",
          managedFields: [
            { manager: "b", time: "3" },
            { manager: "a", time: "4" },
          ],
        }),
      ],
    },
  ])("$name", async ({ a, b }) => {
    expect(difference(await snapshot(a), await snapshot(b))).toEqual({ missing: [], leaked: [], changed: [] });
  });
});

describe("another state", () => {
  test("is reported by object and field", async () => {
    const a = await snapshot([thing({ name: "x" }, { data: { k: "1" } }), thing({ name: "gone" })]);
    const b = await snapshot([thing({ name: "x" }, { data: { k: "2", more: "3" } }), thing({ name: "new" })]);
    expect(difference(a, b)).toEqual({
      missing: ["Thing d/gone"],
      leaked: ["Thing d/new"],
      changed: ["Thing d/x:", '  - data.k: "1"', '  + data.k: "2"', '  + data.more: "3"'],
    });
  });

  test("has another object with a generated name", async () => {
    const made = (name: string): object => thing({ name, generateName: "x-" });
    expect(difference(await snapshot([made("x-1")]), await snapshot([made("x-2"), made("x-3")])).leaked).toEqual(["Thing d/x-* (2)"]);
  });

  test("has a status that is behind its object", async () => {
    const at = (observedGeneration: number) => snapshot([thing({ name: "x", generation: 2 }, { status: { observedGeneration } })]);
    expect(difference(await at(2), await at(1)).changed).toEqual([
      "Thing d/x:",
      '  - status.observedGeneration: "current"',
      '  + status.observedGeneration: "1 behind"',
    ]);
  });

  test("conditions are compared by type, whatever their order", () => {
    const [ready, other] = [
      { type: "Ready", status: "True" },
      { type: "Other", status: "True" },
    ];
    expect([...changes([ready, other], [other, { ...ready, status: "False" }], "conditions")]).toEqual([
      '- conditions[Ready].status: "True"',
      '+ conditions[Ready].status: "False"',
    ]);
  });

  test.for<{ name: string; ignored: IgnoredPath; isIgnored: boolean }>([
    { name: "a path, with who wrote it", ignored: ["status", "seen"], isIgnored: true },
    { name: "any member", ignored: ["status", "*"], isIgnored: true },
    { name: "of this kind", ignored: { kind: { kind: "Thing" }, path: ["status", "seen"] }, isIgnored: true },
    { name: "of another kind", ignored: { kind: { kind: "Other" }, path: ["status", "seen"] }, isIgnored: false },
    { name: "another path", ignored: ["status", "other"], isIgnored: false },
  ])("ignores ", async ({ ignored, isIgnored }) => {
    const managedFields = [{ manager: "a", fieldsV1: { "f:status": { "f:seen": {} } } }];
    const a = await snapshot([thing({ name: "x", managedFields }, { status: { seen: 1 } })], [ignored]);
    const b = await snapshot(
      [thing({ name: "x", managedFields: [{ manager: "a", fieldsV1: { "f:status": {} } }] }, { status: {} })],
      [ignored],
    );
    expect(difference(a, b).changed.length === 0).toBe(isIgnored);
  });
});

test.for(["reference", "crash@0", "crash-lost@12", "skip@default/secrets#2", "stale@1+skip@things#3"])("%s is the id of a point", (id) => {
  expect(idOf(parsePoint(id))).toBe(id);
});
