/** `treadle upgrade`: moves a project to the templates of this version. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { projectFiles } from "../new/operator.ts";
import { BASE_FILE, findProject, type ProjectRecord, readBase, RECORD_FILE, recordFiles } from "../new/project.ts";
import { writeFiles } from "../new/write.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { VERSION } from "../version.ts";
import { type FileMerge, type FileMergeType, mergeProject } from "./merge.ts";

/** Flags of the command. */
export interface UpgradeFlags {
  readonly dir?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** @throws CliError for a folder that is no project, and for uncommitted changes */
export async function runUpgrade(flags: UpgradeFlags, terminal: Terminal): Promise<ExitCode> {
  const { folder, record } = findProject(flags.dir ?? ".");
  const base = readBase(folder);
  if (record === undefined)
    throw new CliError(`${folder} has no ${RECORD_FILE}: only projects of \`treadle new operator\` can be upgraded`);
  if (base === undefined)
    throw new CliError(`${folder} has no ${BASE_FILE}, which has the templates as they were written: restore it from your repository`);
  refuseNewer(record);
  const upgraded = { ...record, version: VERSION };
  const next = projectFiles(upgraded);
  const mine = (path: string): string | undefined => textOfFile(join(folder, path));
  const merges = mergeProject({ base, next, mine, label: `treadle ${VERSION}` });
  if (record.version === VERSION && merges.length === 0) {
    terminal.out(`The project has the templates of version ${VERSION} already.\n`);
    return EXIT.ok;
  }
  const hasConflict = merges.some(({ type }) => type === "conflict");
  if (flags.dryRun !== true) {
    if (flags.force !== true) await refuseUncommitted(folder, terminal.signal);
    const changed = merges.filter(({ type, text }) => text !== undefined || type === "removed");
    const texts = Object.fromEntries(changed.map(({ path, text }) => [path, text]));
    writeFiles(folder, { ...texts, ...recordFiles(upgraded, next) }, terminal.signal);
  }
  terminal.out(textOf(merges, { from: record.version, isDryRun: flags.dryRun === true }));
  return hasConflict ? EXIT.no : EXIT.ok;
}

function textOfFile(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${(error as Error).message}\nNothing was written: move it away, or make it readable`, {
      cause: error,
    });
  }
}

/** An older command would take back what a newer one wrote. */
function refuseNewer({ version }: ProjectRecord): void {
  if (version.localeCompare(VERSION, "en", { numeric: true }) > 0)
    throw new CliError(
      `the project has the templates of version ${version}, and this is version ${VERSION}: npm install --save-dev @treadle/cli@${version}`,
    );
}

/** Without git, or outside of a repository, there is nothing to lose that git would show. */
async function refuseUncommitted(folder: string, signal: AbortSignal): Promise<void> {
  const changes = await promisify(execFile)("git", ["status", "--porcelain", "--", "."], { cwd: folder, signal, maxBuffer: Infinity }).then(
    ({ stdout }) => stdout,
    () => "",
  );
  signal.throwIfAborted();
  if (changes === "") return;
  const lines = changes.trimEnd().split("\n");
  const shown = lines.slice(0, 5).map((line) => `  ${line}`);
  if (lines.length > 5) shown.push(`  and ${lines.length - 5} more`);
  throw new CliError(
    `${folder} has uncommitted changes, and an upgrade would mix with them:\n${shown.join("\n")}\nCommit or stash them first, or add --force.`,
  );
}

const WORDS: Readonly<Record<FileMergeType, string>> = {
  added: "added",
  updated: "updated",
  merged: "merged with your changes",
  conflict: "conflict: resolve its marks",
  removed: "removed",
  kept: "kept: the templates no longer have it, and you changed it",
  absent: "not written: you removed it",
};

function textOf(merges: readonly FileMerge[], { from, isDryRun }: { readonly from: string; readonly isDryRun: boolean }): string {
  const lines = [
    isDryRun ? `Would upgrade from version ${from} to ${VERSION}. Nothing was written.` : `Upgraded from version ${from} to ${VERSION}.`,
    ...merges.map(({ path, type }) => `  ${path}: ${WORDS[type]}`),
  ];
  if (isDryRun) return `${lines.join("\n")}\n`;
  if (merges.some(({ type }) => type === "conflict")) lines.push("", "Search for <<<<<<< in these files, choose, and remove the marks.");
  if (merges.some(({ path }) => path === "package.json")) lines.push("", "package.json has changed: install the packages again.");
  return `${lines.join("\n")}\n`;
}
