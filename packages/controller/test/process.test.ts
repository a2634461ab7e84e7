/** Signals and exit codes, of a real process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("./programs/operator.ts", import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves with the first line that contains `text`. */
  said(text: string): Promise<string>;
  readonly exit: Promise<number | NodeJS.Signals | null>;
}

function run(behaviour: string): Run {
  const child = spawn(process.execPath, ["--conditions=@treadle/source", PROGRAM, behaviour], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const waiting: { readonly text: string; readonly resolve: (line: string) => void }[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const { text, resolve } of waiting) if (line.includes(text)) resolve(line);
    });
  }
  return {
    child,
    lines,
    said: (text) =>
      new Promise((resolve) => {
        const found = lines.find((line) => line.includes(text));
        if (found === undefined) waiting.push({ text, resolve });
        else resolve(found);
      }),
    exit: once(child, "close").then(([code, signal]) => code ?? signal),
  };
}

describe("an operator's process", () => {
  test.for(["SIGINT", "SIGTERM"] as const)("%s stops it gracefully: exit code 0", async (signal, { expect }) => {
    const { child, said, exit, lines } = run("idle");
    await said("working");
    child.kill(signal);
    expect(await exit).toBe(0);
    expect(lines.at(-1)).toBe("ended");
  });

  test("a second signal ends it immediately, non-zero, whatever is in progress", { tags: ["long"] }, async () => {
    const { child, said, exit, lines } = run("hang");
    await said("working");
    child.kill("SIGTERM");
    await said("the manager is stopping");
    child.kill("SIGTERM");
    expect(await exit).toBe(143);
    expect(lines).not.toContain("ended");
  });

  test("a rejected and unhandled promise is logged and ends it, non-zero", { tags: ["long"] }, async () => {
    const { exit, lines } = run("reject");
    expect(await exit).toBe(1);
    const logged = lines.map((line) => (line.startsWith("{") ? JSON.parse(line) : {})).find(({ level }) => level === "error");
    expect(logged).toMatchObject({ msg: "a promise was rejected and not handled; stopping", error: "nobody listens: token=<redacted>" });
    expect(JSON.stringify(logged)).not.toContain("hunter2");
  });

  test("a step that blocks the loop for a while is named, and the process still leads", { tags: ["long"] }, async () => {
    const { child, said, exit, lines } = run("block-800");
    const warning = JSON.parse(await said("the event loop was blocked")) as object;
    expect(warning).toMatchObject({
      level: "warn",
      step: "work",
      object: "default/a",
      msg: expect.stringMatching(/was blocked for \d.*: step "work" \(do\) of widgets.test.treadle.dev for default\/a; /) as string,
    });
    await said("blocked");
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(lines.filter((line) => line.includes("lost the leadership"))).toEqual([]);
  });

  test("a step that blocks the loop beyond the renewal of the lease ends the process, with an error that names the step", {
    tags: ["long"],
  }, async () => {
    const { exit, lines } = run("block-4500");
    expect(await exit).toBe(1);
    expect(lines).toContain("blocked");
    const lost = lines.find((line) => line.includes("lost the leadership of Lease"));
    expect(lost).toContain("it could not be renewed for 4 s: the event loop was blocked for");
    expect(lost).toContain('step \\"work\\" (do) of widgets.test.treadle.dev for default/a');
    expect(lines).not.toContain("ended");
  });

  test.for([
    { behaviour: "forbidden", error: "cannot start: not listed within 0 s: Widget" },
    { behaviour: "unreachable", error: "connect ECONNREFUSED" },
  ])(
    "a start that fails ($behaviour) ends it non-zero, with one line of the JSON log",
    { tags: ["long"] },
    async ({ behaviour, error }, { expect }) => {
      const { exit, lines } = run(behaviour);
      expect(await exit).toBe(1);
      const logged = lines.map((line) => JSON.parse(line) as { readonly code?: string });
      expect(logged.at(-1)).toEqual({
        level: "error",
        time: expect.any(String) as string,
        code: "ERR_CACHE_SYNC",
        error: expect.stringContaining(error) as string,
        msg: "the operator has failed",
      });
      expect(logged.filter(({ code }) => code !== undefined)).toHaveLength(1);
    },
  );

  test.for([
    { behaviour: "unreachable", text: "connect ECONNREFUSED" },
    { behaviour: "reject", text: "nobody listens" },
  ])("no line of the log holds its error twice ($behaviour)", { tags: ["long"] }, async ({ behaviour, text }, { expect }) => {
    const { exit, lines } = run(behaviour);
    expect(await exit).toBe(1);
    const counts = lines.map((line) => line.split(text).length - 1);
    expect(Math.max(...counts), lines.join("\n")).toBe(1);
  });
});
