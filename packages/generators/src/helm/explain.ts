/**
 * Explains why `helm template` failed: the file and line of the template, and what is wrong, without values. It knows the forms of
 * Helm 3 and 4. Of a message in another form it shows the words that are certainly not secret.
 */
import { type SafeWords, safeText } from "../text/safe-text.ts";

/** Why a chart did not render. */
export interface Explanation {
  /** The code of the error. */
  readonly code: "ChartInvalid" | "TemplateFailed" | "ValuesInvalid" | "ClusterVersionUnsupported";
  /** What is wrong, and where, without the name of the chart. */
  readonly message: string;
}

/** Returns the cause in the error output of Helm. Pure. */
export function explain(stderr: string, words: SafeWords): Explanation {
  const text = errorIn(stderr);
  for (const form of FORMS) {
    const found = form.pattern.exec(text);
    if (found !== null) return form.explain(found, words);
  }
  const frames = explainFrames(text, words);
  return frames ?? { code: "ChartInvalid", message: safeText(text, words) || "Helm gave no reason" };
}

const MAX_PROBLEMS = 5;

/** Returns the first problems in one line, and the number of the others. */
export function listed(problems: readonly string[]): string {
  const more = problems.length - MAX_PROBLEMS;
  return problems.slice(0, MAX_PROBLEMS).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/** What follows `Error:`, which may have several lines; all of a text whose beginning is missing. */
function errorIn(stderr: string): string {
  const text = stderr.replace(/\s*Use --debug flag to render out invalid YAML\s*$/, "").trim();
  return (/^Error: ([\s\S]*)/m.exec(text)?.[1] ?? text).trim();
}

interface Form {
  readonly pattern: RegExp;
  readonly explain: (found: RegExpExecArray, words: SafeWords) => Explanation;
}

const FORMS: readonly Form[] = [
  {
    pattern: /^values don't meet the specifications of the schema\(s\) in the following chart\(s\):\s*([\s\S]*)/,
    explain: ([, list = ""], words) =>
      BROKEN_SCHEMA.test(list)
        ? { code: "ChartInvalid", message: `values.schema.json is not a valid schema: ${problemsIn(list, words)}` }
        : { code: "ValuesInvalid", message: `the values do not match the schema: ${problemsIn(list, words)}` },
  },
  {
    pattern: /^failed to parse -/,
    explain: () => ({ code: "ValuesInvalid", message: "the values contain a character that YAML does not have, or too long a key" }),
  },
  {
    pattern: /^execution error (?:at|in) \(([^\s()]+)\):\s*([\s\S]*)/,
    explain: ([, place = "", message = ""], words) => ({ code: "TemplateFailed", message: `${place}: ${safeText(message, words)}` }),
  },
  {
    pattern: /^parse error (?:at|in) \(([^\s()]+)\):\s*([\s\S]*)/,
    explain: ([, place = "", message = ""], words) => ({
      code: "TemplateFailed",
      message: `${place}: the template has a syntax error: ${safeText(message, words)}`,
    }),
  },
  {
    pattern: /^YAML parse error on ([^\s:]+):\s*([\s\S]*)/,
    explain: ([, file = "", message = ""], words) => ({ code: "TemplateFailed", message: `${file}: ${yamlProblem(message, words)}` }),
  },
  {
    pattern: /^chart requires kubeVersion: (.+) which is incompatible with Kubernetes (\S+)$/,
    explain: ([, needed, present]) => ({
      code: "ClusterVersionUnsupported",
      message: `the chart needs Kubernetes ${needed}, and the cluster has ${present}`,
    }),
  },
];

/** A problem of the schema itself, which Helm reports as one of the values. */
const BROKEN_SCHEMA = /^(?:"file:[^"\n]*" is not valid against metaschema|json-pointer in "file:|invalid character )/m;

/** The problems of a schema: lines such as `- at '/auth/password': got number, want string`, after a line with the chart. */
function problemsIn(list: string, words: SafeWords): string {
  const problems: string[] = [];
  let chart = "";
  for (const line of list.split("\n")) {
    const [, where, problem] = /^\s*- at '(.*?)': (.*)$/.exec(line) ?? [];
    const name = /^([\w.-]+):$/.exec(line)?.[1];
    if (where !== undefined && problem !== undefined) {
      // The causes follow. No colon after the path: `password: ` would hide what follows in conditions.
      if (!/^(?:validation failed|'(?:allOf|anyOf)' failed)$/.test(problem))
        problems.push(`${chart}${safeText(where, { ...words, values: keysOf(words.values) }) || "/"} (${safeText(problem, words)})`);
    } else if (name !== undefined) chart = `${name} `;
    else if (line.trim() !== "") problems.push(safeText(line, words));
  }
  return listed(problems);
}

/** The keys of values, with nothing to hide: a path consists of them. */
function keysOf(values: unknown): unknown {
  if (Array.isArray(values)) return values.map(keysOf);
  if (typeof values !== "object" || values === null) return null;
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, keysOf(value)]));
}

function yamlProblem(message: string, words: SafeWords): string {
  if (/json: cannot unmarshal (?:array|string|number|bool) into Go value of type/.test(message))
    return "a document of its output is not an object: render a map";
  const [, line, problem = message] = /yaml: (?:line (\d+): )?([\s\S]*)/.exec(message) ?? [];
  const where = line === undefined ? "" : `, in line ${line} of the document`;
  return `the output is not YAML${where}: ${safeText(problem, words)}`;
}

/** A call of a template: where it is, and what is evaluated. Helm 4 writes it in several lines. */
const FRAME = /(?:template: )?([^\s:()<>"]+):(\d+)(?::(\d+))?:?\s+executing "([^"\n]*)" at <([\s\S]*?)>:\s+/g;

function explainFrames(text: string, words: SafeWords): Explanation | undefined {
  // Text that `tpl` renders is a value, and so are the places in it.
  const [outside, inTpl] = splitOnce(text, /error calling tpl:/);
  const frames = [...outside.matchAll(FRAME)];
  const last = frames.at(-1);
  if (last === undefined) return undefined;
  const [, file, line, column, template, expression = ""] = last;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const problem = inTpl === undefined ? safeText(text.slice(last.index + last[0].length), words) : tplProblem(inTpl);
  const first = [...(frames[0] ?? [])].slice(1, 4).join(":");
  const from = frames.length > 1 && first !== place ? ` (included from ${first})` : "";
  return { code: "TemplateFailed", message: `${place}: executing "${template}" at <${shortened(expression)}>: ${problem}${from}` };
}

function tplProblem(inTpl: string): string {
  const what = /^\s*cannot parse template/.test(inTpl) ? "is not a template" : "failed";
  return `error calling tpl: the text that it renders ${what}; it is not shown, because it may be a value`;
}

function splitOnce(text: string, separator: RegExp): readonly [string, string | undefined] {
  const found = separator.exec(text);
  return found === null ? [text, undefined] : [text.slice(0, found.index), text.slice(found.index + found[0].length)];
}

function shortened(expression: string): string {
  const line = expression.replace(/\s+/g, " ");
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}
