/** A chart on the disk: where it is, and whether Helm can render it without a download. The checks run before the operator starts. */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readYaml, YamlError } from "@treadle/dependents/unstable/render";
import { type Fields, isFields } from "../fields.ts";
import { type ChartFiles, readChartFiles } from "./chart-files.ts";
import { wordsIn as textWords } from "../text/safe-text.ts";
import { remoteRefsIn } from "./schema-refs.ts";

/** A chart that was checked. */
export interface Chart {
  /** The absolute path of the folder or the archive. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Whether a template may ask what the API server serves. */
  readonly mentionsApiVersions: boolean;
  /** Returns the words in the files of the chart, which are not secret. They are read at the first call. */
  words(): ReadonlySet<string>;
}

/**
 * Returns the absolute path of a chart.
 * @throws Error with code ERR_INVALID_CHART for a chart that would be downloaded, and for a path without a file
 */
export function chartPath(chart: URL | string): string {
  const given = String(chart);
  const remedy = "give a folder or a .tgz archive in the image of the operator";
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(given)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "file") {
    const pull = scheme === "oci" ? `helm pull ${given} --untar` : "helm pull CHART --untar";
    throw invalid(given, [`charts are not downloaded from ${scheme}: addresses: run "${pull}" when the image is built, and ${remedy}`]);
  }
  const found = scheme === "file" ? path.resolve(fileURLToPath(given)) : path.resolve(given);
  if (given !== "" && existsSync(found)) return found;
  const isInRepository = /^[\w-]+\/[\w.-]+$/.test(given);
  const why = isInRepository ? `: run "helm pull ${given} --untar" when the image is built if ${given} is a chart of a repository` : "";
  throw invalid(given, [`there is no file or folder at ${found}: ${remedy}${why}`]);
}

/**
 * Reads and checks a chart.
 * @param root the result of {@link chartPath}
 * @throws Error with code ERR_INVALID_CHART that names all problems
 */
export function openChart(root: string): Chart {
  const all = filesOf(root);
  const problems: string[] = [];
  const metadata = check(all, { isTop: true, where: "" }, problems);
  if (problems.length > 0 || metadata === undefined) throw invalid(root, problems);
  let words: ReadonlySet<string> | undefined;
  return {
    path: root,
    name: metadata.name,
    version: metadata.version,
    mentionsApiVersions: filesIn(all).some(([file, content]) => isTemplated(file) && content.includes("APIVersions")),
    words: () => (words ??= wordsAt(root)),
  };
}

interface Metadata {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
}

interface Place {
  readonly isTop: boolean;
  /** The folder of the chart with a slash, in problems. */
  readonly where: string;
}

function invalid(chart: string, problems: readonly string[]): Error {
  const message = `cannot use the chart ${chart}:\n${problems.map((problem) => `- ${problem}`).join("\n")}`;
  return Object.assign(new Error(message), { code: "ERR_INVALID_CHART" });
}

function filesOf(root: string): ChartFiles {
  try {
    return readChartFiles(root);
  } catch (error) {
    throw invalid(root, [error instanceof Error ? error.message : String(error)]);
  }
}

function check(chart: ChartFiles, { isTop, where }: Place, problems: string[]): Metadata | undefined {
  const { files, subcharts } = chart;
  const metadata = metadataOf(files, { isTop, where }, problems);
  fieldsOf("values.yaml", files, { where, problems });
  const schema = files.get("values.schema.json")?.toString() ?? "";
  if (schema !== "") problems.push(...schemaProblems(schema).map((problem) => `${where}values.schema.json ${problem}`));
  for (const ref of remoteRefsIn(schema))
    problems.push(`${where}values.schema.json refers to ${ref}, which Helm would download: copy its definitions into the file`);
  const found = new Set(
    subcharts.map((subchart) => check(subchart, { isTop: false, where: `${where}${subchart.place}/` }, problems)?.name),
  );
  for (const name of new Set(metadata?.dependencies ?? []))
    if (!found.has(name))
      problems.push(
        `${where}Chart.yaml has the dependency ${name}, which is not in ${where}charts/: run "helm dependency build" when the image is built`,
      );
  return metadata;
}

