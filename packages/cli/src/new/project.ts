/** The project of a user: where it is, what it was made of, and which resources it has. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { CliError } from "../cli-error.ts";
import { isRecord, textAt, valueAt } from "../json.ts";
import { handlerChains } from "./edits.ts";
import { groupProblem, kindProblem, partNameProblem } from "./names.ts";
import type { Files, PartType } from "./templates.ts";
import { isCallOf, listIn, nameOf, nodeAt, treeOf } from "./source.ts";
import { PACKAGE_MANAGERS, type PackageManager } from "./words.ts";

/** `treadle.json`: what `treadle upgrade` needs to write the templates again. */
export interface ProjectRecord {
  /** The version of the templates. */
  readonly version: string;
  readonly operator: OperatorAnswers;
  readonly additions: readonly Addition[];
}

/** What a project was made with. */
export interface OperatorAnswers {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly packageManager: PackageManager;
}

/** What was added to a project. */
export type Addition =
  | { readonly type: "resource" | "managed"; readonly kind: string; readonly group: string }
  | {
      readonly type: PartType;
      readonly name: string;
      readonly kind: string;
      /** Path of the module of the kind, from the folder of the project. */
      readonly module: string;
      /** Whether it is the first webhook, with which the server of webhooks was added. */
      readonly isFirst?: boolean;
    };

/** A project of a user. */
export interface Project {
  /** Absolute. */
  readonly folder: string;
  /** Name in package.json. */
  readonly name: string;
  /** `undefined`: the project was not made by `treadle new operator`. */
  readonly record: ProjectRecord | undefined;
  readonly resources: readonly ProjectResource[];
}

/** A kind with a handler. Paths are relative to the project, with `/`. */
export interface ProjectResource {
  readonly kind: string;
  /** The module that declares it, and exports it under the name of the kind. */
  readonly module: string;
  /** The modules with a chain `handler(Kind)...build()`. */
  readonly handlers: readonly string[];
}

/** The files in which the state of templates is kept. */
export const RECORD_FILE = "treadle.json";
/** The templates as they were written last. */
export const BASE_FILE = ".treadle/base.json";

/** Finds the project that contains a folder. @throws CliError if there is none */
export function findProject(from: string): Project {
  const start = resolve(from);
  const folder = projectAround(start);
  if (folder !== undefined) {
    const name = textAt(readJson(join(folder, "package.json")), "name");
    return { folder, name, record: readRecord(folder), resources: resourcesOf(folder) };
  }
  throw new CliError(
    `${start} is no project of an operator: no package.json here or above depends on treadle.\n` +
      "Change into the folder of a project or name it with --dir, or make one: treadle new operator NAME",
  );
}

/** Returns the nearest folder, from this one up, whose package.json depends on treadle. @throws CliError for a package.json that cannot be read */
export function projectAround(from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const manifest = readJson(join(folder, "package.json"));
    if (manifest !== undefined && valueAt(manifest, "dependencies", "treadle") !== undefined) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Returns the record of a project; `undefined` without one. @throws CliError if it cannot be used */
function readRecord(folder: string): ProjectRecord | undefined {
  const path = join(folder, RECORD_FILE);
  const found = readJson(path);
  if (found === undefined) return undefined;
  const texts = ["name", "group", "kind", "packageManager"].map((field) => textAt(found, "operator", field));
  const additions = valueAt(found, "additions");
  const [name = "", group = "", kind = "", packageManager = ""] = texts;
  const isRight =
    textAt(found, "version") !== "" &&
    /^[a-z][a-z0-9-]*$/.test(name) &&
    groupProblem(group) === undefined &&
    kindProblem(kind) === undefined &&
    PACKAGE_MANAGERS.some((each) => each === packageManager) &&
    Array.isArray(additions) &&
    additions.every(isAddition);
  if (!isRight) throw new CliError(`${path} is not what treadle wrote: restore it from your repository`);
  return found as unknown as ProjectRecord; // The fields were checked; treadle wrote the rest.
}

const ADDITIONS: Readonly<Record<Addition["type"], "kind" | "part">> = {
  resource: "kind",
  managed: "kind",
  step: "part",
  component: "part",
  dependents: "part",
  webhook: "part",
};

/** Names and paths become paths of files, and a file of a repository may hold anything. */
function isAddition(value: unknown): boolean {
  const type = textAt(value, "type");
  if (!Object.hasOwn(ADDITIONS, type) || kindProblem(textAt(value, "kind")) !== undefined) return false;
  if (ADDITIONS[type as Addition["type"]] === "kind") return groupProblem(textAt(value, "group")) === undefined;
  return partNameProblem(textAt(value, "name")) === undefined && isInProject(textAt(value, "module"));
}

/** Whether a path with `/` is that of a file in the project. */
function isInProject(path: string): boolean {
  return path !== "" && !/^\/|[\\:]/.test(path) && posix.normalize(path) === path && path.split("/")[0] !== "..";
}

/** Returns the templates as they were written last; `undefined` if the file is missing. @throws CliError if it cannot be used */
export function readBase(folder: string): Files | undefined {
  const path = join(folder, BASE_FILE);
  const found = readJson(path);
  if (found === undefined) return undefined;
  const files = valueAt(found, "files");
  if (!isRecord(files) || Object.entries(files).some(([file, text]) => typeof text !== "string" || !isInProject(file)))
    throw new CliError(`${path} is not what treadle wrote: restore it from your repository`);
  return files as Files; // All values are texts.
}

/** Returns the two files that keep the state of the templates. */
export function recordFiles(record: ProjectRecord, base: Files): Files {
  const sorted = Object.fromEntries(Object.entries(base).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const text = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
  return { [RECORD_FILE]: text(record), [BASE_FILE]: text({ version: record.version, files: sorted }) };
}

/** @throws CliError if the file is no JSON */
function readJson(path: string): object | undefined {
  if (!existsSync(path)) return undefined;
  try {
    // Some editors of Windows write a mark of the byte order, which package managers accept.
    const value: unknown = JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
    return isRecord(value) ? value : {};
  } catch (error) {
    throw new CliError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The kinds of the modules in `src` that have a handler. */
function resourcesOf(folder: string): readonly ProjectResource[] {
  const modules = modulesOf(folder).map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
  const declared = modules.flatMap(({ path, text }) => kindsIn(text).map((kind) => ({ kind, module: path })));
  return declared
    .map(({ kind, module }) => {
      const handlers = modules.filter(({ text }) => handlerChains(text, kind).length > 0).map(({ path }) => path);
      return { kind, module, handlers };
    })
    .filter(({ handlers }) => handlers.length > 0);
}

/** Paths of the modules in `src`, without tests. */
export function modulesOf(folder: string): readonly string[] {
  const src = join(folder, "src");
  if (!existsSync(src)) return [];
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && /(?<!\.test|\.d)\.ts$/.test(each.name) && !each.parentPath.includes("node_modules"))
    .map((each) => relative(folder, join(each.parentPath, each.name)).replaceAll("\\", "/"))
    .toSorted();
}

/** The names under which a module exports `defineResource(...)`. */
function kindsIn(text: string): readonly string[] {
  if (!text.includes("defineResource")) return [];
  return listIn(treeOf(text), "body")
    .flatMap((statement) => listIn(nodeAt(statement, "declaration"), "declarations"))
    .filter((each) => isCallOf(nodeAt(each, "init"), "defineResource"))
    .flatMap((each) => nameOf(nodeAt(each, "id")) ?? []);
}
