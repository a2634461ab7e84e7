import { symlinkSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { folder } from "../../test/folder.ts";
import { kustomize } from "./kustomize.ts";
import { readSources } from "./sources.ts";

const invalid = (message: RegExp): unknown =>
  expect.objectContaining({ code: "ERR_INVALID_KUSTOMIZATION", message: expect.stringMatching(message) });
const cm = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

describe("a folder is refused when the operator starts", () => {
  test("if it does not exist, or is a file", () => {
    const root = folder({ "a.yaml": cm });
    expect(() => kustomize("/no/such")).toThrow(invalid(/^kustomize: cannot use the folder \/no\/such: it does not exist/));
    expect(() => kustomize(path.join(root, "a.yaml"))).toThrow(invalid(/a\.yaml: is not a folder$/));
    expect(() => kustomize(pathToFileURL(path.join(root, "no")))).toThrow(invalid(/it does not exist/));
  });

  test.for<[string, Readonly<Record<string, string>>, RegExp]>([
    ["a remote resource", { "kustomization.yaml": "resources: [https://a]" }, /kustomization\.yaml: resources\[0\] is remote/],
    ["a missing file", { "kustomization.yaml": "resources: [no.yaml]" }, /resources\[0\] names nothing/],
    [
      "a remote resource in a folder without a Kustomization",
      { "k/kustomization.yaml": "resources: [github.com/a/b]" },
      /k\/kustomization\.yaml: resources\[0\] is remote/,
    ],
    ["two problems", { "kustomization.yaml": "resources: [no.yaml, https://a]" }, /:\n- .*names nothing.*\n- .*is remote/],
  ])("with %s, with and without templates", ([, files, message]) => {
    expect(() => kustomize(folder(files))).toThrow(invalid(message));
    expect(() => kustomize(folder(files), { template: true })).toThrow(invalid(message));
  });

  test("with a remote resource beside template actions, and not for what depends on values", () => {
    const text = "{{- if .Values.a }}\nresources:\n- {{ .Values.b }}.yaml\n- https://a\n{{- end }}\n";
    expect(() => kustomize(folder({ "kustomization.yaml": text }), { template: true })).toThrow(
      invalid(/: kustomization\.yaml: resources\[1\] is remote: put/),
    );
    expect(() => kustomize(folder({ "kustomization.yaml": text.replace("https://a", "no.yaml") }), { template: true })).not.toThrow();
    expect(() => kustomize(folder({ "kustomization.yaml": "# see https://a {{ 1 }}" }), { template: true })).not.toThrow();
  });

  test("with a link that leads out of it, if it has templates", () => {
    const root = folder({ "a/a.yaml": cm, "out.yaml": cm });
    symlinkSync(path.join(root, "out.yaml"), path.join(root, "a/l.yaml"));
    expect(() => kustomize(path.join(root, "a"), { template: true })).toThrow(invalid(/l\.yaml links to something outside/));
  });

  test("with a link to a folder above", () => {
    const root = folder({ "a/a.yaml": cm });
    symlinkSync(path.join(root, "a"), path.join(root, "a/l"));
    expect(() => kustomize(path.join(root, "a"), { template: true })).toThrow(invalid(/links to a folder that contains it/));
  });

  test("if it is a Helm chart", () => {
    for (const template of [true, false])
      expect(() => kustomize(folder({ "Chart.yaml": "name: a", "templates/a.yaml": cm }), { template })).toThrow(
        invalid(/it is a Helm chart, as its Chart\.yaml shows: use helm\(\)$/),
      );
    expect(() => kustomize(folder({ "kustomization.yaml": "", "Chart.yaml": "name: a" }))).not.toThrow();
  });

  test.for<[string, object, RegExp]>([
    ["an option that does not exist", { value: {} }, /^kustomize: there is no option value: use template, values/],
    ["a number as values", { values: 3 }, /^kustomize: values is a number: give an object/],
    ["a text as edit", { edit: "x" }, /^kustomize: edit has a text: give a function/],
    ["nothing in a list of edits of parameters", { parameters: [undefined] }, /^kustomize: parameters has nothing: give a function/],
  ])("with %s", ([, options, message]) => {
    const refused = expect.objectContaining({ code: "ERR_INVALID_STEP", message: expect.stringMatching(message) }) as Error;
    expect(() => kustomize(folder({ "a.yaml": cm }), { template: true, ...options })).toThrow(refused);
  });

  test("with values and without templates", () => {
    expect(() => kustomize(folder({ "a.yaml": cm }), { values: {} })).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_STEP", message: expect.stringMatching(/set template to true/) }) as Error,
    );
  });
});

describe("the files of a folder", () => {
  const files = {
    "o/prod/kustomization.yaml":
      "resources:\n- ../../base\n{{ if .Values.x }}- ../../extra{{ end }}\n- ../../{{ .Values.y }}\n- ../../plain\n- ../..\n",
    "base/kustomization.yaml": "resources: [a.yaml]\ncomponents: ['../common']",
    "base/a.yaml": "x",
    "common/kustomization.yaml": "kind: Component",
    "extra/Kustomization": "{}",
    "plain/a.yaml": "no Kustomization",
    "secret/kustomization.yaml": "{}",
    "kustomization.yaml": "{}",
  };

  test("are those of the folders that the text of a Kustomization names", () => {
    const root = folder(files);
    const sources = readSources(path.join(root, "o/prod"));
    expect([...sources.files.keys()]).toEqual([
      "base/a.yaml",
      "base/kustomization.yaml",
      "common/kustomization.yaml",
      "extra/Kustomization",
      "o/prod/kustomization.yaml",
    ]);
    expect(sources).toMatchObject({ base: root, root: "o/prod" });
  });

  test("have no folders of git, and no duplicates of a mounted ConfigMap", () => {
    const root = folder({ "..data/a.yaml": cm, ".git/a.yaml": cm, ".env": "A=1", "b.yaml": cm });
    symlinkSync(path.join(root, "..data/a.yaml"), path.join(root, "a.yaml"));
    expect([...readSources(root).files.keys()]).toEqual([".env", "a.yaml", "b.yaml"]);
  });
});
