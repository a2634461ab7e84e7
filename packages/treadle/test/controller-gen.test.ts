/**
 * The CRDs of built-in shapes, compared with those that controller-gen makes of the same Go types. Its CRDs are recorded in
 * `controller-gen.json` by `tools/controller-gen/main.ts`.
 */
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { crdOf } from "treadle";
import { expect, test } from "vitest";
import { CronJob, shapeNames, shapesResource } from "./shapes.ts";

type Schema = Readonly<Record<string, unknown>>;

const recorded: { readonly cronJobBytes: { readonly json: number }; readonly crds: string } = JSON.parse(
  readFileSync(new URL("controller-gen.json", import.meta.url), "utf8"),
);
const theirs: Readonly<Record<"cronJob" | "shapes", unknown>> = JSON.parse(
  String(brotliDecompressSync(Buffer.from(recorded.crds, "base64"))),
);

test("the CRD of the tutorial's CronJob is at most a tenth larger than that of controller-gen", () => {
  const bytes = JSON.stringify(crdOf(CronJob)).length;
  expect(bytes).toBeGreaterThan(recorded.cronJobBytes.json * 0.9); // the descriptions are there
  expect(bytes).toBeLessThanOrEqual(recorded.cronJobBytes.json * 1.1);
});

test("the template of the CronJob has the schema of controller-gen", () => {
  expect(differences(specOf(crdOf(CronJob))["jobTemplate"], specOf(theirs.cronJob)["jobTemplate"])).toEqual([]);
});

test.for(shapeNames)("%s has the schema of controller-gen", (name) => {
  const schema = specOf(theirs.shapes)[name];
  expect(schema, "add the type to tools/controller-gen/api/v1/shapes_types.go, and record again").toBeDefined();
  expect(differences(ours[name], schema)).toEqual([]);
});

const ours = specOf(crdOf(shapesResource()));

function specOf(crd: unknown): Readonly<Record<string, Schema>> {
  const { spec } = crd as ReturnType<typeof crdOf>; // recorded from a program that writes CRDs
  const schema = spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["spec"]?.properties;
  return schema as Readonly<Record<string, Schema>>;
}

/** The paths at which `our` schema differs from `their`, except where it is meant to. */
function differences(our: Schema | undefined, their: Schema | undefined, path = ""): readonly string[] {
  const keywords = new Set([...Object.keys(our ?? {}), ...Object.keys(their ?? {})]);
  return [...keywords].flatMap((keyword) => {
    const at = `${path}.${keyword}`;
    const [left, right] = [our?.[keyword], their?.[keyword]];
    if (isMeant(keyword, { our, their, at }) || same(left, right)) return [];
    return isSchema(left) && isSchema(right)
      ? differences(left, right, at)
      : [`${at}: ${JSON.stringify(left)}, not ${JSON.stringify(right)}`];
  });
}

interface Pair {
  readonly our: Schema | undefined;
  readonly their: Schema | undefined;
  readonly at: string;
}

function isMeant(keyword: string, { our, their, at }: Pair): boolean {
  switch (keyword) {
    case "description":
      return typeof (our?.[keyword] ?? their?.[keyword]) === "string";
    // The server publishes enums, and controller-gen ignores their marker.
    case "enum":
      return their?.["enum"] === undefined;
    // The bounds of an integer that JavaScript can hold, and of an integer that may be a string.
    case "minimum":
    case "maximum":
      return their?.[keyword] === undefined && Math.abs(Number(our?.[keyword])) >= 2 ** 31 - 1;
    // A server needs no list of types beside the extension.
    case "anyOf":
      return our?.["x-kubernetes-int-or-string"] === true;
    // controller-gen takes this from the Go type inside; the server publishes granular.
    case "x-kubernetes-map-type":
      return our?.[keyword] === undefined && /\.(configMap|secret|configMapRef|secretRef)\.x-kubernetes-map-type$/.test(at);
    // controller-gen writes the fields of the metadata itself; the server publishes a set.
    case "x-kubernetes-list-type":
      return their?.[keyword] === undefined && at.endsWith(".finalizers.x-kubernetes-list-type");
    // A default by a constant, which controller-gen does not read.
    case "default":
      return /\.azureDisk\.properties\.(cachingMode|kind)\.default$/.test(at);
    default:
      return false;
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function same(left: unknown, right: unknown): boolean {
  const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).toSorted() : value);
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}
