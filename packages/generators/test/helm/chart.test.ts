import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { chartPath, openChart } from "../../src/helm/chart.ts";
import { helm } from "../../src/helm/helm.ts";
import { filesOfArchive } from "../../src/helm/tar.ts";
import { folder } from "../folder.ts";
import { archive, chartYaml, type Files, header } from "./chart-files.ts";

const features = new URL("../charts/features", import.meta.url);
const dependsOn = (...names: readonly string[]): string =>
  `dependencies:\n${names.map((name) => `- {name: ${name}, version: "*", condition: ${name}.enabled}\n`).join("")}`;

const problemsOf = (files: Files): unknown => {
  try {
    openChart(folder(files));
  } catch (error) {
    return error;
  }
  return undefined;
};
const refused = (...texts: readonly string[]): unknown => {
  const messages = texts.map(
    (text) => expect.objectContaining({ code: "ERR_INVALID_CHART", message: expect.stringContaining(text) }) as unknown,
  );
  return messages.length === 1 ? messages[0] : expect.toSatisfy((error) => messages.every((each) => (expect(error).toEqual(each), true)));
};

describe("a chart", () => {
  test("is a folder or an archive, by path or URL", () => {
    const opened = openChart(chartPath(features));
    expect(opened).toMatchObject({ name: "features", version: "1.2.3", mentionsApiVersions: true });
    expect(chartPath(features.href)).toBe(opened.path);
    const root = folder({ "demo-1.0.0.tgz": archive({ "demo/Chart.yaml": chartYaml(), "demo/templates/a.yaml": "" }) });
    expect(openChart(path.join(root, "demo-1.0.0.tgz"))).toMatchObject({ name: "demo", version: "1.0.0", mentionsApiVersions: false });
    expect(() => helm(pathToFileURL(root))).toThrow(refused("Chart.yaml is missing") as Error);
  });

  test("without an API version is one of version 1, whose dependencies may be in requirements.yaml", () => {
    expect(openChart(folder({ "Chart.yaml": "name: a\nversion: 1.5\n" }))).toMatchObject({ name: "a", version: "1.5" });
    expect(problemsOf({ "Chart.yaml": "apiVersion: v1\nname: a\nversion: 1.0.0\n", "requirements.yaml": dependsOn("b") })).toEqual(
      refused("Chart.yaml has the dependency b, which is not in charts/"),
    );
  });

  test("has all its dependencies, in folders and archives, also those of its dependencies", () => {
    const files = {
      "Chart.yaml": chartYaml("a", dependsOn("b", "c")),
      "charts/b-any-folder/Chart.yaml": chartYaml("b", dependsOn("d")),
      "charts/b-any-folder/charts/d.tgz": archive({ "d/Chart.yaml": chartYaml("d") }),
      "charts/c-1.0.0.tgz": archive({ "c/Chart.yaml": chartYaml("c", dependsOn("e")), "c/charts/e/Chart.yaml": chartYaml("e") }),
      "charts/README.md": "no chart",
      "charts/_ignored/x": "no chart",
    };
    expect(problemsOf(files)).toBeUndefined();
    expect(problemsOf({ ...files, "charts/b-any-folder/charts/d.tgz": archive({ "x/Chart.yaml": chartYaml("x") }) })).toEqual(
      refused("charts/b-any-folder/Chart.yaml has the dependency d, which is not in charts/b-any-folder/charts/"),
    );
    expect(problemsOf({ ...files, "charts/c-1.0.0.tgz": archive({ "c/Chart.yaml": chartYaml("c", dependsOn("e")) }) })).toEqual(
      refused("charts/c-1.0.0.tgz/Chart.yaml has the dependency e", 'run "helm dependency build"'),
    );
  });

  test.for<{ readonly name: string; readonly files: Files; readonly text: string }>([
    { name: "without Chart.yaml", files: { "values.yaml": "" }, text: "Chart.yaml is missing" },
    { name: "with broken YAML", files: { "Chart.yaml": "name: a\nversion: [" }, text: "Chart.yaml:2:" },
    { name: "that is a text", files: { "Chart.yaml": "text" }, text: "Chart.yaml is not a map" },
    { name: "without a name", files: { "Chart.yaml": "version: 1.0.0" }, text: "Chart.yaml has no name" },
    { name: "with a list as version", files: { "Chart.yaml": "name: a\nversion: [1]" }, text: "has no version" },
    { name: "of a later format", files: { "Chart.yaml": chartYaml().replace("v2", "v3") }, text: "another apiVersion than v1 and v2" },
    { name: "that is a library", files: { "Chart.yaml": chartYaml("a", "type: library") }, text: "library chart" },
    {
      name: "with a broken archive of a dependency",
      files: { "Chart.yaml": chartYaml(), "charts/b.tgz": "no archive" },
      text: "charts/b.tgz: it is not a gzipped archive",
    },
    {
      name: "with values that are not YAML",
      files: { "Chart.yaml": chartYaml(), "values.yaml": "a: 1\nb: [" },
      text: "values.yaml:2:",
    },
    { name: "with a list as values", files: { "Chart.yaml": chartYaml(), "values.yaml": "[1]" }, text: "values.yaml is not a map" },
    {
      name: "with a schema that is not JSON",
      files: { "Chart.yaml": chartYaml(), "values.schema.json": "{type: object}" },
      text: "values.schema.json is not JSON: ",
    },
    {
      name: "with a number as schema",
      files: { "Chart.yaml": chartYaml(), "charts/b/Chart.yaml": chartYaml("b"), "charts/b/values.schema.json": "7" },
      text: "charts/b/values.schema.json is not a JSON object",
    },
    {
      name: "whose schema is elsewhere",
      files: { "Chart.yaml": chartYaml(), "values.schema.json": '{"properties":{"a":{"$ref":"https://example.com/a.json#/x"}}}' },
      text: "values.schema.json refers to https://example.com/a.json, which Helm would download",
    },
  ])("$name is refused", ({ files, text }) => {
    expect(problemsOf(files)).toEqual(refused(text));
  });

  test("may have empty values", () => {
    for (const text of ["", "# a comment", "null\n"])
      expect(problemsOf({ "Chart.yaml": chartYaml(), "values.yaml": text, "values.schema.json": "true" })).toBeUndefined();
  });

  test("may be a library where another chart depends on it", () => {
    const files = { "Chart.yaml": chartYaml("a", dependsOn("b")), "charts/b/Chart.yaml": chartYaml("b", "type: library") };
    expect(problemsOf(files)).toBeUndefined();
  });

  test("reports all its problems together", () => {
    const error = problemsOf({ "Chart.yaml": chartYaml("a", dependsOn("b", "c")) });
    expect(String(error).match(/^- /gm)).toHaveLength(2);
  });

  test.for([
    { chart: "oci://registry.example.com/redis", text: "helm pull oci://registry.example.com/redis --untar" },
    { chart: "https://example.com/redis-1.0.0.tgz", text: "charts are not downloaded from https: addresses" },
    { chart: new URL("http://example.com/redis"), text: "charts are not downloaded from http: addresses" },
    { chart: "bitnami/redis", text: 'run "helm pull bitnami/redis --untar"' },
    { chart: "/no/such/chart", text: "there is no file or folder at /no/such/chart" },
    { chart: "", text: "there is no file or folder" },
  ])("at $chart is refused when helm() is called, with what to do", ({ chart, text }) => {
    expect(() => helm(chart)).toThrow(refused(text) as Error);
  });

  test.for<{ readonly name: string; readonly files: Files; readonly want: boolean }>([
    { name: "in a template", files: { "templates/a.yaml": "{{ .Capabilities.APIVersions.Has }}" }, want: true },
    {
      name: "in a template of a dependency",
      files: { "charts/b/Chart.yaml": chartYaml("b"), "charts/b/templates/x": "APIVersions" },
      want: true,
    },
    {
      name: "in an archive",
      files: { "charts/b.tgz": archive({ "b/Chart.yaml": chartYaml("b"), "b/templates/x": "APIVersions" }) },
      want: true,
    },
    { name: "in a file that a template may render", files: { "files/x.tpl": "APIVersions" }, want: true },
    { name: "in its documentation", files: { "README.md": "APIVersions" }, want: false },
    { name: "in a CRD", files: { "crds/a.yaml": "APIVersions" }, want: false },
    { name: "nowhere", files: { "templates/a.yaml": "{{ .Capabilities.KubeVersion }} apiVersions" }, want: false },
  ])("that asks what the server serves $name is found", ({ files, want }) => {
    expect(openChart(folder({ "Chart.yaml": chartYaml(), ...files })).mentionsApiVersions).toBe(want);
  });

  test("with a schema whose references are in it is accepted", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/values.json",
      properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "part.json" }, id: { type: "string" } },
      $defs: { a: {}, part: { $id: "part.json" } },
    };
    expect(problemsOf({ "Chart.yaml": chartYaml(), "values.schema.json": JSON.stringify(schema) })).toBeUndefined();
    const other = { ...schema, properties: { a: { $ref: "other.json" } } };
    expect(problemsOf({ "Chart.yaml": chartYaml(), "values.schema.json": JSON.stringify(other) })).toEqual(
      refused("https://example.com/other.json"),
    );
  });

  test.skipIf(process.platform === "win32")("that is a device is refused, and not read", () => {
    expect(() => openChart("/dev/zero")).toThrow(expect.objectContaining({ code: "ERR_INVALID_CHART" }));
  });

  test("in a folder that links to itself is refused", () => {
    const root = folder({ "Chart.yaml": chartYaml() });
    symlinkSync(root, path.join(root, "loop"));
    expect(() => openChart(root)).toThrow(refused("links to a folder that contains it") as Error);
  });
});

