/** YAML with templates of Helm in it: values of a manifest are replaced by templates, and the rest is escaped. Pure. */
import type { Commented } from "../manifest.ts";
import { yamlOf } from "../yaml.ts";

/** A template in the place of a value. */
export class Template {
  /** The form in which it is written. */
  readonly form: "value" | "block" | "optional" | "items";
  /** The expression, without braces; of `items` the lines. */
  readonly text: string;

  private constructor(form: Template["form"], text: string) {
    this.form = form;
    this.text = text;
  }

  /** A scalar: `key: {{ text }}`. */
  static value(text: string): Template {
    return new Template("value", text);
  }

  /** A map or list of the values: `key: {{- toYaml text | nindent n }}`. */
  static block(text: string): Template {
    return new Template("block", text);
  }

  /** As `block`, without the key where the value is empty. */
  static optional(text: string): Template {
    return new Template("optional", text);
  }

  /** Lines in the place of an item of a list, or of a key with its value. */
  static items(text: string): Template {
    return new Template("items", text);
  }
}

/** Returns a manifest with templates as a document. */
function templated({ manifest, ruleComments }: Commented): string {
  const templates: Template[] = [];
  const marked = withMarks(manifest, templates) as Commented["manifest"]; // the same object with texts as values
  const text = yamlOf({ manifest: marked, ...(ruleComments === undefined ? {} : { ruleComments }) });
  return text
    .split("\n")
    .map((line) => lineOf(line, templates))
    .join("\n");
}

/** Returns documents with templates. */
export function templatedDocuments(manifests: readonly Commented[]): string {
  return manifests.map(templated).join("---\n");
}

const MARK = /treadleTemplate(\d+)End/g;

function withMarks(value: unknown, templates: Template[]): unknown {
  if (value instanceof Template) return `treadleTemplate${templates.push(value) - 1}End`;
  if (Array.isArray(value)) return value.map((each) => withMarks(each, templates));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withMarks(inner, templates)]));
}

/** Braces of the manifests are no templates. */
function lineOf(line: string, templates: readonly Template[]): string {
  const escaped = line.replaceAll("{{", '{{ "{{" }}');
  const [found] = [...escaped.matchAll(MARK)];
  const template = templates[Number(found?.[1])];
  if (template === undefined) return escaped;
  const { form, text } = template;
  if (form === "value") return escaped.replaceAll(MARK, (_, index: string) => `{{ ${templates[Number(index)]?.text} }}`);
  const indent = /^[ -]*/.exec(escaped)?.[0].length ?? 0;
  const spaces = " ".repeat(indent);
  const key = escaped.slice(0, escaped.indexOf(": ") + 1);
  if (form === "block") return `${key}\n${" ".repeat(indent + 2)}{{- toYaml ${text} | nindent ${indent + 2} }}`;
  if (form === "optional")
    return `${spaces}{{- with ${text} }}\n${key}\n${spaces}  {{- toYaml . | nindent ${indent + 2} }}\n${spaces}{{- end }}`;
  const outer = " ".repeat(escaped.search(/[^ ]/));
  return text
    .split("\n")
    .map((each) => outer + each)
    .join("\n");
}
