import { realpathSync, symlinkSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { folder } from "../../test/folder.ts";
import { diskFiles, diskFilesIn } from "./disk-files.ts";
import { judge } from "./judge.ts";
import { isRemote, pluginReferencesIn, referencesIn } from "./references.ts";

const problemsOf = (files: Readonly<Record<string, string>>, root = "."): readonly string[] => {
  const base = folder(files);
  return judge(diskFilesIn(base), path.join(base, root), { titleOf: (file) => path.relative(base, file), allowsPluginFolders: false })
    .problems;
};

describe("the references of a Kustomization", () => {
  const all = {
    resources: ["r"],
    bases: ["b"],
    components: ["c"],
    crds: ["crd"],
    configurations: ["cfg"],
    generators: ["g"],
    transformers: ["t"],
    validators: ["v"],
    patches: [{ path: "p" }, { patch: "- op: remove" }],
    patchesJson6902: [{ path: "j", target: { kind: "A" } }],
    patchesStrategicMerge: ["s", "kind: A\nmetadata: {name: a}"],
    replacements: [{ path: "rep" }, { source: {}, targets: [] }],
    configMapGenerator: [{ name: "a", files: ["f", "key=f2"], envs: ["e"], env: "e2", literals: ["url=https://a/b"] }],
    secretGenerator: [{ name: "a", files: ["sf"] }],
    openapi: { path: "o" },
    commonAnnotations: { url: "https://a/b" },
    namePrefix: "https://",
  };
  test("are all fields that name a file, a folder or a URL", () => {
    const { references, problems } = referencesIn(all);
    expect(problems).toEqual([]);
    expect(references.map(({ path: each }) => each).toSorted()).toEqual(
      "b c cfg crd e e2 f f2 g j o p r rep s sf t v".split(" ").toSorted(),
    );
  });

  test("are found in fields whose names differ in case, as Go reads them", () => {
    const { references } = referencesIn({
      RESOURCES: ["a"],
      reſources: ["b"],
      patcheſ: [{ Path: "c" }],
      configMapGenerator: [{ fileſ: ["d"] }],
    });
    expect(references.map(({ path: each }) => each)).toEqual(["a", "b", "c", "d"]);
  });

  test.for([
    ["helmCharts", { helmCharts: [{ name: "a" }] }, /^helmCharts: Kustomize does not run Helm here/],
    ["helmGlobals", { HelmGlobals: {} }, /does not run Helm/],
    ["the old field of Helm charts", { helmChartInflationGenerator: [] }, /does not run Helm/],
    ["a field that is not known", { future: ["https://a"] }, /^future is not a field that Kustomize knows$/],
    ["a field whose name is a value", { "a secret value": 1 }, /^a field is not a field/],
    ["a list that is a text", { resources: "a" }, /^resources must be a list$/],
    ["a number as a path", { resources: [1] }, /^resources\[0\] must be a text$/],
    ["a list of texts as patches", { patches: ["a"] }, /^patches\[0\] must be a map$/],
    ["a document that is a list", [], /^the document must be a map$/],
    ["an inline plugin that is a program", { generators: ["apiVersion: a/v1\nkind: Exec\nmetadata: {name: a}"] }, /only plugins with/],
    [
      "an inline plugin of Helm",
      { generators: ["apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: a}"] },
      /does not run Helm/,
    ],
    ["a list of plugins", { generators: ["apiVersion: v1\nkind: AList\nmetadata: {name: a}\nitems: []"] }, /as documents, not as a list/],
  ] as const)("with %s have a problem", ([, document, problem]) => {
    const { problems } = referencesIn(document);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  test("are found in the configuration of built-in plugins, in the text and in files", () => {
    const inline = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: [k=a]\nENVS: [b]\n";
    expect(referencesIn({ generators: [inline] }).references.map(({ path: each }) => each)).toEqual(["a", "b"]);
    const plugin = (kind: string, fields: object): readonly string[] =>
      pluginReferencesIn({ apiVersion: "builtin", kind, metadata: { name: "a" }, ...fields }).references.map(({ path: each }) => each);
    expect(plugin("PatchTransformer", { path: "p" })).toEqual(["p"]);
    expect(plugin("PatchStrategicMergeTransformer", { paths: ["p"] })).toEqual(["p"]);
    expect(plugin("ReplacementTransformer", { replacements: [{ path: "p" }] })).toEqual(["p"]);
    expect(plugin("ValueAddTransformer", { targetFilePath: "p" })).toEqual(["p"]);
  });
});

describe("a path", () => {
  test.for([
    "https://a/b",
    "HTTPS://a/b",
    " http://a",
    "ssh://git@a/b",
    "file:///etc",
    "git::https://a/b",
    "git::git::file:///a",
    "git@a:b/c",
    "user-1@host/b/c.git",
    "github.com/a/b",
    "GitHub.com:a/b",
    "www.github.com/a/b",
    "gitlab.com/a/b",
    "bitbucket.org/a/b",
    "gh:a/b",
    "s3::https://a",
    "oci://a/b",
    "data:text/plain,a",
  ])("%s is remote", (given) => expect(isRemote(given)).toBe(true));

  test.for(["a.yaml", "./a", "../base", "a/b.git", "github.command/a/b", "a@b.yaml", "ü/ä b.yaml", "a/https:/b", ""])(
    "%s is local",
    (given) => expect(isRemote(given)).toBe(false),
  );
});

describe("a Kustomization", () => {
  const cm = "kind: ConfigMap";
  test("whose references are all there has no problem", () => {
    const files = {
      "o/kustomization.yaml": "resources: [../b, a.yaml]\ncomponents: [../c]\npatches: [{path: p/a.yaml}]",
      "o/a.yaml": cm,
      "o/p/a.yaml": cm,
      "b/Kustomization": "resources: [./a.yaml]",
      "b/a.yaml": cm,
      "c/kustomization.yml": "kind: Component",
    };
    expect(problemsOf(files, "o")).toEqual([]);
  });

  test.for([
    [
      "a remote resource in a base",
      { "kustomization.yaml": "resources: [b]", "b/kustomization.yaml": "resources: [https://a]" },
      "b/kustomization.yaml: resources[0] is remote: put what it names into the image",
    ],
    [
      "an absolute path",
      { "kustomization.yaml": "resources: [/etc/passwd]" },
      "kustomization.yaml: resources[0] is an absolute path: write it relative to the folder of its file",
    ],
    ["an empty path", { "kustomization.yaml": "resources: ['']" }, "kustomization.yaml: resources[0] is empty"],
    [
      "a folder above",
      { "kustomization.yaml": "resources: [../]" },
      "kustomization.yaml: resources[0] names nothing that exists in the folder, or in a folder that a Kustomization of yours names",
    ],
    [
      "a file as a component",
      { "kustomization.yaml": "components: [a.yaml]", "a.yaml": cm },
      "kustomization.yaml: components[0] names a file, and must name a folder",
    ],
    [
      "a folder as a patch",
      { "kustomization.yaml": "patches: [{path: a}]", "a/a.yaml": cm },
      "kustomization.yaml: patches[0].path names a folder, and must name a file",
    ],
    [
      "a folder without a Kustomization",
      { "kustomization.yaml": "resources: [a]", "a/a.yaml": cm },
      "a: has no kustomization.yaml, kustomization.yml, Kustomization",
    ],
    [
      "a folder of plugins",
      { "kustomization.yaml": "generators: [a]", "a/a.yaml": cm },
      "kustomization.yaml: generators[0] names a folder: name the files with the configuration of plugins, because those of a folder are not known before",
    ],
    [
      "a remote file in a file of plugins",
      {
        "kustomization.yaml": "generators: [g.yaml]",
        "g.yaml": "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: ['https://a']",
      },
      "g.yaml: files[0] is remote: put what it names into the image",
    ],
    [
      "a second file",
      { "kustomization.yaml": "{}", Kustomization: "{}" },
      "Kustomization: is a second Kustomization in its folder: remove one",
    ],
    ["two documents", { "kustomization.yaml": "a: 1\n---\nresources: []" }, "kustomization.yaml: has more than one document"],
    [
      "a repeated key",
      { "kustomization.yaml": "resources: []\nresources: [https://a]" },
      'kustomization.yaml:2: is not usable YAML: the key "..." occurs twice',
    ],
    ["bytes that are no text", { "kustomization.yaml": "\u0000" }, /./],
  ] as const)("with %s has a problem with its file", ([, files, problem]) => {
    expect(problemsOf(files)).toContainEqual(typeof problem === "string" ? problem : expect.stringMatching(problem));
  });

  test("does not reach a file above its folder, or by a link out of it", () => {
    const base = folder({ "o/kustomization.yaml": "resources: [../a.yaml, link.yaml, l/a.yaml]", "a.yaml": cm, "d/a.yaml": cm });
    symlinkSync(path.join(base, "a.yaml"), path.join(base, "o/link.yaml"));
    symlinkSync(path.join(base, "d"), path.join(base, "o/l"));
    const { problems } = judge(diskFiles, path.join(base, "o"), { allowsPluginFolders: true });
    expect(problems).toHaveLength(3);
    expect(problems[2]).toContain("names a file above the folder of its Kustomization");
    expect(judge(diskFilesIn(path.join(base, "o")), path.join(base, "o"), { allowsPluginFolders: true }).problems).toHaveLength(3);
  });

  // Whatever a value is: a reference without a problem names something in the folder, and Kustomize takes it for a local path.
  test("has no path without a problem that leads out of the folder, or to another host", () => {
    const base = folder({
      "in/kustomization.yaml": "",
      "in/a.yaml": cm,
      "in/a/b/kustomization.yaml": "",
      "out/kustomization.yaml": "",
      "a.yaml": cm,
    });
    const inner = path.join(base, "in");
    symlinkSync(path.join(base, "out"), path.join(inner, "l"));
    const segment = fc.constantFrom(
      "..",
      ".",
      "",
      "a",
      "b",
      "a.yaml",
      "l",
      "in",
      "out",
      "kustomization.yaml",
      path.basename(base),
      "https:",
      "git@h:",
      "x@y",
      "github.com",
      "?ref=a",
      "//",
      "\0",
      "_git",
      " ",
      "~",
      "\\..",
      "%2e%2e",
      "\u2025",
    );
    const paths = fc.oneof(
      fc.array(segment, { maxLength: 8 }).map((parts) => parts.join("/")),
      fc.array(segment, { maxLength: 8 }).map((parts) => parts.join("")),
      fc.array(segment, { maxLength: 6 }).map((parts) => path.join(inner, ...parts.map((each) => each.replaceAll("\0", "")))),
      fc.string(),
    );
    const field = fc.constantFrom<(given: string) => object>(
      (given) => ({ resources: [given] }),
      (given) => ({ components: [given] }),
      (given) => ({ patches: [{ path: given }] }),
      (given) => ({ generators: [given] }),
      (given) => ({ configMapGenerator: [{ files: [`k=${given}`] }] }),
    );
    const isAccepted = (given: string, make: (given: string) => object): boolean => {
      const root = Buffer.from(JSON.stringify(make(given)));
      const read = (file: string): Uint8Array => (path.dirname(file) === inner ? root : Buffer.alloc(0));
      return judge({ ...diskFilesIn(inner), read }, inner, { allowsPluginFolders: false }).problems.length === 0;
    };
    let accepted = 0;
    fc.assert(
      fc.property(paths, field, (given, make) => {
        if (!isAccepted(given, make)) return;
        accepted += 1;
        const real = realpathSync(path.join(inner, given));
        expect(real === inner || real.startsWith(`${inner}/`), given).toBe(true);
        expect(isClonedByKustomize(given) || /^https?:/i.test(given.trim()), given).toBe(false);
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});

/** Whether Kustomize 5 takes a path for a repository of git: NewRepoSpecFromURL in api/internal/git/repospec.go. */
function isClonedByKustomize(given: string): boolean {
  if (given.startsWith("/")) return false;
  const [beforeQuery = ""] = given.split("?");
  const withoutForced = beforeQuery.replace(/^git::/i, "");
  const scheme = /^(?:ssh|https?|file):\/\//i.exec(withoutForced)?.[0] ?? "";
  const withoutScheme = withoutForced.slice(scheme.length);
  const user = /^[a-zA-Z][a-zA-Z0-9-]*@/.exec(withoutScheme)?.[0] ?? "";
  const rest = withoutScheme.slice(user.length);
  return scheme !== "" || ((user !== "" || /^github\.com[/:]/i.test(rest)) && /[/:]/.test(rest) && rest.split("/").length > 2);
}
