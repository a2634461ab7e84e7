import type { JsonSchema } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { commentOf, linesAbout } from "./comment.ts";
import { CliError } from "../cli-error.ts";
import { crdsIn } from "./crds-in.ts";
import { moduleText } from "./module.ts";
import { typeOf } from "./schema-type.ts";

const preserve = { "x-kubernetes-preserve-unknown-fields": true } as const;

test.for<{ readonly name: string; readonly schema: JsonSchema; readonly type: string }>([
  { name: "a text", schema: { type: "string", format: "date-time" }, type: "string" },
  { name: "an integer", schema: { type: "integer", format: "int64" }, type: "number" },
  { name: "a number", schema: { type: "number" }, type: "number" },
  { name: "a switch", schema: { type: "boolean" }, type: "boolean" },
  { name: "an enum", schema: { type: "string", enum: ["a", "b", "a"] }, type: '"a" | "b"' },
  { name: "an enum with null", schema: { type: "string", nullable: true, enum: ["a", null] }, type: '"a" | null' },
  { name: "an enum of numbers", schema: { type: "integer", enum: [1, 2] }, type: "1 | 2" },
  { name: "an enum of objects", schema: { type: "object", enum: [{ a: 1 }] }, type: "{ readonly [key: string]: never }" },
  { name: "a value that may be null", schema: { type: "string", nullable: true }, type: "string | null" },
  {
    name: "an integer or a text",
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] } as JsonSchema,
    type: "number | string",
  },
  { name: "a list", schema: { type: "array", items: { type: "string" } }, type: "readonly string[]" },
  { name: "a list of unions", schema: { type: "array", items: { type: "string", enum: ["a", "b"] } }, type: 'readonly ("a" | "b")[]' },
  {
    name: "a list of lists",
    schema: { type: "array", items: { type: "array", items: { type: "string" } } },
    type: "readonly (readonly string[])[]",
  },
  { name: "a map", schema: { type: "object", additionalProperties: { type: "integer" } }, type: "{ readonly [key: string]: number }" },
  { name: "an open object", schema: { type: "object", ...preserve }, type: "{ readonly [key: string]: unknown }" },
  { name: "a value of any type", schema: { ...preserve }, type: "unknown" },
  { name: "an object without fields", schema: { type: "object" }, type: "{ readonly [key: string]: never }" },
  {
    name: "an object",
    schema: { type: "object", required: ["a"], properties: { a: { type: "string" }, "b-c": { type: "string" } } },
    type: '{\n  readonly a: string;\n  readonly "b-c"?: string;\n}',
  },
  {
    name: "an object with known and other fields",
    schema: { type: "object", properties: { a: { type: "string" } }, ...preserve },
    type: "{\n  readonly a?: string;\n  readonly [field: string]: unknown;\n}",
  },
  {
    name: "rules that change no type",
    schema: { type: "object", properties: { a: { type: "string" } }, oneOf: [{ required: ["a"] }] } as JsonSchema,
    type: "{\n  readonly a?: string;\n}",
  },
])("$name", ({ schema, type }) => expect(typeOf(schema, "")).toBe(type));

test("an embedded object has the fields of every object", () => {
  const type = typeOf({ type: "object", "x-kubernetes-embedded-resource": true, ...preserve }, "");
  expect(type).toMatch(/^\{\n {2}readonly apiVersion: string;\n {2}readonly kind: string;\n {2}readonly metadata\?: /);
  expect(type).toMatch(/readonly \[field: string\]: unknown;\n\}$/);
});

test("a comment has the description, the limits, the rules and the default, and cannot be ended by a description", () => {
  const schema: JsonSchema = {
    type: "integer",
    description: "Ends */ here.",
    minimum: 1,
    maximum: 5,
    default: 3,
    "x-kubernetes-validations": [{ rule: "self != 4", message: "not 4" }],
  };
  expect(commentOf(linesAbout(schema), "  ")).toBe(`  /**
   * Ends *\\/ here.
   *
   * Limits: at least 1, at most 5.
   * Rule: not 4
   * @defaultValue \`3\`
   */
`);
  expect(
    commentOf(linesAbout({ description: `${"long ".repeat(60)}end` }), "")
      .split("\n")
      .every((line) => line.length <= 120),
  ).toBe(true);
  expect(commentOf(linesAbout({}), "")).toBe("");
});

const crd = (more: object = {}, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gadgets.example.dev" },
    spec: {
      group: "example.dev",
      scope: "Cluster",
      names: { kind: "Gadget", plural: "gadgets" },
      versions: [
        { name: "v1alpha1", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
        {
          name: "v1beta1",
          served: true,
          storage: false,
          deprecated: true,
          schema: { openAPIV3Schema: { type: "object", properties: { size: { type: "integer" } } } },
        },
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec: { ...preserve }, data: { type: "string" } } },
          },
        },
      ],
      ...spec,
    },
    ...more,
  });

