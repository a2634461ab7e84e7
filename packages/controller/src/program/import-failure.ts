/** Turns what a module threw at import into a text with the file and line. Pure, but for a look at which files exist. */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the message of what a module threw, its place, and what to do if that is known. Paths are relative to `base`. */
export function importFailure(error: unknown, base: string): string {
  const message = error instanceof Error ? withoutUrls(error.message, base) : String(error);
  const place = placeOf(error);
  const advice = adviceFor(error);
  return [message, ...(place === undefined ? [] : [`  at ${shown(place, base)}`]), ...(advice === undefined ? [] : [advice])].join("\n");
}

interface Place {
  readonly file: string;
  /** `line` or `line:column`. */
  readonly position: string;
}

const FILE = String.raw`(?:file:\/\/|\/|[A-Za-z]:[\\/])[^\n]*?`;
/** Node puts the place of an error of syntax in front of the stack. */
const HEAD = new RegExp(String.raw`^(${FILE}):(\d+)$`, "m");
const FRAME = new RegExp(String.raw`^\s+at (?:.*?\()?(${FILE}):(\d+:\d+)\)?$`, "gm");

/** Returns the place of an error: that in front of the stack, else the first frame in a module of the user, else the first frame in a file. */
function placeOf(error: unknown): Place | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const [, file, line] = HEAD.exec(stack.slice(0, Math.max(0, stack.search(/^\s+at /m)))) ?? [];
  if (file !== undefined && line !== undefined) return { file, position: line };
  const frames = [...stack.matchAll(FRAME)].map(([, path = "", position = ""]) => ({ file: path, position }));
  // The frames of the loader are those of this package, above all others.
  const own = frames.filter((frame) => !isOfTool(frame.file));
  return own.find((frame) => !/[\\/]node_modules[\\/]/.test(frame.file)) ?? own[0];
}

/** Frames of Treadle never name what the user has to change: the loader of a command, or a check of settings. */
function isOfTool(file: string): boolean {
  const isTreadle = /[\\/]node_modules[\\/](?:@treadle[\\/]|treadle[\\/])/.test(file);
  return isTreadle || file === import.meta.url || pathOf(file).startsWith(fileURLToPath(new URL(".", import.meta.url)));
}

function shown({ file, position }: Place, base: string): string {
  return `${shownPath(pathOf(file), base)}:${position}`;
}

function shownPath(path: string, base: string): string {
  const short = relative(base, path);
  return short.startsWith("..") ? path : short;
}

function pathOf(file: string): string {
  return file.startsWith("file://") ? fileURLToPath(file) : file;
}

function withoutUrls(message: string, base: string): string {
  const paths = message.replace(/file:\/\/[^\s'"]+/g, (url) => pathOf(url));
  return paths.replace(/(?<=['" ])\/[^\s'"]+/g, (path) => shownPath(path, base));
}

function adviceFor(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  if (error.code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX")
    return "Node removes types and compiles nothing else: write it in other words, or name the compiled module.";
  if (error.code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const [, missing] = /^Cannot find module '(.*?)'/.exec(error.message) ?? [];
  if (missing === undefined) return "Install the package, or correct the name.";
  const source = missing.replace(/\.([cm]?)js$/, ".$1ts");
  return source !== missing && existsSync(source)
    ? "Node runs TypeScript as it is: import the file as .ts, or name the compiled module."
    : "Correct the name in the import, or create the file.";
}
