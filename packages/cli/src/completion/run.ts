/** `treadle completion`, and the hidden command that the scripts of the shells call. */
import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Asked, askedFor } from "./asked.ts";
import { joinedWords, type Reply, replyText, SHELLS, type Shell } from "./reply.ts";
import { SCRIPTS } from "./scripts.ts";

/** Writes the script of a shell. @throws CliError for an unknown shell */
export async function runCompletion(shell: string, terminal: Terminal): Promise<ExitCode> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell as keyof typeof SCRIPTS] : undefined;
  if (script === undefined) throw new CliError(`there is no completion for ${shell}; choose one of ${Object.keys(SCRIPTS).join(", ")}`);
  terminal.out(script);
  return EXIT.ok;
}

/** Answers a shell: `args` are its name, `--`, and the words of the command line up to the cursor, without the program. */
export async function runComplete(program: Command, args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name = "", separator, ...given] = args;
  const shell = SHELLS.find((each) => each === name);
  if (shell === undefined || separator !== "--") throw new CliError("this command is for the scripts of `treadle completion`");
  const { words, cut } = shell === "bash" ? joinedWords(given) : { words: given, cut: "" };
  terminal.out(replyText(await replyTo(askedFor(program, words), terminal), shell, cut));
  return EXIT.ok;
}

async function replyTo(asked: Asked, terminal: Terminal): Promise<Reply> {
  if (asked.type === "words") return asked;
  const { of, part, before, line } = asked;
  if (FILES.has(of)) return { type: "files" };
  if (FOLDERS.has(of)) return { type: "folders" };
  if (of === "object") return (await import("./cluster.ts")).objectReply(part, line, terminal);
  if (of === "namespace") return (await import("./cluster.ts")).namespaceReply(part, before, line, terminal);
  return { type: "words", words: [] };
}

/** The names of values, as the declarations of commands have them in brackets. */
const FILES: ReadonlySet<string> = new Set(["file", "module", "entry", "source", "old"]);
const FOLDERS: ReadonlySet<string> = new Set(["dir"]);

export type { Shell };
