/** Folders with the real kustomize, and templates with the real Helm 3 and 4. */
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Manifest, RenderContext } from "@treadle/dependents";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { folder } from "../../test/folder.ts";
import { kustomize, type KustomizeOptions } from "./kustomize.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
type Options = KustomizeOptions<KubernetesObject, {}, {}>;

const owner = (spec: object = {}): KubernetesObject =>
  ({
    apiVersion: "t.treadle.dev/v1",
    kind: "Web",
    metadata: { name: "shop", namespace: "ns", labels: { l: "1" } },
    spec,
  }) as KubernetesObject;

function context(given: Partial<RenderContext> = {}): RenderContext {
  return {
    name: "shop",
    namespace: "ns",
    reads: {},
    vars: {},
    live: {},
    release: { revision: 1, isInstall: true },
    cluster: { version: "v1.36.3", kinds: { has: () => true, all: () => ["apps/v1", "apps/v1/Deployment", "v1"] } },
    signal: AbortSignal.timeout(50_000),
    log: console as never,
    ...given,
  };
}

async function render(
  files: Files,
  options: Options = {},
  { root = ".", spec = {} }: { root?: string; spec?: object } = {},
): Promise<readonly Manifest[]> {
  return await kustomize<KubernetesObject, {}, {}>(path.join(folder(files), root), options)(owner(spec), context());
}

const cm = (name: string, data: object = { a: "b" }): Manifest =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }) as Manifest;
const json = (value: unknown): string => JSON.stringify(value);
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx:1" }] } },
  },
};
const changed = (
  change: (copy: typeof deployment & { spec: Record<string, unknown>; metadata: Record<string, unknown> }) => void,
): object => {
  const copy = structuredClone(deployment);
  change(copy as never);
  return copy;
};
const base: Files = { "web.yaml": json(deployment) };

