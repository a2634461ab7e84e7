/** What a command declares. Declarations are data, so that `--help` loads no command. */
import type { ExitCode } from "../exit-codes.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** A flag. */
export interface FlagDeclaration {
  /**
   * As in `-n, --namespace <name>`: a value in angle brackets, or none for a switch. Shells complete files for `<file>`, folders for `<dir>`:
   * completion/run.ts has the names.
   */
  readonly flags: string;
  readonly description: string;
  /** The allowed values. @defaultValue any */
  readonly choices?: readonly string[];
  /** Whether it may be repeated; its value is then a list. @defaultValue false */
  readonly isRepeatable?: boolean;
}

/** The flag of commands that print data. */
export const OUTPUT: FlagDeclaration = { flags: "-o, --output <format>", description: "json: for programs", choices: ["json"] };

/** An argument. */
export interface ArgumentDeclaration {
  /** As in `<object...>`, or `[module]` for one that may be left out. */
  readonly syntax: string;
  readonly description: string;
  /** The allowed values. @defaultValue any */
  readonly choices?: readonly string[];
}

/** A command of the program. */
export interface CommandDeclaration {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does, for its own help. */
  readonly description: string;
  /** As in `<object...>`, or `<module>` for one word; a list for several. @defaultValue no words */
  readonly argument?: ArgumentDeclaration | readonly ArgumentDeclaration[];
  /** Commands below this one, as in `new step`. @defaultValue none */
  readonly commands?: readonly CommandDeclaration[];
  readonly flags: readonly FlagDeclaration[];
  /** Whether it talks to a cluster and so has the flags of kubectl for that. */
  readonly isOnCluster: boolean;
  /** Command lines without the name of the program, each with what it does. */
  readonly examples: readonly { readonly line: string; readonly does: string }[];
  /** Loads and runs it. `flags` has the values under their names in camelCase. Only a command with others below it has none. */
  run?(words: readonly string[], flags: object, terminal: Terminal): Promise<ExitCode>;
}