describe("an archive", () => {
  test("has long names in each format", () => {
    const long = `demo/${"folder/".repeat(20)}a.yaml`;
    const content = Buffer.alloc(512, "x");
    const gnu = [header("././@LongLink", long.length + 1, "L"), Buffer.from(long.padEnd(512, "\0")), header("cut", 512, "0"), content];
    const record = `${long.length + 10} path=${long}\n`;
    const pax = [header("PaxHeader", record.length, "x"), Buffer.from(record.padEnd(512, "\0")), header("cut", 512, "0"), content];
    const split = header("a.yaml", 512, "0");
    split.write("demo/folder", 345);
    const files = (blocks: readonly Buffer[]) => [...filesOfArchive(gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)]))).keys()];
    expect(files(gnu)).toEqual([long]);
    expect(files(pax)).toEqual([long]);
    expect(files([split, content])).toEqual(["demo/folder/a.yaml"]);
    expect(files([header("link", 0, "2"), header("dir/", 0, "5")])).toEqual([]);
  });

  test.for([
    { name: "text", content: Buffer.from("text"), text: "it is not a gzipped archive" },
    { name: "a file that is too large", content: gzipSync(Buffer.alloc(100 * 1024 * 1024 + 1)), text: "more than 104857600 bytes" },
    { name: "the beginning of an archive", content: gzipSync(header("a", 10_000, "0")), text: "ends inside a file" },
    { name: "another format", content: gzipSync(Buffer.alloc(512, "z")), text: "a broken header" },
  ])("that is $name is refused", ({ content, text }) => {
    expect(() => filesOfArchive(content)).toThrow(text);
  });
});

test("the words of a chart are read when they are first needed", () => {
  const root = folder({ "Chart.yaml": chartYaml() });
  const chart = openChart(root);
  writeFileSync(path.join(root, "templates.txt"), "newword");
  expect([...chart.words()]).toEqual(expect.arrayContaining(["demo", "newword"]));
});
