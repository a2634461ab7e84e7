/**
 * Renders files by Helm: a chart whose templates are these files, and one template of ours that prints them all as one document.
 *
 * Helm takes what a template prints for objects. So each file is a partial template, whose name begins with `_`: Helm does not print it, and
 * the template of ours includes it and prints it in base64. Any text can be rendered in this way, and an error names the partial template
 * and its line, which are those of the file.
 */
import { isUtf8 } from "node:buffer";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** A file that is a template. */
export interface TemplateFile {
  readonly file: string;
  readonly text: string;
}

/** Returns whether the content is a text with a template action. */
export function hasActions(content: Buffer): boolean {
  return content.includes("{{") && isUtf8(content) && !content.includes(0);
}

const CHART = "kustomize";

/** What is in a chart besides the templates. */
export interface ChartOptions {
  /** The files that the templates can read by `.Files`. @defaultValue none */
  readonly others?: ReadonlyMap<string, Buffer>;
  /** Whether Helm renders the files themselves. Nothing can be unpacked then, but errors of `fail` and `required` have a place. */
  readonly isDirect?: boolean;
}

/** Writes a chart with the templates into an empty folder. */
export async function writeChart(
  folder: string,
  templates: readonly TemplateFile[],
  { others = new Map(), isDirect = false }: ChartOptions = {},
): Promise<void> {
  await write(folder, "Chart.yaml", JSON.stringify({ apiVersion: "v2", name: CHART, version: "0.0.0" }));
  if (!isDirect) await write(folder, "templates/files.yaml", printer(templates.length));
  for (const [i, { text }] of templates.entries()) await write(folder, `templates/${isDirect ? "" : "_"}${i}.tpl`, text);
  for (const [file, content] of others) await write(folder, `files/${file}`, content);
}

/** Writes a file, and the folders above it, for the operator only. */
export async function write(folder: string, file: string, content: string | Uint8Array): Promise<void> {
  const target = path.join(folder, file);
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  await writeFile(target, content, { mode: 0o600 });
}

/** The template that prints one line of JSON with all files. Helm removes "<no value>" only from what a template itself prints. */
function printer(count: number): string {
  const each = `include (printf "${CHART}/templates/_%d.tpl" (int $i)) $ | replace "<no value>" "" | b64enc`;
  return [
    "{{- $files := list -}}",
    `{{- range $i := until ${count} -}}{{- $files = append $files (${each}) -}}{{- end -}}`,
    `{"apiVersion":"kustomize.treadle.dev/v1","kind":"Files","metadata":{"name":"files"},"files":{{ toJson $files }}}`,
    "",
  ].join("\n");
}

/** Returns the rendered templates from what Helm printed. @throws Error when it printed something else */
export function unpack(stdout: string, templates: readonly TemplateFile[]): ReadonlyMap<string, Buffer> {
  const line = stdout.split("\n").find((each) => each.startsWith('{"apiVersion":"kustomize.treadle.dev/v1"'));
  const { files } = JSON.parse(line ?? "{}") as { readonly files?: readonly string[] };
  if (files?.length !== templates.length) throw new Error("cannot read what helm printed: it contains no rendered files");
  return new Map(templates.map(({ file }, i) => [file, Buffer.from(files[i] ?? "", "base64")]));
}

/** An error of Helm. */
export interface TemplateError {
  /** The file and its line; `undefined`: Helm does not name them. */
  readonly place: { readonly file: string; readonly line: string } | undefined;
  /** What is wrong. It may contain values. */
  readonly reason: string;
}

const TEMPLATE = String.raw`${CHART}/templates/_?(\d+)\.tpl`;

/** Reads an error of Helm, which names the templates from the outermost to the innermost. */
export function templateErrorIn(stderr: string, templates: readonly TemplateFile[]): TemplateError {
  const last = [...stderr.matchAll(new RegExp(String.raw`${TEMPLATE}:(\d+)(?::\d+)?\)?`, "g"))].at(-1);
  const file = templates[Number(last?.[1])]?.file;
  const text = last === undefined ? stderr : stderr.slice(last.index + last[0].length);
  const reason = text
    .replace(/\s*Use --debug flag[^]*$/, "")
    .replaceAll(/executing "[^"]*" at /g, "")
    .replace(/^[\s:]+|^Error: /, "")
    .replaceAll(new RegExp(TEMPLATE, "g"), (name, index: string) => templates[Number(index)]?.file ?? name)
    .trim();
  return { place: file === undefined ? undefined : { file, line: last?.[2] ?? "1" }, reason };
}
