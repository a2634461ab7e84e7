/** Questions to the user. Ctrl-C while one is shown ends the command, as it does elsewhere. */

/** Asks the user. Each method rejects when the user presses Ctrl-C or Escape. */
export interface Prompter {
  /** Asks for a text. */
  text(question: TextQuestion): Promise<string>;
  /** Asks for one of several values. */
  select(question: { readonly message: string; readonly values: readonly string[] }): Promise<string>;
  /** Asks for yes or no; Enter is no. */
  confirm(message: string): Promise<boolean>;
}

/** A question of {@link Prompter}. */
export interface TextQuestion {
  /** The question, as the user reads it. */
  readonly message: string;
  /** The answer of Enter. @defaultValue none */
  readonly initial?: string | undefined;
  /** Returns what is wrong with an answer, for the user; `undefined` for a good one. */
  problem(answer: string): string | undefined;
}

type Clack = Pick<typeof import("@clack/prompts"), "text" | "select" | "confirm" | "isCancel">;

/** Streams of a terminal, for tests. */
type Streams = Pick<Parameters<Clack["confirm"]>[0], "input" | "output">;

/** Returns a prompter by the library. `cancel` is called when the user presses Ctrl-C: the library takes the key away from Node. */
export function prompterOf(clack: Clack, cancel: () => void, streams: Streams = {}): Prompter {
  async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
    const answer = await question;
    if (!clack.isCancel(answer)) return answer as Exclude<T, symbol>; // The only symbol is the mark of a cancellation.
    cancel();
    throw new Error("the question was cancelled");
  }
  return {
    text: ({ message, initial, problem }) =>
      answered(
        clack.text({
          ...streams,
          message,
          ...(initial === undefined ? {} : { placeholder: initial, defaultValue: initial }),
          validate: (answer) => problem(answer === undefined || answer === "" ? (initial ?? "") : answer),
        }),
      ),
    select: ({ message, values }) =>
      answered(clack.select({ ...streams, message, options: values.map((value) => ({ value, label: value })) })),
    confirm: (message) => answered(clack.confirm({ ...streams, message, initialValue: false })),
  };
}
