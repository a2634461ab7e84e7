/** Entries of managedFields that a client sends: valid ones replace the entries of the object, malformed ones are ignored or refused. */
import { gadget } from "../gadget.ts";
import type { Json, Scenario } from "../session.ts";

const GOOD = {
  manager: "m",
  operation: "Update",
  apiVersion: "VERSION",
  time: "2020-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { FIELDS: { "f:a": {} } },
};
const entry = (more: Json): Json => ({ ...GOOD, ...more });

/** `VERSION` and `FIELDS` are replaced by those of the kind. */
const SENT: Readonly<Record<string, unknown>> = {
  "a valid entry": [GOOD],
  "an unknown operation": [entry({ operation: "Odd" })],
  "no operation": [entry({ operation: undefined })],
  "an unknown type": [entry({ fieldsType: "FieldsV2" })],
  "no type": [entry({ fieldsType: undefined })],
  "no fields": [entry({ fieldsV1: undefined })],
  "empty fields": [entry({ fieldsV1: {} })],
  "an element of an unknown type": [entry({ fieldsV1: { "x:data": {} } })],
  "an element without a type": [entry({ fieldsV1: { data: {} } })],
  "keys that are not JSON": [entry({ fieldsV1: { FIELDS: { "k:{": {} } } })],
  "an index that is not a number": [entry({ fieldsV1: { FIELDS: { "i:x": {} } } })],
  "a text in the fields": [entry({ fieldsV1: { FIELDS: "x" } })],
  "fields of another kind": [entry({ fieldsV1: { "f:other": { "f:x": {} } } })],
  "an invalid version": [entry({ apiVersion: "a/b/c" })],
  "an unknown version": [entry({ apiVersion: "v9" })],
  "a version of another group": [entry({ apiVersion: "apps/v1" })],
  "no version": [entry({ apiVersion: undefined })],
  "no manager": [entry({ manager: undefined })],
  "a long manager": [entry({ manager: "x".repeat(200) })],
  "an invisible character in the manager": [entry({ manager: "a\u0001b" })],
  "no time": [entry({ time: undefined })],
  "a subresource": [entry({ subresource: "status" })],
  "a long subresource": [entry({ subresource: "s".repeat(300) })],
  "a valid and an invalid entry": [GOOD, entry({ manager: "n", operation: "Odd" })],
  "an entry twice": [GOOD, GOOD],
  "no entries": [],
  "an empty entry": [{}],
  "two empty entries": [{}, {}],
  null: null,
};

export const sentOwners: readonly Scenario[] = [
  {
    name: "sent managedFields of a built-in kind",
    async run({ send, quietly, namespace }) {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      let count = 0;
      for (const [step, sent] of Object.entries(SENT)) {
        const managedFields = forKind(sent, "v1", "f:data");
        const [one, two] = [`a${++count}`, `b${count}`];
        const map = (name: string, metadata: Json, data: Json): Json => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, ...metadata },
          data,
        });
        await send(`${step}: create`, "POST", path, { body: map(one, { managedFields }, { a: "1" }) });
        await quietly("POST", path, { body: map(two, {}, { a: "1" }) });
        await send(`${step}: update`, "PUT", `${path}/${two}`, { body: map(two, { managedFields }, { a: "1" }) });
        await send(`${step}: update with a change`, "PUT", `${path}/${two}`, {
          query: "fieldManager=two",
          body: map(two, { managedFields }, { a: "1", b: "2" }),
        });
        for (const type of ["merge-patch", "strategic-merge-patch"])
          await send(`${step}: ${type}`, "PATCH", `${path}/${two}`, {
            query: "fieldManager=three",
            headers: { "content-type": `application/${type}+json` },
            body: { metadata: { managedFields }, data: { c: type } },
          });
      }
    },
  },
  {
    name: "sent managedFields of a custom kind",
    async run({ send, quietly, gadgets }) {
      let count = 0;
      for (const [step, sent] of Object.entries(SENT)) {
        const managedFields = forKind(sent, "conformance.treadle.dev/v1", "f:spec");
        const [one, two] = [`a${++count}`, `b${count}`];
        await send(`${step}: create`, "POST", gadgets, { body: gadget(one, {}, { metadata: { managedFields } }) });
        await quietly("POST", gadgets, { body: gadget(two) });
        const headers = { "content-type": "application/merge-patch+json" };
        await send(`${step}: patch`, "PATCH", `${gadgets}/${two}`, {
          query: "fieldManager=two",
          headers,
          body: { metadata: { managedFields }, spec: { size: 2 } },
        });
        await send(`${step}: patch of the status`, "PATCH", `${gadgets}/${two}/status`, {
          query: "fieldManager=two",
          headers,
          body: { metadata: { managedFields }, status: { phase: "Ready", count: 1 } },
        });
        await send(`${step}: apply`, "PATCH", `${gadgets}/${two}`, {
          query: "fieldManager=three&force=true",
          headers: { "content-type": "application/apply-patch+yaml" },
          body: gadget(two, { size: 3 }),
        });
      }
    },
  },
];

function forKind(sent: unknown, version: string, fields: string): unknown {
  return JSON.parse(JSON.stringify(sent).replaceAll("VERSION", version).replaceAll("FIELDS", fields));
}