/** Reads Chart.yaml; `undefined`: it has a problem. */
function metadataOf(files: ChartFiles["files"], { isTop, where }: Place, problems: string[]): Metadata | undefined {
  const before = problems.length;
  const fields = fieldsOf("Chart.yaml", files, { where, problems });
  if (fields === undefined) {
    if (problems.length === before) problems.push(`${where}Chart.yaml is missing: give the folder or the archive of a chart`);
    return undefined;
  }
  const { name, version, apiVersion = "v1", type = "application" } = fields;
  // Helm reads numbers as texts.
  for (const [field, value] of Object.entries({ name, version }))
    if (value === "" || !["string", "number"].includes(typeof value)) problems.push(`${where}Chart.yaml has no ${field}`);
  if (apiVersion !== "v1" && apiVersion !== "v2") problems.push(`${where}Chart.yaml has another apiVersion than v1 and v2`);
  if (isTop && type === "library")
    problems.push("it is a library chart, which has no objects: give a chart of the type application that depends on it");
  // Helm reads requirements.yaml for all charts.
  const required = fieldsOf("requirements.yaml", files, { where, problems })?.["dependencies"];
  if (problems.length > before) return undefined;
  return { name: String(name), version: String(version), dependencies: namesIn(required ?? fields["dependencies"]) };
}

interface Collected {
  readonly where: string;
  readonly problems: string[];
}

function fieldsOf(file: string, files: ChartFiles["files"], { where, problems }: Collected): Fields | undefined {
  const content = files.get(file);
  if (content === undefined) return undefined;
  try {
    const [document] = readYaml(content.toString().replace(/^\uFEFF/, ""), { keys: "any" });
    const value = document?.value;
    if (isFields(value)) return value;
    // A file of values may be empty.
    if (value === undefined || value === null) return file === "values.yaml" ? {} : void problems.push(`${where}${file} is empty`);
    problems.push(`${where}${file} is not a map`);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    problems.push(`${where}${file}:${error.line}: ${error.message}`);
  }
  return undefined;
}

/** Returns why a text is not a schema. Helm checks more when it renders. */
function schemaProblems(text: string): readonly string[] {
  try {
    const schema: unknown = JSON.parse(text);
    return isFields(schema) || typeof schema === "boolean" ? [] : ["is not a JSON object: write a schema"];
  } catch (error) {
    return [`is not JSON: ${error instanceof Error ? error.message.replace(/\s+/g, " ") : String(error)}`];
  }
}

function namesIn(dependencies: unknown): readonly string[] {
  if (!Array.isArray(dependencies)) return [];
  const names = (dependencies as readonly ({ readonly name?: unknown } | null)[]).map((each) => each?.name);
  return names.filter((name) => typeof name === "string");
}

function filesIn({ files, subcharts }: ChartFiles): readonly (readonly [string, Buffer])[] {
  return [...files, ...subcharts.flatMap(filesIn)];
}

/** Templates can read all files of a chart by `.Files`, but nothing renders these. */
function isTemplated(file: string): boolean {
  return !file.startsWith("crds/") && !file.endsWith(".md");
}

/** A chart that cannot be read any more has no words. */
function wordsAt(root: string): ReadonlySet<string> {
  const words = new Set<string>();
  let chart: ChartFiles;
  try {
    chart = readChartFiles(root);
  } catch {
    return words;
  }
  for (const [file, content] of filesIn(chart)) {
    for (const word of textWords(file)) words.add(word);
    if (isTemplated(file) || file === "Chart.yaml") for (const word of textWords(content.toString())) words.add(word);
  }
  return words;
}
