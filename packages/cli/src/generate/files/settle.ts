/** Brings a folder to a layout, or tells how it differs, and shows the result. */
import { CliError } from "../../cli-error.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { document } from "../../output.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Layout } from "../layouts/layout.ts";
import { generatedText } from "../text.ts";
import { readFolder, writeFolder } from "./folder.ts";
import { type FileState, isAccepted, planFiles, refuseForeign } from "./plan.ts";

/** What to bring about. */
export interface Settling {
  readonly folder: string;
  readonly layout: Layout;
  /** Writes nothing. @defaultValue false */
  readonly isCheck?: boolean | undefined;
  /** Shows JSON. @defaultValue text */
  readonly output?: "json" | undefined;
  /** States of files that do not concern this run. @defaultValue none */
  readonly ignored?: readonly FileState[];
  readonly notes: readonly string[];
}

/** Returns 1 for a check of files that are not up to date. @throws CliError for files of the user in the way; then nothing is written */
export async function settle(given: Settling, terminal: Terminal): Promise<ExitCode> {
  const { folder, layout, isCheck = false, output, ignored = [], notes } = given;
  if (folder === "") throw new CliError("--out is empty: name a folder, such as deploy, or . for this one");
  const planned = planFiles(layout, await readFolder(folder)).filter(({ state }) => !ignored.includes(state));
  if (!isCheck) refuseForeign(planned, folder);
  if (!isCheck) await writeFolder(folder, layout, planned, terminal.signal);
  const files = planned.map((file) => ({ ...file, isAccepted: isAccepted(file, layout) }));
  const isCurrent = files.every((file) => file.isAccepted);
  const result = { folder, isCheck, files, notes };
  terminal.out(output === "json" ? document("GeneratedFiles", { ...result, isCurrent }) : generatedText(result, terminal));
  return isCheck && !isCurrent ? EXIT.no : EXIT.ok;
}
