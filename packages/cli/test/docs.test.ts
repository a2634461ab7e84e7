/** The pages of docs/cli and the help have the same commands and flags, and command lines in all docs can be run. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../src/commands/all.ts";
import type { CommandDeclaration, FlagDeclaration } from "../src/commands/command.ts";
import { CONNECTION_FLAGS } from "../src/commands/connection.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), "utf8");

/** The page of a command, where it is not `docs/cli/NAME.md`. */
const PAGES: Readonly<Record<string, readonly string[]>> = { build: ["docs", "build.md"] };

function pageOf({ name }: CommandDeclaration): string {
  return read(...(PAGES[name] ?? ["docs", "cli", `${name}.md`]));
}

/** The flags of a command and of those below it, but for those that all commands on a cluster have. */
function ownFlags({ flags, commands = [] }: CommandDeclaration): readonly FlagDeclaration[] {
  return [...flags, ...commands.flatMap(ownFlags)];
}

/** `--namespace` and `-n` of `-n, --namespace <name>`. */
function namesOf({ flags }: FlagDeclaration): readonly string[] {
  return flags.match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? [];
}

/** The names of flags in the first column of tables whose first header is "flag", and what is in their rows. */
function documentedFlags(page: string): readonly string[] {
  const tables = [...page.matchAll(/^\| flag \|.*\n(?:\|.*\n)+/gm)].map(([table]) => table);
  const cells = tables.flatMap((table) => table.split("\n").slice(2)).map((row) => row.split("|")[1] ?? "");
  return cells.flatMap((cell) => cell.match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? []);
}

describe.for(COMMANDS.map((command) => [command.name, command] as const))("the page of `treadle %s`", ([name, command]) => {
  const page = pageOf(command);

  test("begins with a title and a command line", () => {
    expect(page).toMatch(new RegExp(`^# .*\\n\\n\`\`\`sh\\n(.*\\n)*?.*treadle[ -]${name}`));
  });

  test("has a table with every flag of the help, and no other flag", () => {
    const known = ownFlags(command).map(namesOf);
    const documented = new Set(documentedFlags(page));
    expect(known.filter((names) => !names.some((each) => documented.has(each)))).toEqual([]);
    const names = new Set([...known, ...CONNECTION_FLAGS.map(namesOf)].flat());
    expect([...documented].filter((each) => !names.has(each))).toEqual([]);
  });

  test("is in the table of docs/cli/README.md", () => {
    expect(read("docs", "cli", "README.md")).toMatch(new RegExp(`^\\| \\[\`${name}\`\\]\\(`, "m"));
  });
});

test("docs/cli/README.md has the flags of all commands on a cluster", () => {
  expect(new Set(documentedFlags(read("docs", "cli", "README.md")))).toEqual(new Set(CONNECTION_FLAGS.flatMap(namesOf)));
});

/** Command lines in fences: the file, and the words after `treadle`. */
function commandLines(): readonly { readonly file: string; readonly words: readonly string[] }[] {
  const files = [...globSync("docs/**/*.md", { cwd: root }), ...globSync("{packages,examples}/*/README.md", { cwd: root }), "README.md"];
  return files.flatMap((file) =>
    [...read(file).matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, text = ""]) =>
      [...text.matchAll(/^\s*(?:npx |kubectl )?treadle ([^#|>&\n]+)/gm)].map(([, line = ""]) => ({
        file,
        words: line.trim().split(/\s+/),
      })),
    ),
  );
}

function problemOf(words: readonly string[]): string | undefined {
  if (words[0] === "help" || words[0]?.startsWith("-") === true) return undefined;
  const [first, second] = words;
  const command = COMMANDS.find(({ name }) => name === first);
  if (command === undefined) return `there is no command ${first}`;
  const below = command.commands?.find(({ name }) => name === second);
  const { flags, isOnCluster } = below ?? command;
  const names = new Set([...flags, ...(isOnCluster ? CONNECTION_FLAGS : [])].flatMap(namesOf));
  const given = words.flatMap((word) => /^--?[a-z][a-z-]*/.exec(word)?.[0] ?? []);
  const unknown = given.find((flag) => !names.has(flag) && !["--help", "-h"].includes(flag));
  return unknown === undefined ? undefined : `${first} has no flag ${unknown}`;
}

test("command lines in the docs have commands and flags of the program", () => {
  const lines = commandLines();
  expect(lines.length).toBeGreaterThan(50);
  const problems = lines.map(({ file, words }) => ({ line: `${file}: treadle ${words.join(" ")}`, problem: problemOf(words) }));
  expect(problems.filter(({ problem }) => problem !== undefined)).toEqual([]);
});
