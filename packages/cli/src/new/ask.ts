/** Gets the answers of a command: from flags, from the user, or from defaults. */
import { CliError } from "../cli-error.ts";
import type { Prompter } from "../terminal/prompter.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Something that a command needs to know. */
export interface Question {
  /** How it is given in a command line, such as `--group` or `NAME`. */
  readonly flag: string;
  readonly message: string;
  /** What the command line has. */
  readonly given: string | undefined;
  /** The answer of `--yes`. @defaultValue none: it must be given */
  readonly initial?: string | undefined;
  /** The allowed answers. @defaultValue any */
  readonly values?: readonly string[];
  /** Returns what is wrong with an answer. */
  problem?(answer: string): string | undefined;
}

/** Asks the user, or does not. */
export interface Asker {
  /** Returns an answer without a problem. @throws CliError if the given one has a problem, or if none is given and no user can be asked */
  ask(question: Question): Promise<string>;
  /** Returns whether the user agrees; `undefined` if no user can be asked. */
  agrees(message: string): Promise<boolean | undefined>;
}

/** Returns the asker of a command. With `yes` it asks nothing. */
export function askerOf({ prompter }: Pick<Terminal, "prompter">, { yes = false }: { readonly yes?: boolean | undefined }): Asker {
  let loaded: Promise<Prompter> | undefined;
  const canAsk = !yes && prompter !== undefined;
  const load = (): Promise<Prompter> => (loaded ??= prompter?.() ?? Promise.reject(new Error("there is no terminal")));
  return {
    async ask(question) {
      const { flag, given, initial, values, message } = question;
      const problem = problemOf(question);
      if (given !== undefined) {
        const found = problem(given);
        if (found !== undefined) throw new CliError(`${flag}: ${found}`);
        return given;
      }
      if (canAsk) {
        const prompts = await load();
        return values === undefined ? await prompts.text({ message, initial, problem }) : await prompts.select({ message, values });
      }
      if (!yes) throw new MissingAnswer(question);
      const found = initial === undefined ? `it has no default, so --yes needs it: ${message}` : problem(initial);
      if (initial === undefined || found !== undefined) throw new CliError(`${flag}: ${found}`);
      return initial;
    },
    agrees: async (message) => (canAsk ? await (await load()).confirm(message) : undefined),
  };
}

/** Returns the answers to several questions. What is missing is reported together. A question may depend on earlier answers. */
export async function answersTo<Key extends string>(
  asker: Asker,
  questions: readonly (readonly [Key, (answers: Partial<Record<Key, string>>) => Question])[],
): Promise<Record<Key, string>> {
  const answers: Partial<Record<Key, string>> = {};
  const missing: Question[] = [];
  for (const [key, questionOf] of questions) {
    const question = questionOf(answers);
    try {
      answers[key] = await asker.ask(question);
    } catch (error) {
      if (!(error instanceof MissingAnswer)) throw error;
      missing.push(question);
      // Later questions may have defaults that follow from it.
      if (question.initial !== undefined) answers[key] = question.initial;
    }
  }
  if (missing.length === 0) return answers as Record<Key, string>; // Each key has an answer.
  const lines = missing.map(
    ({ flag, message, initial }) => `  ${flag}: ${message}${initial === undefined ? "" : ` (default: ${initial})`}`,
  );
  const hint = missing.every(({ initial }) => initial !== undefined)
    ? "Give them, or --yes for the defaults."
    : "Give them; --yes takes the defaults.";
  throw new CliError(`there is no terminal to ask on, and these are missing:\n${lines.join("\n")}\n${hint}`);
}

class MissingAnswer extends Error {
  override readonly name = "MissingAnswer";

  constructor({ flag }: Question) {
    super(`${flag} is missing`);
  }
}

function problemOf({ values, problem }: Question): (answer: string) => string | undefined {
  return (answer) => {
    if (values !== undefined && !values.includes(answer)) return `"${answer}" is not one of ${values.join(", ")}`;
    return problem?.(answer);
  };
}
