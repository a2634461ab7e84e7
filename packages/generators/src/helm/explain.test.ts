import { statusMessage } from "@treadle/reconcile/unstable/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explain, type Explanation } from "./explain.ts";
import { wordsIn } from "../text/safe-text.ts";

const HINT = "\n\nUse --debug flag to render out invalid YAML\n";

/** The words of a chart with the templates of the recorded errors. */
const words = new Set(
  wordsIn(`demo templates x yaml _helpers tpl Values a b c password demo.x zz foo mustToDate
    {{ fail (printf "bad password %s" .Values.password) }} {{ required "set the password" .Values.password }}`),
);
const values = { password: "S3cret", t: 'S3cret {{ fail "hunter2" }}', port: 8443, mode: "off", env: { FOO: "off" } };

interface Row {
  readonly name: string;
  /** What Helm 3 writes, and what Helm 4 writes where it differs. */
  readonly stderr: readonly string[];
  readonly want: Explanation;
}

const failed = (message: string): Explanation => ({ code: "TemplateFailed", message });
const invalid = (message: string): Explanation => ({ code: "ValuesInvalid", message });

// Recorded with Helm 3.22.0 and 4.3.1.
const ROWS: readonly Row[] = [
  {
    name: "a missing value",
    stderr: [
      'Error: template: demo/templates/x.yaml:1:13: executing "demo/templates/x.yaml" at <.Values.a.b.c>: nil pointer evaluating interface {}.b',
      'Error: demo/templates/x.yaml:1:13\n  executing "demo/templates/x.yaml" at <.Values.a.b.c>:\n    nil pointer evaluating interface {}.b',
    ],
    want: failed('demo/templates/x.yaml:1:13: executing "demo/templates/x.yaml" at <.Values.a.b.c>: nil pointer evaluating interface {}.b'),
  },
  {
    name: "an included template",
    stderr: [
      'Error: template: demo/templates/x.yaml:1:3: executing "demo/templates/x.yaml" at <include "demo.x" .>: error calling include: template: demo/templates/_helpers.tpl:1:55: executing "demo.x" at <.Values.a.b.c>: nil pointer evaluating interface {}.b',
      'Error: demo/templates/x.yaml:1:3\n  executing "demo/templates/x.yaml" at <include "demo.x" .>:\n    error calling include:\ndemo/templates/_helpers.tpl:1:55\n  executing "demo.x" at <.Values.a.b.c>:\n    nil pointer evaluating interface {}.b',
    ],
    want: failed(
      'demo/templates/_helpers.tpl:1:55: executing "demo.x" at <.Values.a.b.c>: nil pointer evaluating interface {}.b (included from demo/templates/x.yaml:1:3)',
    ),
  },
  {
    name: "a loop over a text",
    stderr: [
      'Error: template: demo/templates/x.yaml:1:16: executing "demo/templates/x.yaml" at <.Values.password>: range can\'t iterate over S3cret',
      'Error: demo/templates/x.yaml:1:16\n  executing "demo/templates/x.yaml" at <.Values.password>:\n    range can\'t iterate over S3cret',
    ],
    want: failed('demo/templates/x.yaml:1:16: executing "demo/templates/x.yaml" at <.Values.password>: range can\'t iterate over <value>'),
  },
  {
    name: "a text that is no time",
    stderr: [
      'Error: template: demo/templates/x.yaml:1:36: executing "demo/templates/x.yaml" at <mustToDate "2006" .Values.password>: error calling mustToDate: parsing time "UzNjcmV0" as "2006": cannot parse "UzNjcmV0" as "2006"',
    ],
    want: failed(
      'demo/templates/x.yaml:1:36: executing "demo/templates/x.yaml" at <mustToDate "2006" .Values.password>: error calling mustToDate: parsing time "<value>" as "2006": cannot parse "<value>" as "2006"',
    ),
  },
  {
    name: "a value as a template with an error",
    stderr: [
      'Error: template: demo/templates/x.yaml:1:3: executing "demo/templates/x.yaml" at <tpl .Values.t .>: error calling tpl: cannot parse template "S3cret {{ if": template: gotpl:1: unclosed action',
    ],
    want: failed(
      'demo/templates/x.yaml:1:3: executing "demo/templates/x.yaml" at <tpl .Values.t .>: error calling tpl: the text that it renders is not a template; it is not shown, because it may be a value',
    ),
  },
  {
    name: "a value as a template that fails",
    stderr: [
      'Error: template: demo/templates/x.yaml:1:3: executing "demo/templates/x.yaml" at <tpl .Values.t .>: error calling tpl: error during tpl function execution for "S3cret {{ .Values.S3c.foo }}": template: gotpl:1:17: executing "gotpl" at <.Values.S3c.foo>: nil pointer evaluating interface {}.foo',
    ],
    want: failed(
      'demo/templates/x.yaml:1:3: executing "demo/templates/x.yaml" at <tpl .Values.t .>: error calling tpl: the text that it renders failed; it is not shown, because it may be a value',
    ),
  },
  {
    name: "a value as a template that calls fail",
    stderr: ["Error: execution error at (demo/templates/x.yaml:1:3): hunter2"],
    want: failed("demo/templates/x.yaml:1:3: <value>"),
  },
  {
    name: "a message of the chart",
    stderr: ["Error: execution error at (demo/templates/x.yaml:1:6): bad password S3cret\nsecond line"],
    want: failed("demo/templates/x.yaml:1:6: bad password <value> second line"),
  },
  {
    name: "a required value",
    stderr: ["Error: execution error at (demo/templates/x.yaml:1:6): set the password"],
    want: failed("demo/templates/x.yaml:1:6: set the password"),
  },
  {
    name: "an unknown function",
    stderr: ['Error: parse error at (demo/templates/x.yaml:1): function "foo" not defined'],
    want: failed('demo/templates/x.yaml:1: the template has a syntax error: function "foo" not defined'),
  },
  {
    name: "an unknown template",
    stderr: [
      'Error: template: demo/templates/x.yaml:1:3: executing "demo/templates/x.yaml" at <include .Values.password .>: error calling include: template: no template "S3cret" associated with template "gotpl"',
      'Error: demo/templates/x.yaml:1:3\n  executing "demo/templates/x.yaml" at <include .Values.password .>:\n    error calling include:\ntemplate: no template "S3cret" associated with template "gotpl"',
    ],
    want: failed(
      'demo/templates/x.yaml:1:3: executing "demo/templates/x.yaml" at <include .Values.password .>: error calling include: template: no template "<value>" associated with template "gotpl"',
    ),
  },
  {
    name: "output that is not YAML",
    stderr: [
      "Error: YAML parse error on demo/templates/x.yaml: error converting YAML to JSON: yaml: line 2: found a tab character that violates indentation",
    ],
    want: failed(
      "demo/templates/x.yaml: the output is not YAML, in line 2 of the document: found a tab character that violates indentation",
    ),
  },
  {
    name: "output that is not an object",
    stderr: [
      "Error: YAML parse error on demo/templates/x.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type releaseutil.SimpleHead",
      "Error: YAML parse error on demo/templates/x.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go value of type util.SimpleHead",
    ],
    want: failed("demo/templates/x.yaml: a document of its output is not an object: render a map"),
  },
  {
    name: "values that do not match the schema",
    stderr: [
      "Error: values don't meet the specifications of the schema(s) in the following chart(s):\ndemo:\n- at '/password': validation failed\n  - at '/password': minLength: got 6, want 8\n  - at '/password': 'S3cret' does not match pattern '^[a-z]+$'\n- at '/port': minimum: got 8443, want 9000\n- at '/env': additional properties 'FOO' not allowed\n",
    ],
    want: invalid(
      "the values do not match the schema: demo /password (minLength: got 6, want 8); demo /password ('<value>' does not match pattern '^[a-z]+$'); demo /port (minimum: got <value>, want 9000); demo /env (additional properties 'FOO' not allowed)",
    ),
  },
  {
    name: "a schema that is not valid",
    stderr: [
      "Error: values don't meet the specifications of the schema(s) in the following chart(s):\ndemo:\n\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with 'https://json-schema.org/draft/2020-12/schema#'\n- at '': 'allOf' failed\n  - at '/minLength': got string, want integer\n",
    ],
    want: {
      code: "ChartInvalid",
      message: expect.stringMatching(
        /^values\.schema\.json is not a valid schema: .*; demo \/minLength \(got string, want integer\)$/,
      ) as string,
    },
  },
  {
    name: "values that are not YAML",
    stderr: [
      "Error: failed to parse -: error converting YAML to JSON: yaml: found invalid Unicode character escape code",
      "Error: failed to parse -: cannot unmarshal yaml document: error converting YAML to JSON: yaml: found invalid Unicode character escape code",
    ],
    want: invalid("the values contain a character that YAML does not have, or too long a key"),
  },
  {
    name: "a cluster that is too old",
    stderr: ["Error: chart requires kubeVersion: >=1.99 which is incompatible with Kubernetes v1.36.3"],
    want: { code: "ClusterVersionUnsupported", message: "the chart needs Kubernetes >=1.99, and the cluster has v1.36.3" },
  },
  {
    name: "a warning before the error",
    stderr: [
      'coalesce.go:298: warning: cannot overwrite table with non table for demo.auth (map[password:S3cret])\nlevel=ERROR msg="S3cret"\nError: parse error at (demo/templates/x.yaml:1): missing value for if',
    ],
    want: failed("demo/templates/x.yaml:1: the template has a syntax error: missing value for if"),
  },
  {
    name: "an error in a form that is not known",
    stderr: ["Error: something about S3cret and bad 12345678 happened"],
    want: { code: "ChartInvalid", message: "<value> and bad <value>" },
  },
  { name: "no error", stderr: [""], want: { code: "ChartInvalid", message: "Helm gave no reason" } },
];

