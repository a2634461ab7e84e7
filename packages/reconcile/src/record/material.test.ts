/** Whose change voids what a pass decided: ours always, somebody's own never, anything else unless it goes on for ever. */
import type { KubernetesObject, ManagedFieldsEntry } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { handler, pipelineOf } from "../handler.ts";
import { step } from "../step.ts";
import { Widget } from "../../test/fixtures.ts";
import { type Change, Heartbeats } from "./heartbeats.ts";
import { type Basis, materialChanges, nameOf } from "./material.ts";

const OURS = "widgets.test.treadle.dev";
const built = handler(Widget)
  .step(step(Widget, { name: "a", do() {} }))
  .build();

type Fields = Record<string, unknown>;

function object(given: {
  readonly metadata?: Fields;
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly owners?: Fields;
}): KubernetesObject {
  const managedFields = Object.entries(given.owners ?? {}).map(
    ([manager, fieldsV1]) => ({ manager, operation: "Update", fieldsType: "FieldsV1", fieldsV1 }) as ManagedFieldsEntry,
  );
  const { metadata, spec = { size: 1 }, status = {} } = given;
  return {
    apiVersion: "test.treadle.dev/v1",
    kind: "Widget",
    metadata: { name: "a", managedFields, ...metadata },
    spec,
    status,
  } as KubernetesObject;
}

const changesOf = (
  before: Parameters<typeof object>[0],
  after: Parameters<typeof object>[0],
  given: { readonly basis?: Basis; readonly touched?: unknown } = {},
): readonly string[] =>
  materialChanges(pipelineOf(built), [object(before), object(after)], { basis: given.basis ?? "decision", touched: given.touched }).map(
    (change) => `${nameOf(change)}${change.isDecisive ? "!" : ""}`,
  );

const status = (fields: Fields): Fields => ({ "f:status": fields });

test.for<[string, readonly string[], readonly string[]]>([
  ["nothing", changesOf({}, {}), []],
  ["the spec", changesOf({}, { spec: { size: 2 } }), ["spec, deletion or step state!"]],
  ["a deletion", changesOf({}, { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }), ["spec, deletion or step state!"]],
  ["a finalizer", changesOf({}, { metadata: { finalizers: ["x/y"] } }), []],
  ["a condition", changesOf({}, { status: { conditions: [{ type: "X" }] } }), []],
  ["another handler's step state", changesOf({}, { status: { steps: { other: { n: 1 } } } }), []],
  ["a label", changesOf({}, { metadata: { labels: { a: "b" } } }), ["metadata.labels.a"]],
  [
    "a label of ours",
    changesOf({}, { metadata: { labels: { a: "b" } }, owners: { [OURS]: { "f:metadata": { "f:labels": { "f:a": {} } } } } }),
    ["metadata.labels.a!"],
  ],
  ["an owner reference", changesOf({}, { metadata: { ownerReferences: [{ name: "x" }] } }), ["metadata.ownerReferences"]],
  ["a status field of nobody", changesOf({}, { status: { other: "x" } }), ["status.other"]],
  ["one of somebody else", changesOf({}, { status: { other: "x" }, owners: { them: status({ "f:other": {} }) } }), []],
  ["one of ours", changesOf({}, { status: { other: "x" }, owners: { [OURS]: status({ "f:other": {} }) } }), ["status.other!"]],
  [
    "one of both",
    changesOf({}, { status: { other: "x" }, owners: { them: status({ "f:other": {} }), [OURS]: status({ "f:other": {} }) } }),
    ["status.other!"],
  ],
  [
    "one of somebody else that the pass writes too",
    changesOf({}, { status: { other: "x" }, owners: { them: status({ "f:other": {} }) } }, { touched: { other: null } }),
    ["status.other!"],
  ],
  [
    "a member of a map, beside one of ours",
    changesOf(
      { status: { parts: { mine: "1" } } },
      {
        status: { parts: { mine: "1", theirs: "2" } },
        owners: { them: status({ "f:parts": { "f:theirs": {} } }), [OURS]: status({ "f:parts": { ".": {}, "f:mine": {} } }) },
      },
    ),
    [],
  ],
  [
    "what is in an atomic map of somebody else",
    changesOf({ status: { parts: { a: "1" } } }, { status: { parts: { a: "2" } }, owners: { them: status({ "f:parts": {} }) } }),
    [],
  ],
  [
    "a field that went, where somebody once wrote an empty status",
    changesOf({ status: { other: "x" } }, { owners: { them: status({}) } }),
    ["status.other"],
  ],
  [
    "after the cleanups, a status field and an owner reference",
    changesOf({}, { status: { other: "x" }, metadata: { ownerReferences: [{ name: "x" }] } }, { basis: "cleanup" }),
    [],
  ],
  [
    "after the cleanups, an annotation",
    changesOf({}, { metadata: { annotations: { a: "b" } } }, { basis: "cleanup" }),
    ["metadata.annotations.a"],
  ],
])("%s", ([, got, want]) => {
  expect(got).toEqual(want);
});

describe("a heartbeat", () => {
  const beat: Change = { path: "metadata\u0000labels\u0000beat", isDecisive: false };
  const other: Change = { path: "metadata\u0000labels\u0000other", isDecisive: false };
  const spec: Change = { path: "", isDecisive: true };

  test("is what ended two passes in a row; it stays one", () => {
    const heartbeats = new Heartbeats();
    for (const want of [[beat], [beat], [], []]) {
      const left = heartbeats.without([beat]);
      expect(left).toEqual(want);
      heartbeats.passEnded(left.length === 0 ? undefined : left);
    }
    heartbeats.passEnded(undefined);
    expect(heartbeats.without([beat, other])).toEqual([other]);
  });

  test("is not what ended two passes with one between that came to its end", () => {
    const heartbeats = new Heartbeats();
    for (const by of [[beat], undefined, [beat]]) heartbeats.passEnded(by);
    expect(heartbeats.without([beat])).toEqual([beat]);
  });

  test("is never the spec, however often it changes", () => {
    const heartbeats = new Heartbeats();
    for (let i = 0; i < 9; i++) heartbeats.passEnded([spec]);
    expect(heartbeats.without([spec])).toEqual([spec]);
    expect(heartbeats.passesInARow).toBe(9);
  });
});
