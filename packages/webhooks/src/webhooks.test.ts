import { defineResource, isDefinitionError, type Kind } from "@treadle/apimachinery";
import { Pod } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Webhooks, webhooks } from "./webhooks.ts";

const spec = z.object({});
const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: { v1: { spec }, v1beta1: { spec }, v1alpha1: { spec } },
});

const up = (): object => ({ spec: {} });
const down = up;
const problems = (): [] => [];

/** As untyped code calls it. */
const define = webhooks as (kind: unknown, options: unknown) => Webhooks;

test.for<{ name: string; kind: unknown; options: unknown; paths: string[]; says: string }>([
  { name: "no kind", kind: undefined, options: { problems }, paths: ["kind"], says: "Pass a kind" },
  { name: "no options", kind: Website, options: undefined, paths: ["options"], says: "at least one of fill, problems and convert" },
  { name: "no function", kind: Website, options: {}, paths: ["options"], says: "at least one of fill, problems and convert" },
  { name: "a fill that is a text", kind: Website, options: { fill: "x" }, paths: ["fill"], says: "it is not a function" },
  {
    name: "a version besides the hub",
    kind: Website.versions.v1alpha1,
    options: { problems },
    paths: ["kind"],
    says: "Pass the kind itself, whose version is v1",
  },
  {
    name: "versions without functions",
    kind: Website,
    options: { convert: { v1beta1: { up } } },
    paths: ["convert.v1beta1", "convert.v1alpha1"],
    says: "the version has no functions up and down",
  },
  {
    name: "an unknown version, and the hub",
    kind: Website,
    options: { convert: { v1: { up, down }, v1beta1: { up, down }, v1alpha1: { up, down }, v2: { up, down } } },
    paths: ["convert.v1", "convert.v2"],
    says: "it is the hub",
  },
  {
    name: "a conversion of one version",
    kind: Pod,
    options: { convert: { v2: { up, down } } },
    paths: ["convert"],
    says: "has one version",
  },
  { name: "an operation that does not exist", kind: Pod, options: { problems, on: ["PATCH"] }, paths: ["on"], says: "CREATE, UPDATE" },
  { name: "31 seconds", kind: Pod, options: { problems, timeoutSeconds: 31 }, paths: ["timeoutSeconds"], says: "from 1 to 30" },
  {
    name: "a policy that does not exist",
    kind: Pod,
    options: { problems, failurePolicy: "Skip" },
    paths: ["failurePolicy"],
    says: "Fail or Ignore",
  },
  {
    name: "status writes of an own kind",
    kind: Website,
    options: { problems, subresources: ["status"] },
    paths: ["subresources"],
    says: "Remove status",
  },
  { name: "a name that is no label", kind: Pod, options: { problems, name: "Team A" }, paths: ["name"], says: "DNS label" },
])("webhooks() refuses $name with the place and the fix", ({ kind, options, paths, says }) => {
  let thrown: unknown;
  try {
    define(kind as Kind, options);
  } catch (error) {
    thrown = error;
  }
  if (!isDefinitionError(thrown)) throw new Error("webhooks() refused nothing", { cause: thrown });
  expect(thrown.problems.map(({ path }) => path)).toEqual(paths);
  expect(thrown.message).toContain(says);
});

const Differing = defineResource({
  group: "web.example.com",
  kind: "Differing",
  scope: "Namespaced",
  versions: { v1: { spec: z.object({ host: z.string() }) }, v1alpha1: { spec: z.object({ domain: z.string() }) } },
});

test("versions with different schemas need a conversion, because the API server would drop their fields", () => {
  expect(() => define(Differing, { problems })).toThrow(
    'convert: the versions v1, v1alpha1 of Differing have different schemas, and nothing converts them: fields would be lost. Write convert: { v1alpha1: { up, down } }. If these webhooks need not convert, write convert: "none"',
  );
});

test.for([
  { name: "convert: none", kind: Differing, options: { problems, convert: "none" } },
  { name: "versions with the same schema", kind: Website, options: { problems } },
])("$name is a definition that converts nothing", ({ kind, options }) => {
  const registration = define(kind, options).registration({ clientConfig: () => ({ url: "https://localhost" }), excluded: [] });
  expect(registration.definition).toBeUndefined();
});