describe("a folder", () => {
  test.for<[string, object, Files, readonly object[]]>([
    [
      "resources",
      { resources: ["web.yaml", "a.yaml"] },
      { ...base, "a.yaml": `${json(cm("a"))}\n---\n${json(cm("b"))}` },
      [cm("a"), cm("b"), deployment],
    ],
    [
      "a strategic merge patch",
      { resources: ["web.yaml"], patches: [{ path: "p.yaml" }] },
      { ...base, "p.yaml": json({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas: 2 } }) },
      [changed(({ spec }) => (spec["replicas"] = 2))],
    ],
    [
      "a JSON patch",
      { resources: ["web.yaml"], patches: [{ path: "p.json", target: { kind: "Deployment" } }] },
      { ...base, "p.json": json([{ op: "add", path: "/spec/replicas", value: 3 }]) },
      [changed(({ spec }) => (spec["replicas"] = 3))],
    ],
    [
      "the old fields of patches",
      {
        resources: ["web.yaml"],
        patchesStrategicMerge: [
          "p.yaml",
          json({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { paused: true } }),
        ],
        patchesJson6902: [{ path: "p.json", target: { version: "v1", group: "apps", kind: "Deployment", name: "web" } }],
      },
      {
        ...base,
        "p.yaml": json({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas: 2 } }),
        "p.json": json([{ op: "replace", path: "/spec/replicas", value: 4 }]),
      },
      [changed(({ spec }) => Object.assign(spec, { replicas: 4, paused: true }))],
    ],
    [
      "components",
      { resources: ["web.yaml"], components: ["c"] },
      {
        ...base,
        "c/kustomization.yaml": json({
          apiVersion: "kustomize.config.k8s.io/v1alpha1",
          kind: "Component",
          resources: ["a.yaml"],
          nameSuffix: "-c",
        }),
        "c/a.yaml": json(cm("a")),
      },
      [cm("a-c"), changed(({ metadata }) => (metadata["name"] = "web-c"))],
    ],
    [
      "images",
      { resources: ["web.yaml"], images: [{ name: "nginx", newName: "mirror/nginx", newTag: "2" }] },
      base,
      [changed(({ spec }) => Object.assign(spec.template.spec.containers[0] ?? {}, { image: "mirror/nginx:2" }))],
    ],
    ["a prefix and a suffix", { resources: ["a.yaml"], namePrefix: "p-", nameSuffix: "-s" }, { "a.yaml": json(cm("a")) }, [cm("p-a-s")]],
    [
      "a namespace",
      { resources: ["a.yaml"], namespace: "other" },
      { "a.yaml": json(cm("a")) },
      [{ ...cm("a"), metadata: { name: "a", namespace: "other" } }],
    ],
    [
      "a generated ConfigMap with a hash, and one without",
      {
        configMapGenerator: [
          { name: "a", literals: ["u=https://a/b"], files: ["key=f.txt"], envs: [".env"] },
          { name: "b", literals: ["x=1"], options: { disableNameSuffixHash: true } },
        ],
      },
      { "f.txt": "text", ".env": "E=1\n" },
      [cm("a-kdg65mk42m", { E: "1", key: "text", u: "https://a/b" }), cm("b", { x: "1" })],
    ],
    [
      "replacements",
      { resources: ["a.yaml", "b.yaml"], replacements: [{ path: "r.yaml" }] },
      {
        "a.yaml": json(cm("a", { v: "from a" })),
        "b.yaml": json(cm("b", { v: "x" })),
        "r.yaml": json({
          source: { kind: "ConfigMap", name: "a", fieldPath: "data.v" },
          targets: [{ select: { name: "b" }, fieldPaths: ["data.v"] }],
        }),
      },
      [cm("a", { v: "from a" }), cm("b", { v: "from a" })],
    ],
    [
      "labels",
      { resources: ["web.yaml"], labels: [{ pairs: { team: "a" }, includeSelectors: true }] },
      base,
      [
        changed(({ metadata, spec }) => {
          metadata["labels"] = { team: "a" };
          Object.assign(spec.selector.matchLabels, { team: "a" });
          Object.assign(spec.template.metadata.labels, { team: "a" });
        }),
      ],
    ],
    [
      "crds",
      { resources: ["w.yaml", "s.yaml"], crds: ["crd.json"], namePrefix: "p-" },
      {
        "w.yaml": json({ apiVersion: "t.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: { secretRef: { name: "s" } } }),
        "s.yaml": json({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } }),
        "crd.json": json({
          "t.dev/v1.Widget": {
            Schema: {
              properties: {
                apiVersion: { type: "string" },
                kind: { type: "string" },
                metadata: { type: "object" },
                spec: { $ref: "t.dev/v1.WidgetSpec" },
              },
            },
          },
          "t.dev/v1.WidgetSpec": {
            Schema: {
              properties: {
                secretRef: {
                  "x-kubernetes-object-ref-api-version": "v1",
                  "x-kubernetes-object-ref-kind": "Secret",
                  "x-kubernetes-object-ref-name-key": "name",
                },
              },
            },
          },
        }),
      },
      [
        { apiVersion: "v1", kind: "Secret", metadata: { name: "p-s" } },
        { apiVersion: "t.dev/v1", kind: "Widget", metadata: { name: "p-w" }, spec: { secretRef: { name: "p-s" } } },
      ],
    ],
    [
      "an OpenAPI schema with merge keys",
      { resources: ["w.yaml"], openapi: { path: "schema.json" }, patches: [{ path: "p.yaml" }] },
      {
        "w.yaml": json({ apiVersion: "t.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: { parts: [{ name: "a", v: 1 }] } }),
        "p.yaml": json({ apiVersion: "t.dev/v1", kind: "Widget", metadata: { name: "w" }, spec: { parts: [{ name: "b", v: 2 }] } }),
        "schema.json": json({
          definitions: {
            "dev.t.v1.Widget": {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    parts: {
                      type: "array",
                      items: { type: "object", properties: { name: { type: "string" }, v: { type: "integer" } } },
                      "x-kubernetes-patch-merge-key": "name",
                      "x-kubernetes-patch-strategy": "merge",
                    },
                  },
                },
              },
              "x-kubernetes-group-version-kind": [{ group: "t.dev", version: "v1", kind: "Widget" }],
            },
          },
        }),
      },
      [
        {
          apiVersion: "t.dev/v1",
          kind: "Widget",
          metadata: { name: "w" },
          spec: {
            parts: [
              { name: "b", v: 2 },
              { name: "a", v: 1 },
            ],
          },
        },
      ],
    ],
    [
      "built-in generators and transformers, in the text and in a file",
      {
        resources: ["a.yaml"],
        generators: [
          json({
            apiVersion: "builtin",
            kind: "ConfigMapGenerator",
            metadata: { name: "g" },
            literals: ["x=1"],
            options: { disableNameSuffixHash: true },
          }),
        ],
        transformers: ["t.yaml"],
      },
      {
        "a.yaml": json(cm("a")),
        "t.yaml": json({
          apiVersion: "builtin",
          kind: "PrefixTransformer",
          metadata: { name: "t" },
          prefix: "p-",
          fieldSpecs: [{ path: "metadata/name" }],
        }),
      },
      [cm("p-a"), cm("p-g", { x: "1" })],
    ],
  ])("with %s gives the objects that kustomize prints, also as a template", async ([, kustomization, files, want]) => {
    const all = { ...files, "kustomization.yaml": json(kustomization) };
    const byName = (objects: readonly unknown[]): readonly unknown[] =>
      (objects as Manifest[]).toSorted((a, b) => (a.kind + a.metadata.name < b.kind + b.metadata.name ? -1 : 1));
    expect(byName(await render(all))).toEqual(want);
    expect(byName(await render(all, { template: true }))).toEqual(want);
  });

  const overlay: Files = {
    "overlays/prod/kustomization.yaml": "resources: [../../base]\nnamePrefix: prod-\n",
    "base/kustomization.yaml": "resources: [a.yaml]\n",
    "base/a.yaml": json(cm("a")),
    "other/secret.txt": "no",
  };

  test("names a base outside of it, which is rendered with it", async () => {
    expect(await render(overlay, {}, { root: "overlays/prod" })).toEqual([cm("prod-a")]);
    const templates = { ...overlay, "base/a.yaml": json(cm("a", { owner: "{{ .Values.name }}" })) };
    expect(await render(templates, { template: true }, { root: "overlays/prod" })).toEqual([cm("prod-a", { owner: "shop" })]);
  });

  test("without a Kustomization has one with all its YAML files, sorted by path", async () => {
    const files = {
      "z.yaml": json(cm("z")),
      "b/a.yml": json(cm("b-a")),
      ".hidden.yaml": "no: [",
      ".hidden/a.yaml": "no: [",
      "README.md": "no",
      "data.json": "[]",
      "empty.yaml": "# nothing\n",
      "k/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: k-",
      "k/a.yaml": json(cm("a")),
    };
    expect((await render(files)).map(({ metadata }) => metadata.name)).toEqual(["b-a", "k-a", "z"]);
    expect(await render({ "README.md": "nothing" })).toEqual([]);
  });

  test("is built once for all owners, since it has no templates", async () => {
    const root = folder({ "kustomization.yaml": "resources: [a.yaml]", "a.yaml": json(cm("a")) });
    const renderer = kustomize(root);
    const [first] = await renderer(owner(), context());
    (first as unknown as { data: object }).data = {};
    writeFileSync(path.join(root, "a.yaml"), json(cm("b")));
    expect(await renderer(owner(), context())).toEqual([cm("a")]);
  });

  test("that does not render is a KustomizationInvalid error that names the problem", async () => {
    const files = {
      "kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml}]",
      "a.yaml": json(cm("a")),
      "p.yaml": json(cm("other")),
    };
    const want = { code: "KustomizationInvalid", message: expect.stringMatching(/^kustomize: cannot render \/.*: no .*ConfigMap.*other/) };
    await expect(render(files)).rejects.toMatchObject(want);
    await expect(render(files, { template: true })).rejects.toMatchObject(want);
  });

  test.for<[string, Files]>([
    ["with a Kustomization", { "kustomization.yaml": "resources: [web.yaml]" }],
    ["without one", {}],
  ])("%s, with template actions and without the option template, names the file and the option", async ([, files]) => {
    const web = "apiVersion: v1\nkind: ConfigMap\n# {{ a comment }}\nmetadata: {name: {{ .Values.name }}}\n";
    await expect(render({ ...files, "web.yaml": web })).rejects.toMatchObject({
      code: "KustomizationInvalid",
      message: expect.stringMatching(/; web\.yaml:4 has a template action: set template to true/),
    });
    await expect(render({ ...files, "web.yaml": "kind: A" })).rejects.not.toThrow(/template action/);
  });

  test("whose Kustomization has template actions names the option when the operator starts", async () => {
    const files = { "kustomization.yaml": "namePrefix: x\nresources: [{{ .Values.name }}]\n" };
    await expect(render(files)).rejects.toThrow(/kustomization\.yaml:2 has a template action: set template to true/);
  });

  test("has its objects edited in order, with the owner and the context", async () => {
    const edit: Options["edit"] = [
      (each, object, { name }) => ({ ...each, metadata: { ...each.metadata, labels: { owner: object.metadata.name, name } } }),
      (each) => (each.metadata.name === "b" ? undefined : each),
    ];
    const objects = await render({ "a.yaml": json(cm("a")), "b.yaml": json(cm("b")) }, { edit });
    expect(objects).toEqual([{ ...cm("a"), metadata: { name: "a", labels: { owner: "shop", name: "shop" } } }]);
  });
});

