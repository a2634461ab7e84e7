import { describe, expect, test } from "vitest";
import { MAX_DOCUMENT_LENGTH } from "../files/documents.ts";
import { CrdCache } from "./crd-cache.ts";
import { readOutput } from "./output.ts";

const context = { isInstall: true, prefixes: [], crds: new CrdCache(), signal: new AbortController().signal };
const read = async (stdout: string) => await readOutput(stdout, context);
const namesIn = async (stdout: string): Promise<readonly string[]> => (await read(stdout)).objects.map(({ metadata }) => metadata.name);

const map = (name: string, more = ""): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;
const source = (template: string, text: string): string => `---\n# Source: demo/templates/${template}\n${text}\n`;

describe("the output of helm template", () => {
  test("has objects in its order, without empty documents and with flat lists", async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: d}}`;
    const crds = `---\n# Source: demo/crds/two.yaml\n# a comment\n---\n${map("a")}--- # next\n${map("b")}\n`;
    expect(await namesIn(crds + source("empty.yaml", "# nothing") + source("list.yaml", list) + source("z.yaml", map("e")))).toEqual([
      "a",
      "b",
      "c",
      "d",
      "e",
    ]);
    expect(await namesIn("")).toEqual([]);
  });

  test("is read as Helm reads it: the last one of duplicate keys counts, and null is absent", async () => {
    const { objects, problems } = await read(
      source("a.yaml", map("a", "  labels: {app: web, app: db, none: null}\n  annotations: null\ndata: {mode: '0644'}\nmode: 0644\non: 1")),
    );
    expect(problems).toEqual([]);
    expect(objects).toEqual([
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", labels: { app: "db" }, annotations: {} },
        data: { mode: "0644" },
        mode: 420,
        true: 1,
      },
    ]);
  });

  test("is not divided at dashes in a text", async () => {
    const { objects } = await read(source("a.yaml", map("a", "data:\n  text: |\n    ---\n    # Source: demo/templates/b.yaml\n    x: y")));
    expect(objects).toMatchObject([{ data: { text: "---\n# Source: demo/templates/b.yaml\nx: y\n" } }]);
  });

  test.for(["\r", "\u0085", "\u2028", "\u2029"])("is not divided at dashes after %j in a text, which may be a value", async (separator) => {
    const note = `x${separator}--- # y\napiVersion: v1\nkind: Secret\nmetadata:\n  name: injected`;
    const { objects } = await read(source("a.yaml", map("a", `data:\n  note: |-\n${`    ${note.replaceAll("\n", "\n    ")}`}`)));
    expect(objects.map(({ kind }) => kind)).toEqual(["ConfigMap"]);
  });

  test("has a problem if the set refuses the kind of a hook that runs at upgrades only", async () => {
    const hook = (when: string): string => source(`${when}.yaml`, map(when, `  annotations: {helm.sh/hook: ${when}}\n`));
    const refusalOf = ({ kind }: { readonly kind: string }): string => `${kind} is not in kinds`;
    const { problems } = await readOutput(hook("post-upgrade") + hook("test") + hook("pre-install"), { ...context, refusalOf });
    expect(problems).toEqual([
      "demo/templates/post-upgrade.yaml: the ConfigMap post-upgrade is a hook of upgrades, and ConfigMap is not in kinds",
    ]);
    expect((await readOutput(hook("post-upgrade"), context)).problems).toEqual([]);
  });

  test.for([
    { name: "a text", text: "just text", problem: "a document is not an object" },
    { name: "a list", text: "- a", problem: "a document is not an object" },
    { name: "a map without a kind", text: "a: b", problem: "an object has no kind" },
    { name: "an object without a version", text: "kind: ConfigMap\nmetadata: {name: x}", problem: "a ConfigMap has no apiVersion" },
    { name: "an object without metadata", text: "apiVersion: v1\nkind: ConfigMap", problem: "a ConfigMap has no metadata.name" },
    {
      name: "an object without a name",
      text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {}}",
      problem: "has no text as metadata.name",
    },
    { name: "a name that is a number", text: map("12"), problem: "has no text as metadata.name" },
    { name: "a generated name", text: "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: x-}", problem: "a Job has generateName" },
    { name: "a label that is a number", text: map("a", "  labels: {port: 80}"), problem: "a value that is not a text in metadata.labels" },
    { name: "broken YAML", text: `${map("a")}data: [`, problem: "the output is not YAML, in line" },
    {
      name: "a hook for delete",
      text: map("a", '  annotations: {"helm.sh/hook": pre-delete}'),
      problem: "the ConfigMap a is a hook for pre-delete",
    },
  ])("with $name is a problem that names the template", async ({ text, problem }) => {
    const { objects, problems } = await read(source("a.yaml", map("fine")) + source("sub/b.yaml", text));
    expect(objects).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems[0]).toMatch(/^demo\/templates\/sub\/b\.yaml: /);
  });

  test("reports all problems together, without values", async () => {
    const { problems } = await read(source("a.yaml", "hunter2") + source("b.yaml", "a: [ hunter2"));
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain("hunter2");
  });

  test("with an object for a hook and for the release has it once, as early as the hook needs it", async () => {
    const hook = 'annotations: {"helm.sh/hook": pre-install, "helm.sh/hook-weight": "-5", "helm.sh/hook-delete-policy": hook-succeeded}';
    const account = (more: string): string => `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: a\n  ${more}`;
    const { objects } = await read(source("a.yaml", account("labels: {app: db}")) + source("hook.yaml", account(hook)));
    expect(objects).toEqual([
      {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "a", labels: { app: "db" }, annotations: { "treadle.dev/apply-order": "-106" } },
      },
    ]);
  });

  test("has a problem for a document that no API server accepts", async () => {
    const { problems } = await read(source("a.yaml", map("a", `data:\n${"  a: b\n".repeat(MAX_DOCUMENT_LENGTH / 7)}`)));
    expect(problems).toEqual(["demo/templates/a.yaml: a document has more than 8 MiB, which no API server accepts"]);
  });

  test("that is large lets other work run, and ends with the signal", async () => {
    const documents = Array.from({ length: 3_000 }, (_, i) => source("many.yaml", map(`m-${i}`))).join("");
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    expect((await read(documents)).objects).toHaveLength(3_000);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    const stopped = new Error("stopped");
    await expect(readOutput(documents, { ...context, signal: AbortSignal.abort(stopped) })).rejects.toBe(stopped);
  });
});

