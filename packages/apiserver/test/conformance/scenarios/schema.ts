/** The effects of a CRD's schema on objects: validation, pruning, defaults, field validation, rules. */
import { gadget } from "../gadget.ts";
import { type Json, type Scenario, withVersion } from "../session.ts";

const invalid: Readonly<Record<string, Json>> = {
  "too small": { size: 0 },
  "too large": { size: 101 },
  "a required field is missing": { size: undefined },
  "a required field is null": { size: null },
  "text for a number": { size: "1" },
  "a fraction for an integer": { size: 1.5 },
  "a truth value for an integer": { size: true },
  "a list for an integer": { size: [] },
  "an object for an integer": { size: {} },
  "text for a fraction": { ratio: "1" },
  "a truth value for a fraction": { ratio: false },
  "a whole number written as a fraction": { size: 2.0 },
  "number for text": { title: 5 },
  "number for a boolean": { isOn: 1 },
  "text for an object": { template: "x" },
  "list for an object": { template: [] },
  "object for a list": { words: {} },
  "not in the enumeration": { mode: "odd" },
  "text too short": { title: "a" },
  "text too long": { title: "abcdefghijkl" },
  "text against its pattern": { title: "AB" },
  "text too long and against its pattern": { title: "ABCDEFGHIJKLM" },
  "a set with two of one": { tags: ["a", "b", "a"] },
  "too many items": { tags: ["a", "b", "c", "d"] },
  "a list-map with two of one key": {
    ports: [
      { name: "a", port: 1 },
      { name: "a", port: 2 },
    ],
  },
  "a list-map without its key": { ports: [{ port: 1 }] },
  "an item out of range": {
    ports: [
      { name: "a", port: 0 },
      { name: "b", port: 70000 },
    ],
  },
  "number as a value of a map": { settings: { a: 1 } },
  "null as a value of a map": { settings: { a: null } },
  "null in a list": { words: ["a", null] },
  "null where a null may stand": { note: null },
  "null where none may stand": { title: null },
  "null where a default is": { mode: null },
  "a nested required field is missing": { template: {} },
  "against a rule": { mode: "fast", size: 60 },
  "three mistakes": { size: 0, mode: "odd", title: "A" },
  "a number with an exponent": { ratio: 1e300 },
};

export const schema: readonly Scenario[] = [
  {
    name: "validation",
    async run({ send, gadgets }) {
      for (const [index, [step, spec]] of Object.entries(invalid).entries())
        await send(step, "POST", gadgets, { body: gadget(`g${index}`, spec) });
      // JSON.stringify cannot write these values.
      const text = JSON.stringify(gadget("numbers"));
      for (const [index, number] of ["9007199254740993", "99999999999999999999", "1.0", "1e2", "-0"].entries())
        await send(`size ${number}`, "POST", gadgets, {
          body: text.replace("numbers", `number${index}`).replace('"size":1', `"size":${number}`),
        });
      await send("spec is missing", "POST", gadgets, { body: { ...gadget("nospec"), spec: undefined } });
      await send("spec is null", "POST", gadgets, { body: { ...gadget("nullspec"), spec: null } });
      await send("spec is a list", "POST", gadgets, { body: { ...gadget("listspec"), spec: [] } });
      await send("spec is text", "POST", gadgets, { body: { ...gadget("textspec"), spec: "x" } });
    },
  },
  {
    name: "immutable",
    async run({ send, quietly, gadgets }) {
      const merge = { "content-type": "application/merge-patch+json" };
      await quietly("POST", gadgets, { body: gadget("a", { flavour: "sweet" }) });
      await send("changed", "PATCH", `${gadgets}/a`, { query: "dryRun=All", body: { spec: { flavour: "sour" } }, headers: merge });
      await send("removed", "PATCH", `${gadgets}/a`, { query: "dryRun=All", body: { spec: { flavour: null } }, headers: merge });
      await send("another field changed", "PATCH", `${gadgets}/a`, { body: { spec: { size: 2 } }, headers: merge });
      await quietly("POST", gadgets, { body: gadget("b") });
      await send("set for the first time", "PATCH", `${gadgets}/b`, { body: { spec: { flavour: "sour" } }, headers: merge });
      await send("against a rule by an update", "PATCH", `${gadgets}/b`, {
        query: "dryRun=All",
        body: { spec: { mode: "fast", size: 80 } },
        headers: merge,
      });
    },
  },
  {
    name: "pruning",
    async run({ send, gadgets }) {
      const odd = { odd: 1, template: { image: "i", odd: 2 }, ports: [{ name: "a", port: 1, odd: 3 }] };
      await send("unknown fields", "POST", gadgets, { body: gadget("a", odd, { odd: 4 }) });
      await send("unknown fields, warned of", "POST", gadgets, { query: "fieldValidation=Warn", body: gadget("b", odd, { odd: 4 }) });
      await send("unknown fields, ignored", "POST", gadgets, { query: "fieldValidation=Ignore", body: gadget("c", odd, { odd: 4 }) });
      await send("unknown fields, strict", "POST", gadgets, { query: "fieldValidation=Strict", body: gadget("d", odd, { odd: 4 }) });
      await send("field validation of another name", "POST", gadgets, { query: "fieldValidation=Odd", body: gadget("e") });
      const twice = `{"apiVersion":"conformance.treadle.dev/v1","kind":"Gadget","metadata":{"name":"NAME"},"spec":{"size":1,"size":2}}`;
      await send("a field twice", "POST", gadgets, { body: twice.replace("NAME", "f") });
      await send("a field twice, strict", "POST", gadgets, { query: "fieldValidation=Strict", body: twice.replace("NAME", "g") });
      await send("unknown fields in a merge patch, strict", "PATCH", `${gadgets}/a`, {
        query: "fieldValidation=Strict",
        body: { spec: { odd: 1 } },
        headers: { "content-type": "application/merge-patch+json" },
      });
      await send("unknown fields in a merge patch, warned of", "PATCH", `${gadgets}/a`, {
        body: { spec: { odd: 1, size: 3 } },
        headers: { "content-type": "application/merge-patch+json" },
      });
      await send("a map keeps what it has", "POST", gadgets, { body: gadget("h", { settings: { any: "thing" } }) });
      await send("unknown metadata, strict", "POST", gadgets, {
        query: "fieldValidation=Strict",
        body: gadget("i", {}, { metadata: { colour: "red" } }),
      });
    },
  },
  {
    name: "defaults",
    async run({ send, quietly, gadgets }) {
      const merge = { "content-type": "application/merge-patch+json" };
      await send("at every depth", "POST", gadgets, { body: gadget("a", { template: { image: "i" }, ports: [{ name: "a", port: 1 }] }) });
      await send("removed by a patch", "PATCH", `${gadgets}/a`, {
        body: { spec: { mode: null, template: { replicas: null } } },
        headers: merge,
      });
      await send("overwritten", "PATCH", `${gadgets}/a`, { body: { spec: { mode: "fast" } }, headers: merge });
      await send("put back by an update", "PUT", `${gadgets}/a`, { body: await withVersion(quietly, `${gadgets}/a`)(gadget("a")) });
      await quietly("POST", gadgets, { body: gadget("b", { mode: null, ports: [{ name: "a", port: 1, protocol: null }] }) });
      await send("null becomes the default", "GET", `${gadgets}/b`);
    },
  },
];
