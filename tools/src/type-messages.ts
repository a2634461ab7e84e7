/**
 * Tests the sentences that the compiler shows for misuse: `type-messages.ts [tsconfig]`.
 *
 * A fixture (`packages/*\/test/types/*.ts`) is a program that must not compile. The comment `// @error <text>` says that the next line
 * of code has an error whose message contains the text; several comments in a row ask for several errors of that line. Fails on an
 * error that is missing, differently worded, or not announced, so that messages change only on purpose. White space does not count.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { capture } from "./run.ts";
import { root } from "./workspaces.ts";

/** An error as the compiler reports it; `message` is on one line, with the chain of its reasons. */
export interface TypeError {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** An announced error; `line` is that of the code, `at` that of the comment. */
export interface Expectation {
  readonly file: string;
  readonly line: number;
  readonly at: number;
  readonly text: string;
}

const usage = "write fixtures as described in tools/src/type-messages.ts";

/**
 * Compiles the program of a tsconfig and compares its errors with the comments in its files.
 * @returns the problems, one text each, and how many messages were as announced
 * @throws when the compiler could not run or the program has no files
 */
export async function checkTypeMessages(tsconfig: string): Promise<{ readonly problems: readonly string[]; readonly matched: number }> {
  const cwd = resolve(tsconfig, "..");
  // The compiler knows which files the tsconfig means; a second matcher of patterns would disagree one day.
  const list = await capture("tsc", ["-p", tsconfig, "--listFilesOnly"], { cwd });
  if (list.code !== 0) throw new Error(`cannot read ${tsconfig} (${usage}):\n${list.output}`);
  const compiled = await capture("tsc", ["-p", tsconfig, "--noEmit", "--pretty", "false", "--noErrorTruncation"], { cwd });
  const files = list.output.split(/\r?\n/).filter((file) => /\/test\/types\/[^/]+\.ts$/.test(file));
  const expectations = files.flatMap((file) => expectationsOf(file, readFileSync(file, "utf8")));
  if (expectations.length === 0) throw new Error(`no fixture of ${tsconfig} says // @error (${usage})`);
  const errors = errorsOf(compiled.output).map((error) => ({ ...error, file: resolve(cwd, error.file).replaceAll("\\", "/") }));
  if (compiled.code !== 0 && errors.length === 0) throw new Error(`the compiler failed on ${tsconfig}:\n${compiled.output}`);
  const { missing, unannounced } = compare(expectations, errors);
  const problems = [...missing, ...unannounced].map((problem) => problem.replaceAll(`${cwd.replaceAll("\\", "/")}/`, ""));
  return { problems, matched: expectations.length - missing.length };
}

/** The comments of a file. */
export function expectationsOf(file: string, text: string): Expectation[] {
  const lines = text.split(/\r?\n/);
  return lines.flatMap((comment, index) => {
    const announced = /^\s*\/\/ @error (.+)$/.exec(comment)?.[1];
    if (announced === undefined) return [];
    const code = lines.findIndex((each, at) => at > index && !/^\s*(\/\/|$)/.test(each));
    return [{ file, line: code + 1, at: index + 1, text: announced }];
  });
}

/** The errors in what `tsc --pretty false` prints: a head line each, the reasons indented below it. */
export function errorsOf(output: string): TypeError[] {
  const errors: TypeError[] = [];
  for (const line of output.split(/\r?\n/)) {
    const head = /^(.+?)\((\d+),\d+\): error (.+)$/.exec(line) ?? /^()()error (.+)$/.exec(line);
    const last = errors.at(-1);
    if (head !== null) errors.push({ file: head[1] ?? "", line: Number(head[2]), message: head[3] ?? "" });
    else if (last !== undefined && /^\s+\S/.test(line)) errors[errors.length - 1] = { ...last, message: `${last.message} ${line.trim()}` };
  }
  return errors;
}

/** What differs, one text each. An error fulfils one expectation; a line with two errors needs two. */
export interface Differences {
  /** Announced errors that are not there, or are worded differently. */
  readonly missing: readonly string[];
  readonly unannounced: readonly string[];
}

export function compare(expectations: readonly Expectation[], errors: readonly TypeError[]): Differences {
  const left = [...errors];
  const unmet = expectations.filter((expected) => {
    const index = left.findIndex((error) => isAt(error, expected) && squeeze(error.message).includes(squeeze(expected.text)));
    if (index !== -1) left.splice(index, 1);
    return index === -1;
  });
  const explained = new Set<TypeError>();
  const missing = unmet.map((expected) => {
    const other = left.find((error) => isAt(error, expected) && !explained.has(error));
    if (other !== undefined) explained.add(other);
    const got = other === undefined ? "line compiles" : other.message;
    return `${expected.file}:${expected.at}: wanted: ${expected.text}\n  line ${expected.line} says: ${got}`;
  });
  const rest = left.filter((error) => !explained.has(error));
  return { missing, unannounced: rest.map(({ file, line, message }) => `${file}:${line}: error that no // @error announces: ${message}`) };
}

function isAt(error: TypeError, expected: Expectation): boolean {
  return error.file === expected.file && error.line === expected.line;
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

if (import.meta.main) {
  const { problems, matched } = await checkTypeMessages(resolve(process.argv[2] ?? join(root, "tsconfig.types.json")));
  for (const problem of problems) console.error(problem);
  console.log(`${matched} type messages as announced, ${problems.length} problems`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