describe("the CRDs of outputs", () => {
  const crd = (name: string): string => `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}\n`;
  const counted = (crds: CrdCache) => {
    const parsed: string[] = [];
    const parse = (text: string): readonly unknown[] => {
      parsed.push(text);
      return [{ kind: text === "other" ? "Secret" : "CustomResourceDefinition", metadata: { name: text } }];
    };
    return { parsed, read: (text: string) => crds.read(text, parse) };
  };

  test("are parsed once, and each output has copies", async () => {
    const stdout = source("a.yaml", crd("a")) + source("b.yaml", crd("b"));
    const first = await read(stdout);
    Object.assign(first.objects[0] ?? {}, { spec: "edited" });
    expect((await read(stdout)).objects.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    expect((await read(stdout)).objects[0]).not.toHaveProperty("spec");
  });

  test("are forgotten when there are too many, the least recently used first", () => {
    const { parsed, read: readEach } = counted(new CrdCache(150));
    for (const text of ["a", "b", "a", "c", "a", "b"]) readEach(text);
    expect(parsed).toEqual(["a", "b", "c", "b"]);
  });

  test("are kept without other documents", () => {
    const { parsed, read: readEach } = counted(new CrdCache());
    for (const text of ["other", "other"]) readEach(text);
    expect(parsed).toEqual(["other", "other"]);
  });
});
