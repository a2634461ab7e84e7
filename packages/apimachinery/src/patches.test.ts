import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyJsonPatch, applyMergePatch, createMergePatch, jsonEqual, type JsonPatchOperation, PatchError } from "./patches.ts";

const deepFreeze = <T>(value: T): T => {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
};

describe("merge patch", () => {
  // the table of RFC 7386, appendix A
  test.for<{ target: unknown; patch: unknown; want: unknown }>([
    { target: { a: "b" }, patch: { a: "c" }, want: { a: "c" } },
    { target: { a: "b" }, patch: { b: "c" }, want: { a: "b", b: "c" } },
    { target: { a: "b" }, patch: { a: null }, want: {} },
    { target: { a: "b", b: "c" }, patch: { a: null }, want: { b: "c" } },
    { target: { a: ["b"] }, patch: { a: "c" }, want: { a: "c" } },
    { target: { a: "c" }, patch: { a: ["b"] }, want: { a: ["b"] } },
    { target: { a: { b: "c" } }, patch: { a: { b: "d", c: null } }, want: { a: { b: "d" } } },
    { target: { a: [{ b: "c" }] }, patch: { a: [1] }, want: { a: [1] } },
    { target: ["a", "b"], patch: ["c", "d"], want: ["c", "d"] },
    { target: { a: "b" }, patch: ["c"], want: ["c"] },
    { target: { a: "foo" }, patch: null, want: null },
    { target: { a: "foo" }, patch: "bar", want: "bar" },
    { target: { e: null }, patch: { a: 1 }, want: { e: null, a: 1 } },
    { target: [1, 2], patch: { a: "b", c: null }, want: { a: "b" } },
    { target: {}, patch: { a: { bb: { ccc: null } } }, want: { a: { bb: {} } } },
  ])("$patch on $target", ({ target, patch, want }) => {
    expect(applyMergePatch(deepFreeze(target), deepFreeze(patch))).toEqual(want);
  });

  test("keys of every object's prototype are ordinary keys", () => {
    expect(applyMergePatch({ data: { x: "1" } }, { data: { constructor: "a", toString: null, y: "2" } })).toEqual({
      data: { x: "1", constructor: "a", y: "2" },
    });
    expect(createMergePatch({}, { constructor: "a" })).toEqual({ constructor: "a" });
    expect(createMergePatch({ toString: "x" }, {})).toEqual({ toString: null });
  });

  test("__proto__ never reaches a prototype", () => {
    const evil: unknown = JSON.parse('{"a":{"__proto__":{"polluted":true}}}');
    expect(() => applyMergePatch({}, evil)).toThrow(PatchError);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("the result shares unchanged parts with the target", () => {
    const target = { a: { x: 1 }, b: { y: 2 } };
    const merged = applyMergePatch(target, { a: { x: 2 } }) as typeof target; // its type is that of the target
    expect(merged.b).toBe(target.b);
  });

  test.for<{ before: unknown; after: unknown; want: unknown }>([
    { before: { a: 1 }, after: { a: 1 }, want: undefined },
    { before: { a: 1 }, after: { a: 1, b: undefined }, want: undefined },
    { before: { a: { b: 1, c: 2 } }, after: { a: { b: 1 } }, want: { a: { c: null } } },
    { before: { a: 1 }, after: { a: undefined }, want: { a: null } },
    { before: { a: [1, 2] }, after: { a: [1] }, want: { a: [1] } },
    { before: { a: [{ b: 1 }] }, after: { a: [{ b: 1 }] }, want: undefined },
    { before: { a: { b: 1 } }, after: { a: {} }, want: { a: { b: null } } },
    { before: {}, after: { a: {} }, want: { a: {} } },
    { before: undefined, after: { a: 1 }, want: { a: 1 } },
    { before: { a: { b: 1 } }, after: { a: [1] }, want: { a: [1] } },
  ])("from $before to $after", ({ before, after, want }) => {
    expect(createMergePatch(deepFreeze(before), deepFreeze(after))).toEqual(want);
  });

  /**
   * Invariants, for JSON without null members, which a merge patch cannot express: 1. The patch from one value to another,
   * applied to the first, gives the second. 2. Equal values give no patch. 3. The patch is minimal: no member can be left
   * out. 4. The arguments do not change.
   */
  test("a created patch, applied, gives the target", () => {
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: "small" },
        fc.integer({ min: 0, max: 2 }),
        fc.constantFrom("a", ""),
        fc.array(tie("json"), { maxLength: 2 }),
        tie("object"),
      ),
      object: fc.dictionary(fc.constantFrom("a", "b", "constructor", "toString"), tie("json")),
    }));
    const object = fc.dictionary(fc.constantFrom("a", "b", "c"), json);
    fc.assert(
      fc.property(object, object, (before, after) => {
        const patch = createMergePatch(deepFreeze(before), deepFreeze(after));
        if (patch === undefined) {
          expect(jsonEqual(before, after)).toBe(true);
          return;
        }
        expect(jsonEqual(applyMergePatch(before, deepFreeze(patch)), after)).toBe(true);
        for (const key of Object.keys(patch as object)) {
          const { [key]: _, ...less } = patch as Record<string, unknown>;
          expect(jsonEqual(applyMergePatch(before, less), after)).toBe(false);
        }
      }),
    );
  });
});

