/** The exit codes of all commands. docs/cli/README.md lists them for users. */

/** Exit codes of the command. */
export const EXIT = {
  /** The command did its work. */
  ok: 0,
  /** The command did its work, and its answer is "no": with `--exit-code`, an object that is not ready. */
  no: 1,
  /** The command could not do its work: wrong arguments, no cluster, a right that is missing, an object that does not exist. */
  failed: 2,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** An exit code of the command. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
