/** Rules of CRDs: what the API server refuses, and what people who use the kind miss. */
import { createApiServer } from "@treadle/apiserver";
import type { CustomResourceDefinition, JsonSchema } from "@treadle/apimachinery";
import type { Finding, Rule } from "../problem.ts";
import { refusals } from "./refusals.ts";
import { fieldsOf, isSchema, type SchemaField } from "../schema-fields.ts";

type CrdRule = Rule<CustomResourceDefinition>;

const crdRefused: CrdRule = {
  id: "crd-refused",
  severity: "error",
  demands: "The API server accepts the CRD: its schema, its CEL rules, and their cost.",
  remedy: "Correct the declaration. For the cost of a rule, limit the lists, maps and strings that it reads: max() in zod.",
  find(crd) {
    try {
      createApiServer({ resources: [crd] });
      return [];
    } catch (error) {
      return refusals(error, crd);
    }
  },
};

const fieldsWithoutDescription: CrdRule = {
  id: "field-without-description",
  severity: "warning",
  demands: "The fields of spec have a description, which `kubectl explain` shows.",
  remedy: "Add .describe(...) to the fields.",
  find: (crd) =>
    inVersions(crd, (schema) => {
      const bare = specFields(schema).filter(({ schema: { description = "" }, name }) => !isNameless(name) && description === "");
      const names = bare.map(({ path }) => path);
      const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
      return names.length === 0 ? [] : [{ path: "spec", message: `No description: ${names.slice(0, MAX_NAMES).join(", ")}${more}.` }];
    }),
};

const namedListIsAtomic: CrdRule = {
  id: "named-list-is-atomic",
  severity: "warning",
  demands: "A list of objects in spec with a required name is a map by that name.",
  remedy: `Add .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }) to the list, or list-type "atomic".`,
  find: (crd) =>
    inVersions(crd, (schema) =>
      specFields(schema)
        .filter(({ schema: { items, "x-kubernetes-list-type": type } }) => type === undefined && isNamed(items))
        .map(({ path }) => ({ path, message: "Two writers replace each other's elements: the list has no list type." })),
    ),
};

const numberInSpec: CrdRule = {
  id: "number-in-spec",
  severity: "warning",
  demands: "The fields of spec are no floating-point numbers: the conventions of Kubernetes forbid them.",
  remedy: "Use an integer in a smaller unit, or a quantity as text, such as 500m.",
  find: (crd) =>
    inVersions(crd, (schema) =>
      specFields(schema)
        .filter(({ schema: { type } }) => type === "number")
        .map(({ path }) => ({ path, message: "Floating-point numbers change when clients of different languages read and write them." })),
    ),
};

const secretInSpec: CrdRule = {
  id: "secret-in-spec",
  severity: "warning",
  demands: "A spec has no passwords, tokens or keys as text.",
  remedy: "Take the name of a Secret instead, and read it.",
  find: (crd) =>
    inVersions(crd, (schema) =>
      specFields(schema)
        .filter(({ name, schema: { type } }) => type === "string" && CREDENTIAL.test(name))
        .map(({ path }) => ({ path, message: "Everyone who may read the object can read the credential." })),
    ),
};

const shortNameTaken: CrdRule = {
  id: "short-name-taken",
  severity: "warning",
  demands: "The short names are not those of Kubernetes itself.",
  remedy: "Choose another short name.",
  find: ({ metadata, spec }) =>
    [...(spec.names.shortNames ?? [])]
      .filter((name) => BUILT_IN_SHORT_NAMES.has(name))
      .map((name) => ({ where: metadata.name, message: `kubectl takes "${name}" for a kind of Kubernetes.` })),
};

const noColumns: CrdRule = {
  id: "no-columns",
  severity: "warning",
  demands: "`kubectl get` shows more of an object than its name and age.",
  remedy: "Add printerColumns, or remove defaultColumns: false.",
  find: (crd) =>
    crd.spec.versions
      .filter(({ served, additionalPrinterColumns = [] }) => served && additionalPrinterColumns.every(({ type }) => type === "date"))
      .map(({ name }) => ({ where: `${crd.metadata.name} ${name}`, message: "`kubectl get` shows the name and the age only." })),
};

/** All rules of CRDs. */
export const CRD_RULES: readonly CrdRule[] = [
  crdRefused,
  fieldsWithoutDescription,
  namedListIsAtomic,
  numberInSpec,
  secretInSpec,
  shortNameTaken,
  noColumns,
];

const MAX_NAMES = 5;

/** Names that end like a credential. `passwordSecret` and `tokenRef` name where it is. */
const CREDENTIAL = /^(password|token|apiKey|secretKey|privateKey|.*(Password|Token|ApiKey|SecretKey|PrivateKey))$/;

/** As `kubectl api-resources` of Kubernetes 1.36 lists them. */
const BUILT_IN_SHORT_NAMES: ReadonlySet<string> = new Set(
  "cs cm ep ev limits ns no pvc pv po rc quota sa svc crd crds deploy ds rs sts hpa cj csr ing netpol pdb pc sc vac".split(" "),
);

type Look = (schema: JsonSchema) => readonly { readonly path: string; readonly message: string }[];

function inVersions({ metadata, spec }: CustomResourceDefinition, look: Look): readonly Finding[] {
  return spec.versions.flatMap(({ name, schema }) =>
    look(schema?.openAPIV3Schema ?? {}).map(({ path, message }) => ({ where: `${metadata.name} ${name} ${path}`, message })),
  );
}

function specFields(schema: JsonSchema): readonly SchemaField[] {
  const { spec } = schema.properties ?? {};
  return spec === undefined ? [] : fieldsOf(spec, "spec");
}

function isNameless(name: string): boolean {
  return name === "[]" || name === "*";
}

function isNamed(items: unknown): boolean {
  return isSchema(items) && items.required?.includes("name") === true && items.properties?.["name"]?.type === "string";
}
