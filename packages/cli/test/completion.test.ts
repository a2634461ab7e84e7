/** Shell completion: what fits at the cursor, and the scripts in the real shells. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment, Namespace } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { joinedWords } from "../src/completion/reply.ts";
import { SCRIPTS } from "../src/completion/scripts.ts";
import { runTreadle } from "../src/index.ts";
import { fakeTerminal, kubeconfigOf } from "./fake-terminal.ts";
import { pods } from "./shop.ts";

async function completed(words: readonly string[], shell = "zsh", env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const terminal = fakeTerminal({ env: { HOME: "/nowhere", ...env } });
  expect(await runTreadle(["__complete", shell, "--", ...words], terminal)).toBe(0);
  expect(terminal.output.err).toBe("");
  return terminal.output.out.trimEnd().split("\n");
}

test.for([
  { words: ["expl"], want: ["words", "explain\ttell why an object is not ready, and what to do"] },
  { words: ["help", "gr"], want: ["words", "graph\tdraw the pipelines of an operator, from its module"] },
  { words: ["explain", "pod/a", "--outp"], want: ["words", "--output\tjson: for programs"] },
  {
    words: ["explain", "-"],
    want: expect.arrayContaining(["--exit-code\tend with 1 if the object is not ready", "--help\tshow this help"]),
  },
  { words: ["explain", "--exit-code", "--exit"], want: ["words"] },
  { words: ["explain", "--as-group", "a", "--as-g"], want: ["words", "--as-group\tgroup to act as; may be repeated"] },
  { words: ["explain", "--output", ""], want: ["words", "json"] },
  { words: ["explain", "--output=j"], want: ["words", "--output=json"] },
  { words: ["graph", "-o", ""], want: ["words", "mermaid", "svg", "json"] },
  { words: ["graph", ""], want: ["files"] },
  { words: ["graph", "--", "--ex"], want: ["files"] },
  { words: ["graph", "a.ts", ""], want: ["words"] },
  { words: ["build", "--out", ""], want: ["folders"] },
  { words: ["build", "--out=x"], want: ["folders"] },
  { words: ["explain", "--kubeconfig", ""], want: ["files"] },
  { words: ["explain", "--as", ""], want: ["words"] },
  { words: ["completion", ""], want: ["words", "bash", "zsh", "fish"] },
  { words: ["nothing", ""], want: expect.arrayContaining(["words"]) },
  // No cluster: nothing, and no message in the line of the user.
  { words: ["explain", "dep"], want: ["words"] },
])("`treadle $words` is completed by the declarations", async ({ words, want }) => {
  expect(await completed(words)).toEqual(want);
});

test.for([
  { words: ["explain", "--output", "=", "js"], joined: ["explain", "--output=js"], cut: "--output=" },
  { words: ["explain", "--output", "="], joined: ["explain", "--output="], cut: "--output=" },
  {
    words: ["--as", "system", ":", "serviceaccount", ":", "a"],
    joined: ["--as", "system:serviceaccount:a"],
    cut: "system:serviceaccount:",
  },
  { words: ["--output", "=", "json", ""], joined: ["--output=json", ""], cut: "" },
])("the words $words of bash are joined", ({ words, joined, cut }) => {
  expect(joinedWords(words)).toEqual({ words: joined, cut });
});

test("bash gets the part after the last sign only, and kubectl the numbers of cobra", async () => {
  expect(await completed(["explain", "--output", "=", "j"], "bash")).toEqual(["words", "json"]);
  expect(await completed(["graph", ""], "kubectl")).toEqual([":0"]);
});

test("kinds, names and namespaces come from the cluster", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ https: true });
  await cluster.create(Namespace, { metadata: { name: "shops" } });
  await cluster.create(Deployment, { metadata: { name: "web", namespace: "shops" }, spec: pods("web") });
  await cluster.create(Deployment, { metadata: { name: "api" }, spec: pods("api") });
  const env = { KUBECONFIG: kubeconfigOf(cluster) };
  expect(await completed(["explain", "deplo"], "fish", env)).toEqual(["parts", "deployment/\tapps"]);
  expect(await completed(["explain", "deployment/"], "zsh", env)).toEqual(["words", "deployment/api"]);
  expect(await completed(["explain", "-n", "shops", "deploy", ""], "zsh", env)).toEqual(["words", "web"]);
  expect(await completed(["tree", "-n", "sh"], "zsh", env)).toEqual(["words", "shops"]);
  expect(await completed(["tree", "--namespace=sh"], "zsh", env)).toEqual(["words", "--namespace=shops"]);
  expect(await completed(["tree", "unknown/"], "zsh", env)).toEqual(["words"]);
});

test("a call of a script of another version is refused", async () => {
  expect(await runTreadle(["__complete", "tcsh"], fakeTerminal())).toBe(2);
});

describe("in the real shells", () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), "treadle-completion-"));
    const bin = join(import.meta.dirname, "..", "src", "treadle-bin.ts");
    const program = join(dir, "treadle");
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' --conditions=@treadle/source '${bin}' "$@"\n`);
    chmodSync(program, 0o755);
    for (const [shell, script] of Object.entries(SCRIPTS)) writeFileSync(join(dir, shell), script);
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const lines = (shell: string, args: readonly string[]): readonly string[] => {
    const env = { PATH: `${dir}:${process.env["PATH"]}`, HOME: dir, TERM: "dumb" };
    const { stdout, stderr } = spawnSync(shell, args, { encoding: "utf8", env, timeout: 30_000 });
    expect(stderr).toBe("");
    return stdout.trimEnd().split("\n");
  };
  const isMissing = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status !== 0;

  test.skipIf(isMissing("bash"))("bash completes commands, flags and values, also after =", () => {
    const asks = [["co"], ["explain", "--outp"], ["explain", "--output", "=", ""], ["help", "gr"], ["graph", ""]];
    const script = asks.map((words) => `ask treadle ${words.map((word) => `'${word}'`).join(" ")}`).join("\n");
    const ask = `ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _treadle; echo "\${COMPREPLY[*]}"; }`;
    expect(lines("bash", ["--norc", "-euc", `source ${dir}/bash\n${ask}\n${script}; echo end`])).toEqual(
      "completion --output json graph".split(" ").concat("", "end"),
    );
  });

  test.skipIf(isMissing("fish"))("fish completes commands, values and folders after =", () => {
    const ask = (line: string): readonly string[] => lines("fish", ["--no-config", "-c", `source ${dir}/fish; complete -C '${line}'`]);
    expect(ask("treadle comp")).toEqual(["completion\twrite the script that completes commands in a shell"]);
    expect(ask("treadle explain --output=")).toEqual(["--output=json"]);
    expect(ask("treadle build --out=/us")).toEqual(expect.arrayContaining([expect.stringMatching(/^--out=\/usr\//)]));
    expect(ask("treadle graph /etc/host")).toEqual(expect.arrayContaining(["/etc/hosts"]));
  });

  test.skipIf(isMissing("zsh"))("zsh completes in a terminal", () => {
    // Only its line editor calls the function, so it needs a terminal: zpty is one.
    const script = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "autoload -Uz compinit; compinit -D -u; source ${dir}/zsh; bindkey '^I' complete-word; setopt no_beep; echo REA''DY"
zpty -r -m z out '*READY*'
zpty -w -n z $'treadle explain --outp\\tj\\t\\C-a: \\n'
zpty -r -m z out '*--output json*'
zpty -w -n z $'treadle completion z\\t\\C-a: \\n'
zpty -r -m z out '*completion zsh*'
echo done`;
    expect(lines("zsh", ["-f", "-c", script])).toEqual(["done"]);
  });
});