describe.each(["TREADLE_HELM", "TREADLE_HELM3"])("templates with the Helm of %s", (variable) => {
  const before = process.env["TREADLE_HELM"];
  beforeAll(() => void (process.env["TREADLE_HELM"] = process.env[variable] ?? "/no-helm"));
  afterAll(() => void (before === undefined ? delete process.env["TREADLE_HELM"] : (process.env["TREADLE_HELM"] = before)));

  const template = true;

  test("are files of every type: objects, lists, parts, text, and files without actions keep their bytes", async () => {
    const binary = Buffer.from([0, 0xff, 0x7b, 0x7b, 0x20, 0xfe]);
    const files = {
      "kustomization.yaml":
        "resources: ['a b ü.yaml', web.yaml]\npatches:\n- path: list.yaml\n  target: {kind: Deployment}\n- path: part.yaml\n" +
        "configMapGenerator:\n- name: files\n  files: [text.ini, binary.bin, crlf.txt]\n  options: {disableNameSuffixHash: true}\n",
      "a b ü.yaml": `{{- include "labels" . -}}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.name }}}\ndata: {v: {{ .Values.component.spec.v | quote }}, none: "{{ .Values.none }}"}\n`,
      ...base,
      "list.yaml": "- op: add\n  path: /spec/replicas\n  value: {{ .Values.component.spec.replicas }}\n",
      "part.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {paused: {{ true }}}\n",
      "text.ini": '[{{ .Values.namespace }}]\r\n  x = {{ b64enc "y" }}  \n\n',
      "binary.bin": binary,
      "crlf.txt": "a\r\nb  ",
      "_helpers.tpl": '{{ define "labels" }}{{ end }}',
      ".helmignore": "*\n",
      "Chart.yaml": "no: chart",
      "charts/x/Chart.yaml": "no: [",
    };
    const objects = await render(files, { template }, { spec: { v: 'a"b', replicas: 3 } });
    const byKind = Object.fromEntries(objects.map((each) => [`${each.kind}/${each.metadata.name}`, each as object]));
    expect(byKind["ConfigMap/shop"]).toEqual(cm("shop", { v: 'a"b', none: "" }));
    expect(byKind["Deployment/web"]).toMatchObject({ spec: { replicas: 3, paused: true } });
    expect(byKind["ConfigMap/files"]).toMatchObject({
      data: { "text.ini": "[ns]\r\n  x = eQ==  \n\n", "crlf.txt": "a\r\nb  " },
      binaryData: { "binary.bin": binary.toString("base64") },
    });
  });

  test("get the owner without its status, the values, and the facts about the cluster that they mention", async () => {
    const text = `v: {{ .Values | toJson | quote }}\nk: {{ .Capabilities.KubeVersion.Version }}\nh: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" }}`;
    const renderer = kustomize<KubernetesObject, {}, {}>(
      folder({ "a.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${text}\n# kubernetesVersion apiResources` }),
      {
        template,
        values: (object) => ({ mine: object.metadata.name, list: [1] }),
        parameters: [
          (parameters) => ({ ...parameters, more: parameters["mine"] }),
          (parameters) => ({ ...parameters, more: `${String(parameters["more"])}!` }),
        ],
      },
    );
    const given = { ...owner({ s: 1 }), status: { secret: 1 } };
    const [object] = (await renderer(given, context())) as unknown as readonly { v: string; k: string; h: boolean }[];
    expect(JSON.parse(object?.v ?? "")).toEqual({
      component: {
        apiVersion: "t.treadle.dev/v1",
        kind: "Web",
        metadata: { name: "shop", namespace: "ns", labels: { l: "1" }, annotations: {} },
        spec: { s: 1 },
      },
      namespace: "ns",
      name: "shop",
      kubernetesVersion: "v1.36.3",
      apiResources: ["apps/v1", "apps/v1/Deployment", "v1"],
      mine: "shop",
      list: [1],
      more: "shop!",
    });
    expect(object).toMatchObject({ k: "v1.36.3", h: true });
  });

  test("that mention no facts about the cluster read none", async () => {
    const cluster = new Proxy({}, { get: () => expect.unreachable("the cluster was read") }) as RenderContext["cluster"];
    const renderer = kustomize(folder({ "a.yaml": json(cm("a", { v: "{{ .Values.name }}" })) }), { template });
    expect(await renderer(owner(), context({ cluster }))).toEqual([cm("a", { v: "shop" })]);
  });

  test("are the files that the option chooses", async () => {
    const files = {
      "kustomization.yaml": "configMapGenerator: [{name: a, files: [a.txt, b.txt], options: {disableNameSuffixHash: true}}]",
      "a.txt": "{{ 1 }}",
      "b.txt": "{{ 1 }}",
    };
    expect(await render(files, { template: (file) => file !== "b.txt" })).toEqual([cm("a", { "a.txt": "1", "b.txt": "{{ 1 }}" })]);
  });

  test("read the files of the folder", async () => {
    const files = {
      "a.yaml": 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {v: {{ .Files.Get "files/c/x.ini" | quote }}}\n',
      "c/x.ini": "from a file",
    };
    expect(await render(files, { template })).toEqual([cm("a", { v: "from a file" })]);
  });

  const secret = "Top-S3cret-Value";
  test.for<[string, Files, string, RegExp]>([
    [
      "a missing value",
      { "d/a b.yaml": "a: 1\nb: {{ .Values.component.spec.no.no }}\n" },
      "TemplateFailed",
      /: d\/a b\.yaml:2: <\.Values\.component\.spec\.no\.no>: nil pointer evaluating interface \{\}\.no$/,
    ],
    ["a syntax error", { "a.yaml": "a: 1\n\nb: {{ if }}\n" }, "TemplateFailed", /: a\.yaml:3: missing value for if$/],
    ["an unknown function", { "a.yaml": "b: {{ lookUp 1 }}\n" }, "TemplateFailed", /: a\.yaml:1: function "lookUp" not defined$/],
    ["an action that does not end", { "a.yaml": "{{ if true }}\nb: 1\n" }, "TemplateFailed", /: a\.yaml:\d: unexpected EOF$/],
    [
      "fail with a value",
      { "z.yaml": "a: 1", "a.yaml": "a: 1\nb: {{ fail .Values.component.spec.secret }}\n" },
      "TemplateFailed",
      /: a\.yaml:2: <value>$/,
    ],
    [
      "required",
      { "a.yaml": '\n\nb: {{ required "give it a size" .Values.component.spec.size }}\n' },
      "TemplateFailed",
      /: a\.yaml:3: give it a size$/,
    ],
    [
      "a conversion of a value",
      { "a.yaml": 'b: {{ .Values.component.spec.secret | mustToDate "2006" }}\n' },
      "TemplateFailed",
      /: a\.yaml:1: /,
    ],
    [
      "a template that another one includes",
      { "a.yaml": '{{ include "h" . }}', "_h.tpl": '{{ define "h" }}\n{{ .Values.a.b }}{{ end }}' },
      "TemplateFailed",
      /: _h\.tpl:2: <\.Values\.a\.b>: nil pointer/,
    ],
    [
      "YAML that is broken by a value",
      { "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: {{ .Values.component.spec.broken }}}\n" },
      "KustomizationInvalid",
      /: accumulating resources: .*'a\.yaml'/,
    ],
    [
      "a value that is a part of the name of a file",
      { "S3.yaml": "apiVersion: v1\nkind: ConfigMap\ndata: {a: {{ .Values.component.spec.part }}}\n" },
      "KustomizationInvalid",
      /'S3\.yaml'/,
    ],
    [
      "an object without a name",
      { "a.yaml": "apiVersion: v1\nkind: ConfigMap\ndata: {a: {{ .Values.component.spec.secret }}}\n" },
      "KustomizationInvalid",
      /missing metadata\.name/,
    ],
    [
      "a patch without a target",
      {
        "kustomization.yaml": "patches: [{path: p.yaml}]",
        "p.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.component.spec.secret }}}\n",
      },
      "KustomizationInvalid",
      /no .*ConfigMap/,
    ],
    [
      "a broken Kustomization",
      { "kustomization.yaml": "namePrefix: '{{ .Values.component.spec.broken }}\nresources: []\n" },
      "KustomizationInvalid",
      /: kustomization\.yaml:\d+: is not usable YAML/,
    ],
    [
      "a wrong type",
      { "kustomization.yaml": "namePrefix: [{{ .Values.component.spec.secret }}]\n" },
      "KustomizationInvalid",
      /: .*kustomization/i,
    ],
  ])("with %s have an error that names the file and no value", async ([, files, code, message]) => {
    const error: unknown = await render(files, { template }, { spec: { secret, part: "S3", broken: `]${secret}: "'{` } }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    const { message: text, cause } = error as Error;
    expect(`${text} ${String(cause)}`).not.toMatch(/S3cret|generators-test.*_\d+\.tpl|treadle-programs/);
  });

  test("are rendered in a folder that no other user can read, and that is removed", async () => {
    const temporary = folder({});
    const seen = path.join(temporary, "modes");
    const script = path.join(temporary, "kustomize");
    writeFileSync(
      script,
      `#!/bin/sh\nif [ "$1" = build ]; then stat -c %a "$2" "$2"/.. "$2"/a.yaml "$2"/d > ${seen}; fi\nexec "${process.env["TREADLE_KUSTOMIZE"] ?? ""}" "$@"\n`,
    );
    chmodSync(script, 0o755);
    const kept = { TMPDIR: process.env["TMPDIR"], TREADLE_KUSTOMIZE: process.env["TREADLE_KUSTOMIZE"] };
    onTestFinished(() => {
      for (const [name, value] of Object.entries(kept))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    Object.assign(process.env, { TMPDIR: temporary, TREADLE_KUSTOMIZE: script });
    await render({ "a.yaml": json(cm("a", { v: "{{ 1 }}" })), "d/b.yaml": "" }, { template });
    expect(readFileSync(seen, "utf8").trim().split("\n")).toEqual(["700", "700", "600", "700"]);
    const programs = readdirSync(temporary).filter((name) => name.startsWith("treadle-programs-"));
    expect(programs.map((name) => readdirSync(path.join(temporary, name)))).toEqual([["live"]]);
  });
});

describe("a remote server", () => {
  async function server(): Promise<{ readonly url: string; readonly requests: string[] }> {
    const requests: string[] = [];
    const listening = createServer((request, response) => {
      requests.push(request.url ?? "");
      response.end(json(cm("remote")));
    });
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void listening.close());
    return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/r.yaml`, requests };
  }

  test("is called by kustomize itself, so the next tests can fail", async () => {
    const { url, requests } = await server();
    const root = folder({ "kustomization.yaml": json({ resources: [url] }) });
    const { execFile } = await import("node:child_process");
    await new Promise((resolve) => execFile(process.env["TREADLE_KUSTOMIZE"] ?? "kustomize", ["build", root], resolve));
    expect(requests).toEqual(["/r.yaml"]);
  });

  test.for<[string, (url: string) => object]>([
    ["resources", (url) => ({ resources: [url] })],
    ["resources in capital letters", (url) => ({ RESOURCES: [url.toUpperCase()] })],
    ["resources with a long s", (url) => ({ reſources: [url] })],
    ["crds", (url) => ({ crds: [url] })],
    ["configurations", (url) => ({ configurations: [url] })],
    ["openapi", (url) => ({ openapi: { path: url } })],
    ["patches", (url) => ({ patches: [{ path: url, target: { kind: "A" } }] })],
    ["a generated ConfigMap", (url) => ({ configMapGenerator: [{ name: "a", files: [`k=${url}`] }] })],
    [
      "an inline generator",
      (url) => ({ generators: [json({ apiVersion: "builtin", kind: "SecretGenerator", metadata: { name: "a" }, envs: [url] })] }),
    ],
  ])("in %s is not called, also when a template makes its address", async ([, make]) => {
    const { url, requests } = await server();
    expect(() => kustomize(folder({ "kustomization.yaml": json(make(url)) }))).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_KUSTOMIZATION" }),
    );
    expect(() => kustomize(folder({ "kustomization.yaml": `${json(make(url))} # {{ 1 }}` }), { template: true })).toThrow(/is remote/);
    const made = { "kustomization.yaml": json(make("X")).replace("X", "{{ .Values.component.spec.url }}") };
    const error: unknown = await render(made, { template: true }, { spec: { url } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "KustomizationInvalid", message: expect.stringMatching(/is remote/) });
    expect(String(error)).not.toContain("127.0.0.1");
    expect(requests).toEqual([]);
  });

  test.for<[string, string]>([
    ["a line break", "p\nresources: [URL]"],
    ["a line break of Unicode", "p\u2028resources: [URL]"],
    ["another line break of Unicode", "p\u0085resources: [URL]"],
    ["a carriage return", "p\rresources: [URL]"],
    ["a comment with a line break of Unicode", "p # \u2028resources: [URL]"],
    ["a comment with another line break of Unicode", "p # \u0085resources: [URL]"],
    ["a flow map", "{a: b}\nresources: [URL]"],
    ["a merge key", "p\n<<: {resources: [URL]}"],
    ["a second document", "p\n---\nresources: [URL]"],
  ])("is not called when a value adds a field after %s", async ([, value]) => {
    const { url, requests } = await server();
    const files = { "kustomization.yaml": "namePrefix: {{ .Values.component.spec.prefix }}\nconfigMapGenerator: [{name: a}]\n" };
    await render(files, { template: true }, { spec: { prefix: value.replace("URL", url) } }).catch(() => undefined);
    expect(requests).toEqual([]);
  });
});

describe("a value as a path", () => {
  const files: Files = {
    "o/kustomization.yaml": "resources: ['{{ .Values.component.spec.path }}']\n# ../base\n",
    "base/kustomization.yaml": "resources: [a.yaml]\n",
    "base/a.yaml": json(cm("a")),
    "out/kustomization.yaml": "resources: [a.yaml]\n",
    "out/a.yaml": json(cm("out")),
    "out.yaml": json(cm("out")),
  };
  test("names a folder that the Kustomization names in its text", async () => {
    expect(await render(files, { template: true }, { root: "o", spec: { path: "../base" } })).toEqual([cm("a")]);
  });

  test.for([
    "../out",
    "../out.yaml",
    "../base/../out",
    "../../../../../../../../../etc",
    "/etc/hostname",
    "../o/../out",
    "a.yaml/../../out",
  ])("does not lead out of the folder: %s", async (given) => {
    const error: unknown = await render(files, { template: true }, { root: "o", spec: { path: given } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "KustomizationInvalid",
      message: expect.stringMatching(/resources\[0\] (?:names nothing|is an absolute path)/),
    });
  });

  test("does not lead out of the folder by a link, which is an error when the operator starts", () => {
    const root = folder(files);
    symlinkSync(path.join(root, "out"), path.join(root, "o/link"));
    expect(() => kustomize(path.join(root, "o"), { template: true })).toThrow(/links to something outside/);
  });
});

test("kustomize and this test have the same version of the program", () => {
  expect(execFileSync(process.env["TREADLE_KUSTOMIZE"] ?? "kustomize", ["version"], { encoding: "utf8" })).toMatch(/^v5\./);
});