test("each served version has a kind, and the stored one has the short name", () => {
  const [gadget] = crdsIn(crd(), "a.json");
  expect(gadget?.versions.map(({ version }) => version)).toEqual(["v1", "v1beta1"]);
  const text = gadget === undefined ? "" : moduleText(gadget);
  expect(text.match(/^export (?:const|interface) \w+/gm)).toEqual([
    "export const Gadget",
    "export interface Gadget",
    "export interface GadgetFields",
    "export const GadgetV1beta1",
    "export interface GadgetV1beta1",
    "export interface GadgetV1beta1Fields",
  ]);
  expect(text).toContain("  readonly spec: unknown;\n  readonly data?: string;\n");
  expect(text).toContain(" * @deprecated It may be removed.\n");
  expect(text).toContain('scope: "Cluster"');
});

test("CRDs are found among other documents, and in lists", () => {
  const text = `# a file\n---\napiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n---\n${JSON.stringify({ kind: "List", items: [JSON.parse(crd())] })}\n`;
  expect(crdsIn(text, "all.yaml").map(({ name }) => name)).toEqual(["gadgets.example.dev"]);
});

test.for([
  { name: "no CRD", text: "kind: Pod", says: /^a\.yaml has no CustomResourceDefinition: name the files of CRDs$/ },
  { name: "no YAML", text: "a: [", says: /^cannot read a\.yaml: / },
  {
    name: "the old API",
    text: crd({ apiVersion: "apiextensions.k8s.io/v1beta1" }),
    says: /gadgets\.example\.dev in a\.yaml: it is of .*v1beta1/,
  },
  { name: "no version", text: crd({}, { versions: [] }), says: /it serves no version/ },
  { name: "no schema", text: crd({}, { versions: [{ name: "v1", served: true, storage: true }] }), says: /version v1 has no schema/ },
  { name: "a name with code", text: crd({}, { names: { kind: "A; alert()", plural: "a" } }), says: /is not the name of a kind/ },
  { name: "a group with code", text: crd({}, { group: '";' }), says: /spec\.group .* is not a name/ },
])("$name is refused with the file and the CRD", ({ text, says }) => {
  expect(() => crdsIn(text, "a.yaml")).toThrow(CliError);
  expect(() => crdsIn(text, "a.yaml")).toThrow(says);
});

/** The module of a CRD with this schema. */
function moduleOf(schema: object, kind = "Gadget"): string {
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  return crdsIn(crd({}, { versions, names: { kind, plural: "gadgets" } }), "a.json")
    .map(moduleText)
    .join("");
}

const inner = { type: "object", properties: { a: { type: "string" } } };

test("a top field whose name is code is a quoted name, and has no interface of its own", () => {
  const field = "x: 1 }\nglobalThis.broken = 1;\ninterface Q { y";
  const text = moduleOf({ type: "object", properties: { [field]: inner, "foo-bar": inner } });
  expect(text).not.toMatch(/^ *globalThis/m);
  expect(text).toContain('  readonly "foo-bar"?: {\n    readonly a?: string;\n  };\n');
  expect(text).toContain(`  readonly ${JSON.stringify(field)}?: {`);
});

test("two types of a module never have the same name", () => {
  const text = moduleOf({ type: "object", properties: { spec: inner, Spec: inner, fields: inner } });
  const names = [...text.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name);
  expect(names).toEqual(["Gadget", "GadgetFields", "GadgetSpec"]);
});

test.for(["Record", "Readonly", "ObjectOf"])("a kind %s does not hide a type that its module uses", (kind) => {
  const text = moduleOf({ type: "object", properties: { spec: { type: "object" } } }, kind);
  expect(text).not.toMatch(/: (?:Record|Readonly)</);
  expect(text).not.toContain("export const ObjectOf ");
});

test.for([
  { name: "a description", field: { description: 5 }, says: 'openAPIV3Schema.properties["spec"].description is not a text in version v1' },
  { name: "an enum", field: { enum: "a" }, says: "enum is not a list" },
  { name: "properties in a list", field: { properties: ["a"] }, says: "properties is not an object" },
  { name: "no schema", field: null, says: 'openAPIV3Schema.properties["spec"] is not a schema' },
  { name: "list keys", field: { "x-kubernetes-list-map-keys": "a" }, says: "is not a list of texts" },
  { name: "rules", field: { "x-kubernetes-validations": [null] }, says: "is not a list of rules with texts" },
  { name: "entries", field: { additionalProperties: { items: 7 } }, says: "additionalProperties.items is not an object" },
])("$name of another form is refused with its path", ({ field, says }) => {
  const read = (): string => moduleOf({ type: "object", properties: { spec: field } });
  expect(read).toThrow(CliError);
  expect(read).toThrow(says);
});

test.for([
  { name: "an unknown alias", text: "a: *b" },
  { name: "an object that contains itself", text: "kind: CustomResourceDefinition\nspec: &a\n  b: *a" },
  {
    name: "aliases that multiply",
    text: `a0: &a0 [x,x,x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join("\n")}`,
  },
])("$name in a file is a readable error", ({ text }) => {
  expect(() => crdsIn(text, "a.yaml")).toThrow(CliError);
  expect(() => crdsIn(text, "a.yaml")).toThrow(/^cannot read a\.yaml: /);
});
