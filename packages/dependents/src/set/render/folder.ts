/** The YAML and JSON files of a folder, as manifests. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { isObject } from "../../core/owned-fields.ts";
import type { Manifest } from "../plan/member.ts";
import { filesBelow } from "./files-below.ts";
import { readYaml, YamlError } from "./yaml.ts";

/** An object of a file. */
export interface FoundManifest {
  /** The object. */
  readonly manifest: Manifest;
  /** `PATH:LINE (document NUMBER)`, for errors. */
  readonly place: string;
}

/**
 * Reads the objects of all `.yaml`, `.yml` and `.json` files below a folder, sorted by path. Hidden files and folders are skipped.
 * @throws Error with code ERR_INVALID_MANIFESTS that names all problems
 */
export function readFolder(folder: string, isWanted: (file: string) => boolean): readonly FoundManifest[] {
  return withoutProblems(folder, (problems) =>
    filesIn(folder, isWanted).flatMap((file) => {
      const name = path.join(folder, file);
      return manifestsIn({ name, text: readFileSync(name, "utf8") }, problems);
    }),
  );
}

/** Reads the objects in a text, such as that of one file. @throws Error with code ERR_INVALID_MANIFESTS that names all problems */
export function readManifests(text: string, name: string): readonly FoundManifest[] {
  return withoutProblems(name, (problems) => manifestsIn({ name, text }, problems));
}

function withoutProblems(source: string, read: (problems: string[]) => readonly FoundManifest[]): readonly FoundManifest[] {
  const problems: string[] = [];
  const found = read(problems);
  if (problems.length === 0) return found;
  const message = `cannot read the manifests in ${source}:\n${problems.map((problem) => `- ${problem}`).join("\n")}`;
  throw Object.assign(new Error(message), { code: "ERR_INVALID_MANIFESTS" });
}

/** The paths of the files, relative to the folder, with `/`. */
function filesIn(folder: string, isWanted: (file: string) => boolean): readonly string[] {
  const isShown = (file: string): boolean => !path.basename(file).startsWith(".");
  const isManifest = (file: string): boolean => /\.(?:ya?ml|json)$/.test(file) && isWanted(file);
  try {
    return [...filesBelow(folder, isShown)].filter(isManifest).toSorted();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw unreadable(folder, error.message, error);
    throw error;
  }
}

function unreadable(folder: string, problem: string, cause: Error): Error {
  const error = new Error(`cannot read the manifests in ${folder}: ${problem}`, { cause });
  return Object.assign(error, { code: "ERR_INVALID_MANIFESTS" });
}

/** Adds its problems to `problems`. */
function manifestsIn({ name: file, text }: { readonly name: string; readonly text: string }, problems: string[]): readonly FoundManifest[] {
  const found: FoundManifest[] = [];
  try {
    if (file.endsWith(".json")) JSON.parse(text); // YAML allows more than JSON.
    for (const { number, line, value } of readYaml(text)) {
      const place = `${file}:${line} (document ${number})`;
      for (const each of objectsIn(value)) {
        const problem = problemOf(each);
        if (problem === undefined)
          found.push({ manifest: withoutNulls(each as Manifest), place }); // problemOf() has checked it.
        else problems.push(`${place}: ${problem}`);
      }
    }
  } catch (error) {
    if (error instanceof YamlError) problems.push(`${file}:${error.line} (document ${error.document}): ${error.message}`);
    else if (error instanceof SyntaxError) problems.push(`${file}: is not JSON${positionIn(error)}`);
    else throw error;
  }
  return found;
}

/** Where a JSON file breaks. The rest of the message quotes the file, which may hold secret values. */
function positionIn({ message }: SyntaxError): string {
  return / at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0] ?? "";
}

/** Returns the objects in a document: those of a list, also of a list in a list; none in an empty document. */
export function objectsIn(value: unknown, listed?: object): readonly unknown[] {
  if (value === null) return [];
  if (!isObject(value)) return [value];
  const { kind, items } = value;
  if (typeof kind === "string" && kind.endsWith("List") && (Array.isArray(items) || items === null)) {
    // The API server leaves the kind out of the items of a typed list.
    const ofItems = kind === "List" ? undefined : { apiVersion: value["apiVersion"], kind: kind.slice(0, -"List".length) };
    return ((items ?? []) as readonly unknown[]).flatMap((item) => objectsIn(item, ofItems));
  }
  return [{ ...listed, ...value }];
}

function problemOf(value: unknown): string | undefined {
  if (!isObject(value)) return "is not an object";
  for (const field of ["apiVersion", "kind"]) {
    const given = value[field];
    if (typeof given !== "string" || given === "")
      return `has no ${field}: leave the file out by the option files, if it is not a manifest`;
  }
  const { metadata } = value;
  const what = String(value["kind"]);
  if (!isObject(metadata)) return `${what} has no metadata.name: leave the file out by the option files, if it is not a manifest`;
  const { name, namespace } = metadata;
  if (name === undefined && metadata["generateName"] !== undefined)
    return `${what} has generateName: give it a name, because its object could not be found again`;
  if (typeof name !== "string" || name === "") return `${what} has no text as metadata.name`;
  if (namespace !== undefined && namespace !== null && typeof namespace !== "string")
    return `${what} ${name} has no text as metadata.namespace`;
  for (const field of ["labels", "annotations"]) {
    const given = metadata[field] ?? {};
    if (!isObject(given)) return `${what} ${name} has no map as metadata.${field}`;
    const wrong = Object.keys(given).find((key) => typeof given[key] !== "string");
    if (wrong !== undefined) return `${what} ${name} has no text as metadata.${field}[${JSON.stringify(wrong)}]: put the value in quotes`;
  }
  return undefined;
}

/** For Kubernetes a field that is null is absent. */
function withoutNulls(manifest: Manifest): Manifest {
  const metadata = Object.fromEntries(Object.entries(manifest.metadata).filter(([, value]) => value !== null));
  return { ...manifest, metadata: metadata as unknown as Manifest["metadata"] }; // the same fields
}
