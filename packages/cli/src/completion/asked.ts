/** What a shell asks for: the words of a command line up to the cursor, read by the declarations of the program. Pure functions. */
import type { Argument, Command, Option } from "commander";

/** A text that a shell may insert. */
export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What can be inserted for the last word. */
export type Asked =
  /** One of these words. */
  | { readonly type: "words"; readonly words: readonly Candidate[] }
  /** A value with a name, such as `file` or `object`. `before` is the part of the word that stays, as in `--out=`. */
  | { readonly type: "value"; readonly of: string; readonly part: string; readonly before: string; readonly line: Line };

/** What the words before the last one say. */
export interface Line {
  readonly command: Command;
  /** Words that are neither flags nor values of flags. */
  readonly operands: readonly string[];
  /** Values of flags, by their names in camelCase. */
  readonly flags: Readonly<Record<string, string | true>>;
}

/** Returns what can be inserted for the last of `words`, which may be empty. The name of the program is not in them. */
export function askedFor(program: Command, words: readonly string[]): Asked {
  const part = words.at(-1) ?? "";
  const { line, waiting, isRaw } = lineOf(program, words.slice(0, -1));
  if (waiting !== undefined) return valueOf(waiting, { part, before: "", line });
  const [, long = "", value = ""] = /^(--[^=]+)=(.*)$/s.exec(part) ?? [];
  const option = isRaw ? undefined : optionNamed(line.command, long);
  if (option !== undefined) return valueOf(option, { part: value, before: `${long}=`, line });
  if (part.startsWith("-") && !isRaw) return { type: "words", words: flagsOf(line, part) };
  if (line.command.commands.length > 0) return commandsOf(line.command, part);
  const argument = argumentAt(line.command, line.operands.length);
  if (argument === undefined) return { type: "words", words: [] };
  if (argument.name() === "command") return commandsOf(program, part);
  return choicesOf(argument, part) ?? { type: "value", of: argument.name(), part, before: "", line };
}

interface Read {
  readonly line: Line;
  /** The flag whose value comes next. */
  readonly waiting: Option | undefined;
  /** Whether `--` was given: nothing is a flag after it. */
  readonly isRaw: boolean;
}

function lineOf(program: Command, words: readonly string[]): Read {
  let command = program;
  let waiting: Option | undefined;
  let isRaw = false;
  const operands: string[] = [];
  const flags: Record<string, string | true> = {};
  for (const word of words) {
    if (waiting !== undefined) {
      flags[waiting.attributeName()] = word;
      waiting = undefined;
    } else if (word === "--" && !isRaw) isRaw = true;
    else if (!isRaw && word.startsWith("-") && word !== "-") {
      const [name = "", ...value] = word.split("=");
      const option = optionNamed(command, name);
      if (option === undefined) continue;
      if (value.length > 0) flags[option.attributeName()] = value.join("=");
      else if (option.required) waiting = option;
      else flags[option.attributeName()] = true;
    } else {
      const next =
        operands.length === 0 ? visible(command).find((each) => each.name() === word || each.aliases().includes(word)) : undefined;
      if (next === undefined) operands.push(word);
      else command = next;
    }
  }
  return { line: { command, operands, flags }, waiting, isRaw };
}

/** The commands below one, with `help`, which commander adds. */
function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

/** The options of a command with those that commander adds, such as `--help`. */
function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function optionNamed(command: Command, name: string): Option | undefined {
  return optionsOf(command).find(({ long, short }) => name !== "" && (long === name || short === name));
}

/** A flag that was given is not offered again, unless it may be repeated: then a function collects its values. */
function flagsOf({ command, flags }: Line, part: string): readonly Candidate[] {
  const isRepeatable = ({ parseArg, argChoices }: Option): boolean => parseArg !== undefined && argChoices === undefined;
  const words = optionsOf(command)
    .filter((option) => flags[option.attributeName()] === undefined || isRepeatable(option))
    .flatMap(({ long, short, description }) => {
      const name = part.startsWith("--") || part === "-" ? long : short;
      return name === undefined ? [] : [{ value: name, description }];
    });
  return matching(words, part);
}

function commandsOf(command: Command, part: string): Asked {
  const words = visible(command).map((each) => ({ value: each.name(), description: each.summary() || each.description() }));
  return { type: "words", words: matching(words, part) };
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

function valueOf(option: Option, { part, before, line }: { readonly part: string; readonly before: string; readonly line: Line }): Asked {
  if (option.argChoices !== undefined)
    return {
      type: "words",
      words: matching(
        option.argChoices.map((value) => ({ value: before + value, description: "" })),
        before + part,
      ),
    };
  const [, placeholder = ""] = /[<[]([^>\]]+)[>\]]/.exec(option.flags) ?? [];
  // `<name>` says nothing: the flag itself does.
  const of = placeholder === "name" ? option.attributeName() : placeholder;
  return { type: "value", of, part, before, line };
}

function choicesOf({ argChoices }: Argument, part: string): Asked | undefined {
  if (argChoices === undefined) return undefined;
  return {
    type: "words",
    words: matching(
      argChoices.map((value) => ({ value, description: "" })),
      part,
    ),
  };
}

/** Returns the words that begin with `part`. */
export function matching(words: readonly Candidate[], part: string): readonly Candidate[] {
  return words.filter(({ value }) => value.startsWith(part));
}
