/** Merge patches and JSON patches, valid and invalid. */
import { gadget } from "../gadget.ts";
import type { Scenario } from "../session.ts";

const merge = { "content-type": "application/merge-patch+json" };
const json = { "content-type": "application/json-patch+json" };

export const patches: readonly Scenario[] = [
  {
    name: "merge patch",
    async run({ send, quietly, gadgets }) {
      const first = await quietly("POST", gadgets, { body: gadget("a", { words: ["a", "b"], settings: { x: "1", y: "2" } }) });
      const path = `${gadgets}/a`;
      await send("members", "PATCH", path, { body: { spec: { words: ["c"], settings: { x: null, z: "3" } } }, headers: merge });
      await send("nothing", "PATCH", path, { body: {}, headers: merge });
      await send("the same values", "PATCH", path, { body: { spec: { words: ["c"] } }, headers: merge });
      await send("a label", "PATCH", path, { body: { metadata: { labels: { a: "b" } } }, headers: merge });
      await send("labels removed", "PATCH", path, { body: { metadata: { labels: null } }, headers: merge });
      await send("status is not taken", "PATCH", path, { body: { status: { phase: "Ready" } }, headers: merge });
      await send("an old version", "PATCH", path, {
        body: { metadata: { resourceVersion: first["metadata"].resourceVersion }, spec: { size: 9 } },
        headers: merge,
      });
      await send("another uid", "PATCH", path, {
        body: { metadata: { uid: "11111111-2222-3333-4444-555555555555" }, spec: { size: 9 } },
        headers: merge,
      });
      await send("another name", "PATCH", path, { body: { metadata: { name: "b" } }, headers: merge });
      await send("another namespace", "PATCH", path, { body: { metadata: { namespace: "default" } }, headers: merge });
      await send("another kind", "PATCH", path, { body: { kind: "Gizmo" }, headers: merge });
      await send("another apiVersion", "PATCH", path, { body: { apiVersion: "conformance.treadle.dev/v2" }, headers: merge });
      await send("invalid", "PATCH", path, { body: { spec: { size: 0 } }, headers: merge });
      await send("spec removed", "PATCH", path, { body: { spec: null }, headers: merge });
      await send("a list", "PATCH", path, { body: [], headers: merge });
      await send("no JSON", "PATCH", path, { body: "{", headers: merge });
      await send("empty", "PATCH", path, { body: "", headers: merge });
      await send("of an absent one", "PATCH", `${gadgets}/absent`, { body: { spec: { size: 2 } }, headers: merge });
      await send("dry run", "PATCH", path, { query: "dryRun=All", body: { spec: { size: 8 } }, headers: merge });
      await send("force without apply", "PATCH", path, { query: "force=true&dryRun=All", body: { spec: { size: 8 } }, headers: merge });
      await send("with a field manager", "PATCH", path, { query: "fieldManager=other", body: { spec: { size: 7 } }, headers: merge });
      await send("type with parameters", "PATCH", path, {
        body: { spec: { size: 6 } },
        headers: { "content-type": "application/merge-patch+json; charset=utf-8" },
      });
      await send("strategic", "PATCH", path, {
        body: { spec: { size: 5 } },
        headers: { "content-type": "application/strategic-merge-patch+json" },
      });
      await send("plain JSON", "PATCH", path, { body: { spec: { size: 5 } } });
      await send("apply without a manager", "PATCH", path, {
        body: gadget("a"),
        headers: { "content-type": "application/apply-patch+yaml" },
      });
    },
  },
  {
    name: "json patch",
    async run({ send, quietly, gadgets }) {
      const first = await quietly("POST", gadgets, { body: gadget("a", { words: ["a", "b"] }) });
      const path = `${gadgets}/a`;
      const patch = (step: string, ...body: readonly object[]): Promise<unknown> => send(step, "PATCH", path, { body, headers: json });
      await patch("add and replace", { op: "add", path: "/spec/words/-", value: "c" }, { op: "replace", path: "/spec/size", value: 2 });
      await patch("insert and remove", { op: "add", path: "/spec/words/0", value: "z" }, { op: "remove", path: "/spec/words/1" });
      await patch(
        "move and copy",
        { op: "move", from: "/spec/words/0", path: "/spec/words/1" },
        { op: "copy", from: "/spec/words/0", path: "/spec/title" },
      );
      await patch("a test that holds", { op: "test", path: "/spec/size", value: 2 }, { op: "replace", path: "/spec/size", value: 3 });
      await patch("a test that fails", { op: "test", path: "/spec/size", value: 99 }, { op: "replace", path: "/spec/size", value: 4 });
      await patch("a test of an absent field", { op: "test", path: "/spec/ratio", value: 1 });
      await patch("remove an absent field", { op: "remove", path: "/spec/ratio" });
      await send("replace an absent field", "PATCH", path, {
        query: "dryRun=All",
        body: [{ op: "replace", path: "/spec/ratio", value: 1 }],
        headers: json,
      });
      await patch("add below an absent field", { op: "add", path: "/spec/settings/a", value: "b" });
      await patch("an index out of range", { op: "add", path: "/spec/words/9", value: "b" });
      await patch("an unknown operation", { op: "frob", path: "/spec/size" });
      await patch("no path", { op: "replace", value: 1 });
      await patch(
        "a label with a slash",
        { op: "add", path: "/metadata/labels", value: { "a.b/c": "d" } },
        { op: "replace", path: "/metadata/labels/a.b~1c", value: "e" },
      );
      await patch(
        "an old version",
        { op: "replace", path: "/metadata/resourceVersion", value: first["metadata"].resourceVersion },
        { op: "replace", path: "/spec/size", value: 4 },
      );
      await patch("a test of the version", { op: "test", path: "/metadata/resourceVersion", value: first["metadata"].resourceVersion });
      await patch("invalid", { op: "replace", path: "/spec/size", value: 0 });
      await patch("nothing");
      await patch("the whole object", { op: "replace", path: "", value: [] });
      await send("an object", "PATCH", path, { body: { op: "add" }, headers: json });
      await send("no JSON", "PATCH", path, { body: "[", headers: json });
      await send("of an absent one", "PATCH", `${gadgets}/absent`, { body: [{ op: "add", path: "/spec/size", value: 1 }], headers: json });
      await patch("status is not taken", { op: "add", path: "/status", value: { phase: "Ready" } });
      await send("status by the subresource", "PATCH", `${path}/status`, {
        body: [{ op: "add", path: "/status", value: { phase: "Ready" } }],
        headers: json,
      });
      await patch("the object is untouched by what failed", { op: "test", path: "/kind", value: "Gadget" });
    },
  },
];