describe("JSON patch", () => {
  const target = deepFreeze({ a: { b: [1, 2, 3] }, "x/y": 1, "m~n": 2 });

  test.for<{ patch: JsonPatchOperation[]; want: unknown }>([
    { patch: [{ op: "add", path: "/a/b/1", value: 9 }], want: { ...target, a: { b: [1, 9, 2, 3] } } },
    { patch: [{ op: "add", path: "/a/b/-", value: 9 }], want: { ...target, a: { b: [1, 2, 3, 9] } } },
    { patch: [{ op: "remove", path: "/a/b/0" }], want: { ...target, a: { b: [2, 3] } } },
    { patch: [{ op: "replace", path: "/x~1y", value: 5 }], want: { ...target, "x/y": 5 } },
    { patch: [{ op: "replace", path: "/m~0n", value: 5 }], want: { ...target, "m~n": 5 } },
    { patch: [{ op: "copy", from: "/a/b", path: "/c" }], want: { ...target, c: [1, 2, 3] } },
    { patch: [{ op: "move", from: "/a/b", path: "/a/c" }], want: { ...target, a: { c: [1, 2, 3] } } },
    { patch: [{ op: "test", path: "/a/b/0", value: 1 }], want: target },
    { patch: [{ op: "replace", path: "", value: { z: 1 } }], want: { z: 1 } },
    { patch: [{ op: "add", path: "/n", value: null }], want: { ...target, n: null } },
    { patch: [{ op: "copy", from: "/m~0n", path: "/a/b/3" }], want: { ...target, a: { b: [1, 2, 3, 2] } } },
    { patch: [{ op: "move", from: "/a/b/0", path: "/a/b/2" }], want: { ...target, a: { b: [2, 3, 1] } } },
    { patch: [{ op: "move", from: "/a/b/0", path: "/a/b/-" }], want: { ...target, a: { b: [2, 3, 1] } } },
    { patch: [], want: target },
  ])("$patch", ({ patch, want }) => {
    expect(applyJsonPatch(target, deepFreeze(patch))).toEqual(want);
  });

  test.for<{ patch: unknown[]; code: PatchError["code"]; text: RegExp }>([
    { patch: [{ op: "test", path: "/x~1y", value: 2 }], code: "ERR_PATCH_TEST", text: /operation 0 \(test \/x~1y\)/ },
    {
      patch: [{ op: "remove", path: "/nope" }],
      code: "ERR_PATCH_PATH",
      text: /operation 0 \(remove \/nope\): there is nothing at "\/nope"/,
    },
    { patch: [{ op: "add", path: "/nope/x", value: 1 }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "add", path: "/a/b/7", value: 1 }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "add", path: "/x~1y/z", value: 1 }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "remove", path: "/toString" }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "add", path: "/toString/polluted", value: 1 }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "remove", path: "/a/b/length" }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "copy", from: "/nope", path: "/c" }], code: "ERR_PATCH_PATH", text: /"\/nope"/ },
    { patch: [{ op: "copy", from: "/x~1y", path: "/a/b/0x1" }], code: "ERR_PATCH_PATH", text: /0x1/ },
    { patch: [{ op: "move", from: "/x~1y", path: "/a/b/01" }], code: "ERR_PATCH_PATH", text: /01/ },
    { patch: [{ op: "copy", from: "/x~1y", path: "/a/b/4" }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "move", from: "/a/b/0", path: "/a/b/3" }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "replace", path: "/nope", value: 1 }], code: "ERR_PATCH_PATH", text: /nothing/ },
    { patch: [{ op: "move", from: "/a", path: "/a/b/0" }], code: "ERR_PATCH_INVALID", text: /into itself/ },
    { patch: [{ op: "frob", path: "/a" }], code: "ERR_PATCH_INVALID", text: /op must be one of/ },
    { patch: [{ op: "add", path: "/a" }], code: "ERR_PATCH_INVALID", text: /needs a value/ },
    { patch: [{ op: "add", path: "a", value: 1 }], code: "ERR_PATCH_INVALID", text: /JSON pointer/ },
    { patch: [{ op: "move", path: "/a" }], code: "ERR_PATCH_INVALID", text: /from must be a JSON pointer/ },
    { patch: [{ op: "add", path: "/__proto__/polluted", value: 1 }], code: "ERR_PATCH_INVALID", text: /__proto__/ },
    { patch: [{ op: "add", path: "/a/~2", value: 1 }], code: "ERR_PATCH_INVALID", text: /neither ~0 nor ~1/ },
    { patch: [null], code: "ERR_PATCH_INVALID", text: /operation 0/ },
  ])("refuses $patch", ({ patch, code, text }) => {
    const attempt = (): unknown => applyJsonPatch(target, patch as JsonPatchOperation[]); // input that no type protects
    expect(attempt).toThrow(expect.objectContaining({ name: "PatchError", code, message: expect.stringMatching(text) }));
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("copies that double a document are refused beyond 3 MiB", () => {
    const document = { metadata: { text: "x".repeat(1000) } };
    const patch = Array.from({ length: 40 }, (_, i): JsonPatchOperation => ({ op: "copy", from: "/metadata", path: `/metadata/k${i}` }));
    expect(() => applyJsonPatch(document, patch)).toThrow(
      expect.objectContaining({ code: "ERR_PATCH_INVALID", message: expect.stringContaining("copies more than 3145728 bytes") }),
    );
    expect(applyJsonPatch(document, patch.slice(0, 8))).toHaveProperty(["metadata", "k7", "k6", "text"]);
  });

  test("an operation that fails undoes those before it", () => {
    const document = { a: 1 };
    expect(() =>
      applyJsonPatch(document, [
        { op: "replace", path: "/a", value: 2 },
        { op: "remove", path: "/nope" },
      ]),
    ).toThrow(PatchError);
    expect(document).toEqual({ a: 1 });
  });
});
