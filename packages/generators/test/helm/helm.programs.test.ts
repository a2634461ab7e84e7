import { systemClock } from "@treadle/apimachinery";
import type { Manifest } from "@treadle/dependents";
import { isRenderLater } from "@treadle/dependents/unstable/render";
import { isTerminalError } from "@treadle/reconcile";
import path from "node:path";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { helm, type HelmOptions } from "../../src/helm/helm.ts";
import { folder } from "../folder.ts";
import { archive, chartYaml, type Files } from "./chart-files.ts";
import { contextOf, type Given } from "./context.ts";

const owner = { apiVersion: "example.dev/v1", kind: "Shop", metadata: { name: "redis", namespace: "shop", uid: "1" } };
const features = new URL("../charts/features", import.meta.url);
const SECRET = "S3cretValue-71x";

const programs = { "Helm 4": process.env["TREADLE_HELM"], "Helm 3": process.env["TREADLE_HELM3"] };

describe.for(Object.entries(programs))("%s", ([, file = ""]) => {
  const render = async (chart: URL | string, options: HelmOptions = {}, given: Partial<Given> = {}): Promise<readonly Manifest[]> =>
    await helm(chart, options)(owner, contextOf({ helm: file, ...given }));
  const rendered = async (files: Files, options: HelmOptions = {}, given: Partial<Given> = {}): Promise<readonly Manifest[]> =>
    await render(folder({ "Chart.yaml": chartYaml(), ...files }), options, given);
  const failure = async (files: Files, options: HelmOptions = {}, given: Partial<Given> = {}): Promise<Error & { code?: string }> => {
    const error: unknown = await rendered(files, options, given).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Error)) throw new Error("the chart rendered");
    // Whatever fails, no value is shown: not in the message, the stack, a cause or a field.
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(SECRET);
    return error;
  };
  const titles = (objects: readonly Manifest[]): readonly string[] => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const find = (objects: readonly Manifest[], kind: string, name: string): Manifest & { readonly data?: unknown } => {
    const found = objects.find((each) => each.kind === kind && each.metadata.name === name);
    if (found === undefined) throw new Error(`no ${kind} ${name} among ${titles(objects).join(", ")}`);
    return found;
  };

  describe("a chart with every feature", () => {
    const kinds = ["example.dev/v1", "example.dev/v1/Backup"];

    test("renders on install with subcharts, CRDs, hooks, lists and files", async () => {
      const objects = await render(features, {}, { kinds });
      expect(titles(objects).toSorted()).toEqual([
        "ConfigMap redis-cache",
        "ConfigMap redis-config",
        "CustomResourceDefinition backups.example.dev",
        "Deployment redis",
        "Job redis-migrate",
        "Service redis",
        "ServiceAccount redis",
      ]);
      expect(find(objects, "ConfigMap", "redis-config").data).toEqual({
        greeting: "Hello redis",
        namespace: "shop",
        revision: "1",
        isInstall: "true",
        isUpgrade: "false",
        kubeVersion: "v1.36.3",
        hasBackups: "true",
        team: "none",
        imported: "11211",
        found: "{}",
        image: "redis:7.2",
        "redis.conf": "maxmemory 100mb\n",
      });
      expect(find(objects, "Job", "redis-migrate").metadata.annotations).toEqual({
        "helm.sh/hook": "pre-install,pre-upgrade",
        "helm.sh/hook-weight": "-5",
        "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
        "treadle.dev/apply-order": "-106",
        "treadle.dev/purge-order": "-1",
        "treadle.dev/update-policy": "recreate",
        "treadle.dev/reconcile-policy": "once",
      });
    });

    test("renders on upgrade with the hooks of upgrades", async () => {
      const objects = await render(features, {}, { kinds: [], release: { revision: 7, isInstall: false } });
      expect(find(objects, "ConfigMap", "redis-config").data).toMatchObject({
        revision: "1",
        isInstall: "false",
        isUpgrade: "true",
        hasBackups: "false",
      });
      expect(find(objects, "Job", "redis-migrate").metadata.annotations).toMatchObject({
        "treadle.dev/reconcile-policy": "on-object-or-component-change",
      });
      expect(find(objects, "ConfigMap", "redis-upgraded").metadata.annotations).toMatchObject({ "treadle.dev/apply-order": "101" });
    });

    test("renders the values of an owner, after the parameter edits and before the object edits", async () => {
      const objects = await render(
        features,
        {
          values: async (shop) =>
            await Promise.resolve({ replicas: 2, image: shop.metadata.name, auth: { enabled: true, password: SECRET } }),
          parameters: [
            (values) => ({ ...values, replicas: Number(values["replicas"]) + 1 }),
            (values) => ({ ...values, sessions: { enabled: true } }),
          ],
          edit: [
            (each) => (each.kind === "CustomResourceDefinition" ? undefined : each),
            (each, shop) => ({ ...each, metadata: { ...each.metadata, labels: { of: shop.metadata.name } } }),
          ],
        },
        { kinds },
      );
      expect(find(objects, "Deployment", "redis")).toMatchObject({ spec: { replicas: 3 }, metadata: { labels: { of: "redis" } } });
      expect(find(objects, "Secret", "redis-auth")).toMatchObject({
        stringData: { password: SECRET },
        metadata: { annotations: { "treadle.dev/delete-policy": "orphan" } },
      });
      expect(titles(objects)).toContain("ConfigMap redis-sessions");
      expect(titles(objects)).not.toContain("CustomResourceDefinition backups.example.dev");
    });
  });

  test("renders an archive as the folder", async () => {
    const files = { "Chart.yaml": chartYaml(), "templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" };
    const packed = Object.fromEntries(Object.entries(files).map(([name, text]) => [`demo/${name}`, text]));
    const root = folder({});
    writeFileSync(path.join(root, "demo.tgz"), archive(packed));
    expect(await render(path.join(root, "demo.tgz"))).toEqual(await rendered(files));
  });

  test("asks what the server serves only where the chart or a value does", async () => {
    const template = {
      "templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: {{ tpl .Values.a . | quote }}}\n",
    };
    expect(await rendered(template, { values: { a: "x" } })).toHaveLength(1);
    const values = { a: '{{ .Capabilities.APIVersions.Has "example.dev/v1" }}' };
    expect(await rendered(template, { values }, { kinds: ["example.dev/v1"] })).toMatchObject([{ data: { a: "true" } }]);
    await expect(rendered(template, { values })).rejects.toThrow("the chart asked what the server serves");
  });

  test("reads values as they are", async () => {
    const values = { text: "a\u2028b\u0085c\uFEFF\u00e9\u{1F600} #: {}", number: 12, none: null, flag: "on", "key: with": ["y"] };
    const template = {
      "templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nvalues: {{ .Values | toJson }}\n",
      "values.yaml": "none: x\n",
    };
    const { none: _none, ...rest } = values;
    expect(await rendered(template, { values })).toMatchObject([{ values: rest }]);
  });

  describe("a chart that fails", () => {
    const at = "templates/a.yaml";
    const values = { password: SECRET, list: [SECRET], nested: { deep: SECRET } };
    const cases: readonly {
      readonly name: string;
      readonly files: Files;
      readonly code: string;
      readonly text: string;
      readonly values?: object;
    }[] = [
      {
        name: "a missing value",
        files: { [at]: "\n\na: {{ .Values.x.y.z }}" },
        code: "TemplateFailed",
        text: "demo/templates/a.yaml:3:13: executing",
      },
      {
        name: "a syntax error",
        files: { [at]: "a: b\nc: {{ if }}" },
        code: "TemplateFailed",
        text: "demo/templates/a.yaml:2: the template has a syntax error",
      },
      { name: "an unknown function", files: { [at]: "{{ foo }}" }, code: "TemplateFailed", text: 'function "foo" not defined' },
      {
        name: "required",
        files: { [at]: '{{ required "set the port" .Values.port }}' },
        code: "TemplateFailed",
        text: "demo/templates/a.yaml:1:3: set the port",
      },
      {
        name: "fail with a value",
        files: { [at]: '{{ fail (printf "bad: %s, %s" .Values.password (.Values.password | b64enc)) }}' },
        code: "TemplateFailed",
        text: "demo/templates/a.yaml:1:3: bad: <value>",
      },
      {
        name: "fail in a value",
        files: { [at]: "{{ tpl .Values.t . }}" },
        code: "TemplateFailed",
        text: "demo/templates/a.yaml:1:3",
        values: { t: `{{ fail "${SECRET}" }}` },
      },
      {
        name: "a value that is no template",
        files: { [at]: "{{ tpl .Values.t . }}" },
        code: "TemplateFailed",
        text: "is not a template",
        values: { t: `${SECRET} {{ if` },
      },
      {
        name: "a value that is a template with an error",
        files: { [at]: "{{ tpl .Values.t . }}" },
        code: "TemplateFailed",
        text: "error calling tpl",
        values: { t: `{{ index (list) "${SECRET}" }}` },
      },
      {
        name: "a loop over a text",
        files: { [at]: "{{ range .Values.password }}{{ end }}" },
        code: "TemplateFailed",
        text: "can't iterate over <value>",
      },
      {
        name: "a parsed value",
        files: { [at]: '{{ mustToDate "2006" .Values.password }}' },
        code: "TemplateFailed",
        text: "demo/templates/a.yaml:1:3",
      },
      { name: "an unknown template", files: { [at]: "{{ include .Values.password . }}" }, code: "TemplateFailed", text: "no template" },
      {
        name: "a template that includes itself",
        files: { [at]: '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}' },
        code: "TemplateFailed",
        text: "nested reference",
      },
      {
        name: "a template that calls itself",
        files: { [at]: '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}' },
        code: "TemplateFailed",
        text: "exceeded maximum template depth",
      },
      {
        name: "output that is not YAML",
        files: { [at]: "a: {{ .Values.password }}\nb: [ {{ .Values.password }}" },
        code: "TemplateFailed",
        text: "demo/templates/a.yaml: the output is not YAML",
      },
      { name: "output that is a text", files: { [at]: "{{ .Values.password }}" }, code: "TemplateFailed", text: "is not an object" },
      {
        name: "an object without a kind",
        files: { [at]: "a: {{ .Values.password }}" },
        code: "ChartInvalid",
        text: "demo/templates/a.yaml: an object has no kind",
      },
      {
        name: "an object without a name",
        files: { [at]: "apiVersion: v1\nkind: ConfigMap" },
        code: "ChartInvalid",
        text: "demo/templates/a.yaml: a ConfigMap has no metadata.name",
      },
      {
        name: "a CRD file that is not YAML",
        files: { "crds/a.yaml": "a: [" },
        code: "ChartInvalid",
        text: "demo/crds/a.yaml: the output is not YAML",
      },
      {
        name: "a hook for delete",
        files: { [at]: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {"helm.sh/hook": pre-delete}}' },
        code: "ChartInvalid",
        text: "demo/templates/a.yaml: the ConfigMap a is a hook for pre-delete",
      },
      {
        name: "an annotation of the operator",
        files: { [at]: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {shops.example.dev/apply-order: "1"}}' },
        code: "ChartInvalid",
        text: "the annotation shops.example.dev/apply-order",
      },
      {
        name: "values of the wrong type",
        files: { "values.schema.json": '{"properties":{"password":{"type":"integer"}}}' },
        code: "ValuesInvalid",
        text: "demo /password (got string, want integer)",
      },
      {
        name: "values that the schema does not allow",
        files: { "values.schema.json": '{"properties":{"password":{"pattern":"^x$"}},"required":["port"]}' },
        code: "ValuesInvalid",
        text: "'<value>' does not match pattern '^x$'",
      },
      {
        name: "values that YAML does not have",
        files: {},
        code: "ValuesInvalid",
        text: "a character that YAML does not have",
        values: { a: "\uD800" },
      },
      {
        name: "a cluster that is too old",
        files: { "Chart.yaml": chartYaml("demo", 'kubeVersion: ">=1.99"') },
        code: "ClusterVersionUnsupported",
        text: "needs Kubernetes >=1.99, and the cluster has v1.36.3",
      },
      {
        name: "a schema that is not valid",
        files: { "values.schema.json": '{"minLength":"a"}' },
        code: "ChartInvalid",
        text: "values.schema.json is not a valid schema: ",
      },
    ];

    test.for(cases)("by $name is explained with its place, and without values", async ({ files, code, text, values: more = {} }) => {
      const error = await failure(files, { values: { ...values, ...more } });
      expect(error).toMatchObject({ code, message: expect.stringContaining(text) });
      expect(error.message).toMatch(/^cannot render the chart demo 1\.0\.0: /);
      expect(isTerminalError(error)).toBe(true);
    });

    test("by a template that does not end is stopped after 30 s", async () => {
      const asked: number[] = [];
      const timeoutClock = {
        after: (ms: number, call: () => void) => {
          asked.push(ms);
          return systemClock.after(ms === 30_000 ? 500 : ms, call);
        },
      };
      const loops = "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}";
      expect(await failure({ [at]: loops }, { values }, { timeoutClock })).toMatchObject({ code: "TooSlow" });
      expect(asked).toContain(30_000);
    });

    test("by 100 MB of output is stopped", async () => {
      const map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: {{ $.Values.password | repeat 4000 }}\n";
      const files = { [at]: `{{ range until 1700 }}\n${map}{{ end }}` };
      expect(await failure(files, { values: { password: SECRET } })).toMatchObject({ code: "TooMuchOutput" });
    });

    test("ends with the signal of the pass", async () => {
      const stopped = new Error("stopped");
      const loops = "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}";
      const signal = AbortSignal.any([AbortSignal.abort(stopped)]);
      await expect(rendered({ [at]: loops }, {}, { signal })).rejects.toBe(stopped);
    });
  });

  test.for([
    {
      name: "that throws",
      values: () => {
        throw new Error("boom");
      },
      text: "helm: values threw: boom",
    },
    { name: "that returns nothing", values: () => undefined as never, text: "helm: values returned nothing" },
    { name: "that returns a text", values: () => SECRET as never, text: "helm: values returned a string" },
    { name: "that returns a function", values: () => ({ a: { b: () => 1 } }), text: "helm: values holds at a.b a function" },
  ])("a function of values $name is an error with its place", async ({ values, text }) => {
    expect((await failure({}, { values })).message).toContain(text);
  });

  test("a parameter edit that returns nothing is an error with its place", async () => {
    expect((await failure({}, { parameters: () => undefined as never })).message).toContain("helm: parameter edit 1 returned no object");
  });

  test("an owner without a namespace, and a name that cannot be that of a release, name the placement", async () => {
    expect(await failure({}, {}, { namespace: undefined })).toMatchObject({ code: "NamespaceMissing" });
    expect(await failure({}, {}, { name: "-x" })).toMatchObject({ code: "NameInvalid" });
  });

  test("a third rendering at once waits for its turn", async () => {
    const context = contextOf({ helm: file });
    const renderer = helm(folder({ "Chart.yaml": chartYaml() }));
    const results = await Promise.allSettled([1, 2, 3].map(async () => await renderer(owner, context)));
    expect(results.map((result) => (result.status === "rejected" && isRenderLater(result.reason) ? "later" : result.status))).toEqual([
      "fulfilled",
      "fulfilled",
      "later",
    ]);
  });
});
