import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readYaml } from "@treadle/dependents/unstable/render";
import { folder } from "../../test/folder.ts";
import { canonical } from "./canonical.ts";
import { generatedKustomization, resourcesOf } from "./generated.ts";
import { mentionedIn } from "./parameters.ts";
import { hasActions, templateErrorIn, unpack, writeChart } from "./templates.ts";

const templates = [
  { file: "a b/ü.yaml", text: "{{ 1 }}" },
  { file: "_h.tpl", text: '{{ define "h" }}{{ end }}' },
];

describe("the chart of a folder", () => {
  test("has the files as partial templates with names of ours, and the other files below files/", async () => {
    const root = folder({});
    await writeChart(root, templates, { others: new Map([["templates/x.yaml", Buffer.from("{{ broken")]]) });
    expect(new Set(readdirSync(root, { recursive: true, encoding: "utf8" }))).toEqual(
      new Set([
        "Chart.yaml",
        "files",
        "files/templates",
        "files/templates/x.yaml",
        "templates",
        "templates/_0.tpl",
        "templates/_1.tpl",
        "templates/files.yaml",
      ]),
    );
    expect(readFileSync(path.join(root, "templates/_0.tpl"), "utf8")).toBe("{{ 1 }}");
  });

  test("has no file that another user can read", async () => {
    const root = folder({});
    await writeChart(root, templates);
    expect(execFileSync("find", [root, "-mindepth", "1", "-perm", "/077"], { encoding: "utf8" })).toBe("");
  });

  // What is packed is unpacked again, whatever its bytes are.
  test("gives back every content", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array(), { minLength: 1, maxLength: 5 }), (contents) => {
        const given = contents.map((_content, i) => ({ file: `f${i}`, text: "" }));
        const files = contents.map((content) => Buffer.from(content).toString("base64"));
        const stdout = `---\n# Source: kustomize/templates/files.yaml\n${JSON.stringify({ apiVersion: "kustomize.treadle.dev/v1", kind: "Files", files })}\n`;
        expect([...unpack(stdout, given).values()].map((content) => [...content])).toEqual(contents.map((content) => [...content]));
      }),
    );
  });

  test.for(["", "---\n# Source: x\nkind: A\n", '{"apiVersion":"kustomize.treadle.dev/v1","kind":"Files","files":["YQ=="]}'])(
    "that Helm did not print is an error: %s",
    (stdout) => expect(() => unpack(stdout, templates)).toThrow(/contains no rendered files/),
  );
});

describe("a file", () => {
  test.for<[string, string | Buffer, boolean]>([
    ["with an action", "a: {{ .Values.a }}", true],
    ["without an action", "a: {b: {c: 1}}", false],
    ["with bytes that are no text", Buffer.from([0x7b, 0x7b, 0xff]), false],
    ["with a zero byte", "{{ 1 }}\0", false],
    ["that is empty", "", false],
  ])("%s is a template: %s", ([, content, want]) => expect(hasActions(Buffer.from(content))).toBe(want));
});

describe("an error of Helm", () => {
  test.for<[string, string, { file: string; line: string } | undefined, RegExp]>([
    [
      "3, nested",
      'Error: template: kustomize/templates/files.yaml:2:55: executing "kustomize/templates/files.yaml" at <include "x" $>: error calling include: template: kustomize/templates/_1.tpl:7:14: executing "kustomize/templates/_1.tpl" at <.Values.a.b>: nil pointer evaluating interface {}.b\n\nUse --debug flag to render out invalid YAML',
      { file: "_h.tpl", line: "7" },
      /^<\.Values\.a\.b>: nil pointer evaluating interface \{\}\.b$/,
    ],
    [
      "4, nested",
      'Error: kustomize/templates/files.yaml:2:55\n  executing "kustomize/templates/files.yaml" at <include>:\n    error calling include:\nkustomize/templates/_0.tpl:3:10\n  executing "kustomize/templates/_0.tpl" at <.Values.a.b>:\n    nil pointer\n',
      { file: "a b/ü.yaml", line: "3" },
      /^<\.Values\.a\.b>:\s+nil pointer$/,
    ],
    [
      "of syntax",
      "Error: parse error at (kustomize/templates/_0.tpl:2): missing value for if",
      { file: "a b/ü.yaml", line: "2" },
      /^missing value for if$/,
    ],
    ["by fail", "Error: execution error at (kustomize/templates/0.tpl:4:3): message", { file: "a b/ü.yaml", line: "4" }, /^message$/],
    ["by fail in an included file", "Error: execution error at (kustomize/templates/files.yaml:2:55): message", undefined, /message$/],
    ["without a place", "Error: out of memory", undefined, /^out of memory$/],
    ["of a template that does not exist", "Error: parse error at (kustomize/templates/_7.tpl:2): x", undefined, /x/],
  ])("%s names the file and line", ([, stderr, place, reason]) => {
    expect(templateErrorIn(stderr, templates)).toEqual({ place, reason: expect.stringMatching(reason) });
  });
});

describe("a generated Kustomization", () => {
  test("names YAML files and folders with a Kustomization, sorted, without hidden files", () => {
    const files = [
      "z.yaml",
      "a/b.yml",
      ".h.yaml",
      ".h/a.yaml",
      "a/.h.yaml",
      "x.json",
      "README.md",
      "k/Kustomization",
      "k/a.yaml",
      "k/in/kustomization.yaml",
      "kk/a.yaml",
    ];
    expect(resourcesOf(files)).toEqual(["a/b.yml", "k", "kk/a.yaml", "z.yaml"]);
  });

  test("is the same for files in any order", () => {
    const files = ["b.yaml", "a.yaml", "c/kustomization.yml"];
    expect(generatedKustomization(files)).toBe(generatedKustomization(files.toReversed()));
    expect(readYaml(generatedKustomization(files))).toMatchObject([
      { value: { kind: "Kustomization", resources: ["a.yaml", "b.yaml", "c"] } },
    ]);
  });
});

describe("the canonical text of a document", () => {
  // Readers of YAML must not disagree about it.
  test("has no character that is a line break for a reader, and the same meaning", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom("\u2028", "\u2029", "\u0085", "\r", "\n", "\uFEFF", "# \u2028resources: [a]"));
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (document) => {
        const written = canonical([document]);
        expect(written).not.toMatch(/[\u0085\u2028\u2029\uFEFF\r]|\n./);
        expect(readYaml(written)).toMatchObject([{ value: document }]);
      }),
    );
  });

  test("has inline plugins in the same form", () => {
    const plugin = "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: a} # \u2028path: https://a\n";
    expect(canonical([{ TRANSFORMERS: [plugin, "file.yaml"] }])).toBe(
      `${JSON.stringify({ TRANSFORMERS: ['{"apiVersion":"builtin","kind":"PrefixTransformer","metadata":{"name":"a"}}', "file.yaml"] })}\n`,
    );
  });
});

test.for([
  ["{{ .Values.kubernetesVersion }}", { version: true, served: false }],
  ["{{ .Capabilities.KubeVersion }}", { version: true, served: false }],
  ["{{ .Values.apiResources }}", { version: false, served: true }],
  ['{{ .Capabilities.APIVersions.Has "a" }}', { version: false, served: true }],
  ["{{ .Values.name }}", { version: false, served: false }],
] as const)("the template %s reads the facts that it mentions", ([text, want]) => expect(mentionedIn([text])).toEqual(want));