describe("an error of Helm", () => {
  test.for(ROWS)("about $name is explained without values", ({ stderr, want }) => {
    for (const text of stderr) expect(explain(text + HINT, { values, words })).toEqual(want);
  });

  test("in a field with the name of a secret keeps its text in a condition", () => {
    const stderr =
      "Error: values don't meet the specifications of the schema(s) in the following chart(s):\ndemo:\n- at '/password': minLength: got 6, want 8\n";
    const { message } = explain(stderr, { values, words });
    expect(statusMessage(new Error(message))).toBe(message);
  });

  test("whose beginning was cut off is explained by the last call", () => {
    const call = 'template: demo/templates/x.yaml:1:48: executing "demo.x" at <include "demo.x" .>: error calling include: ';
    const tail = `at <include "demo.x" .>: error calling include: ${call.repeat(500)}rendering template has a nested reference name: demo.x: unable to execute template`;
    expect(explain(tail + HINT, { values, words })).toEqual(
      failed(
        'demo/templates/x.yaml:1:48: executing "demo.x" at <include "demo.x" .>: error calling include: rendering template has a nested reference name: demo.x: unable to execute template',
      ),
    );
  });

  // Property: no value is in a message, wherever Helm quotes it, in plain, in base64 or with escapes.
  test("never shows a value", () => {
    const secret = fc
      .stringMatching(/^[A-Za-z0-9!_ -]{8,30}$/)
      .filter((text) => !/\s{2}|^\s|\s$/.test(text) && /\d[A-Za-z]|[A-Za-z]\d/.test(text));
    const form = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => Buffer.from(text).toString("base64"),
      (text) => JSON.stringify(text),
      (text) => `map[password:${text} user:${text}]`,
    );
    const messages = ROWS.flatMap(({ stderr }) => stderr).filter((text) => text.includes("S3cret"));
    fc.assert(
      fc.property(secret, form, fc.constantFrom(...messages), (text, formOf, message) => {
        const shown = explain(
          message.replaceAll("S3cret", () => formOf(text)),
          { values: { auth: [{ text }] }, words },
        ).message;
        expect(shown).not.toContain(text);
        expect(shown).not.toContain(formOf(text));
      }),
    );
  });
});
