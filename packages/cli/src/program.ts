/** The command line: commands and flags as data become a program. Nothing here knows what a command does. */
import { Argument, Command, CommanderError, Option } from "commander";
import { COMMANDS } from "./commands/all.ts";
import type { ArgumentDeclaration, CommandDeclaration, FlagDeclaration } from "./commands/command.ts";
import { CONNECTION_FLAGS } from "./commands/connection.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Terminal } from "./terminal/terminal.ts";
import { VERSION } from "./version.ts";

/** Runs a command line. It never throws, and ends no process. Resolves to the exit code. */
export async function runTreadle(
  args: readonly string[],
  terminal: Terminal,
  { name = "treadle" }: ProgramOptions = {},
): Promise<ExitCode> {
  const result: { code: ExitCode } = { code: EXIT.ok };
  const program = programOf(name, terminal, result);
  try {
    if (args[0] === "__complete") return await (await import("./completion/run.ts")).runComplete(program, args.slice(1), terminal);
    const [first, second] = args;
    // Commander shows the help of the program for a command that does not exist.
    if (first === "help" && second !== undefined && !second.startsWith("-") && !COMMANDS.some((each) => each.name === second))
      return await runTreadle(args.slice(1), terminal, { name });
    // Without a command the help is the answer, and not a failure.
    await program.parseAsync(args.length === 0 ? ["--help"] : [...args], { from: "user" });
    return result.code;
  } catch (error) {
    // Commander has written its message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.failed;
    if (terminal.signal.aborted) return EXIT.interrupted;
    // It knows the errors of the API, which take longer to load than the help.
    const { failureText } = await import("./failure.ts");
    terminal.err(`${name}: ${failureText(error, { isVerbose: (terminal.env["TREADLE_DEBUG_CLI"] ?? "") !== "" })}\n`);
    return EXIT.failed;
  }
}

/** Options of {@link runTreadle}. */
export interface ProgramOptions {
  /** Name of the program in its texts. @defaultValue `treadle` */
  readonly name?: string;
}

function programOf(name: string, terminal: Terminal, result: { code: ExitCode }): Command {
  const program = configured(new Command(name), name, terminal)
    .description("Makes, draws and builds Kubernetes operators, looks at their objects, and installs applications without an operator.")
    .usage("<command> [options]")
    .version(VERSION, "-V, --version", "show the version")
    .helpOption("-h, --help", "show help for a command")
    .helpCommand("help [command]", "show help for a command")
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      `\nExamples:\n${exampleLines(
        name,
        COMMANDS.flatMap(({ examples }) => examples.slice(0, 1)),
      )}`,
    );
  for (const declaration of COMMANDS) program.addCommand(commandOf(declaration, { name, terminal, result }));
  return program;
}

interface Context {
  readonly name: string;
  readonly terminal: Terminal;
  readonly result: { code: ExitCode };
}

function commandOf(declaration: CommandDeclaration, context: Context): Command {
  const { argument, commands = [], flags, isOnCluster, examples } = declaration;
  const { name, terminal, result } = context;
  const command = configured(new Command(declaration.name), name, terminal)
    .summary(declaration.summary)
    .description(declaration.description)
    .helpOption("-h, --help", "show this help")
    .addHelpText("after", `\nExamples:\n${exampleLines(name, examples)}`);
  for (const each of [argument ?? []].flat()) command.addArgument(argumentOf(each));
  if (commands.length > 0) command.helpCommand("help [command]", "show help for a command");
  for (const each of commands) command.addCommand(commandOf(each, context));
  for (const each of flags) command.addOption(optionOf(each));
  if (isOnCluster) for (const each of CONNECTION_FLAGS) command.addOption(optionOf(each).helpGroup("Cluster and user, as in kubectl:"));
  // Commander asks for one of the commands below, then.
  if (declaration.run === undefined) return command;
  return command.action(async () => {
    const words = command.processedArgs.flat().filter((each) => typeof each === "string");
    result.code = (await declaration.run?.(words, command.opts(), terminal)) ?? EXIT.ok;
  });
}

function configured(command: Command, name: string, { columns, out, err }: Terminal): Command {
  return (
    command
      .exitOverride()
      // Flags behind the name of a command are those of that command, also where the one above has a flag of that name.
      .enablePositionalOptions()
      // Commander breaks no line in a narrow terminal otherwise.
      .configureHelp({
        helpWidth: columns ?? 100,
        minWidthToWrap: 10,
        // Every command has options.
        subcommandTerm: (each) => [each.name(), ...each.registeredArguments.map(argumentTerm)].join(" "),
      })
      .configureOutput({
        writeOut: out,
        writeErr: err,
        getOutHelpWidth: () => columns ?? 100,
        getErrHelpWidth: () => columns ?? 100,
        // Commander decides by the streams of the process otherwise.
        getOutHasColors: () => false,
        getErrHasColors: () => false,
        outputError: (text, write) => write(`${name}: ${text.replace(/^error: /, "")}${advice(command, name)}\n`),
      })
  );
}

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function advice(command: Command, name: string): string {
  return `\`${[name, ...wordsOf(command)].join(" ")} --help\` shows how to use it.`;
}

/** The names of a command and of those above it, but for the program. */
function wordsOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

function optionOf({ flags, description, choices, isRepeatable = false }: FlagDeclaration): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  if (isRepeatable) option.argParser((value: string, former: readonly string[] | undefined) => [...(former ?? []), value]);
  return option;
}

function argumentOf({ syntax, description, choices }: ArgumentDeclaration): Argument {
  const argument = new Argument(syntax, description);
  return choices === undefined ? argument : argument.choices(choices);
}

function exampleLines(name: string, examples: CommandDeclaration["examples"]): string {
  return examples.map(({ line, does }) => `  # ${does}\n  ${name} ${line}`).join("\n");
}
