import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeClock } from "@treadle/apimachinery";
import { type ChildOptions, runChild, shownStderr } from "./child.ts";
import { Scripts } from "../../test/scripts.ts";

let scripts: Scripts;

beforeEach(() => {
  scripts = new Scripts();
});

afterEach(() => scripts[Symbol.dispose]());

function run(file: string, options: Partial<ChildOptions> = {}) {
  return runChild({ file, args: [], cwd: scripts.dir, env: { PATH: "/usr/bin:/bin" }, ...options });
}

describe.skipIf(process.platform === "win32")("a child process", () => {
  test("that hangs and ignores SIGTERM is killed at the timeout, with its children", async () => {
    const life = scripts.life();
    const clock = fakeClock();
    const end = run(scripts.add("hang", `trap '' TERM\n${life.open}\nsleep 600 & sleep 600`), { clock, timeoutMs: 30_000 });
    await life.begun();
    await clock.advance(29_999);
    await clock.advance(1);
    expect(await end).toEqual({ type: "timeout" });
    await life.ended();
  });

  test("is killed with its children when the signal is aborted, and the reason is the error", async () => {
    const life = scripts.life();
    const controller = new AbortController();
    const end = run(scripts.add("hang", `${life.open}\nsleep 600 & sleep 600`), { signal: controller.signal });
    await life.begun();
    controller.abort(new Error("boom"));
    await expect(end).rejects.toThrow("boom");
    await life.ended();
  });

  test("is not started when the signal was aborted before", async () => {
    const signal = AbortSignal.abort(new Error("boom"));
    await expect(run(scripts.path("no such program"), { signal })).rejects.toThrow("boom");
  });

  test("ends when it exits, although a child of its own holds its output open", async () => {
    const life = scripts.life();
    const end = run(scripts.add("parent", `${life.open}\nsleep 600 &\necho done; exit 0`));
    await life.ended();
    expect(await end).toMatchObject({ type: "exited", code: 0, stdout: Buffer.from("done\n") });
  });

  test.runIf(process.platform === "linux")(
    "that left a process in another group, which holds its output open, is ended at the timeout",
    async () => {
      const life = scripts.life();
      const clock = fakeClock();
      const left = `echo $$ > "${scripts.path("pid")}"; ${life.open.replaceAll('"', "")}; exec sleep 600`;
      const end = run(scripts.add("parent", `setsid sh -c '${left}' &\nwait`), { clock, timeoutMs: 5 });
      await life.begun();
      await clock.advance(5);
      expect(await end).toEqual({ type: "timeout" });
      process.kill(Number(readFileSync(scripts.path("pid"), "utf8")));
      await life.ended();
    },
  );

  test("that writes without an end is killed at the limit", async () => {
    const life = scripts.life();
    const end = run(scripts.add("flood", `${life.open}\nexec cat /dev/zero`));
    expect(await end).toEqual({ type: "too-much-output" });
    await life.ended();
  });

  test("that writes exactly the limit is read to its end", async () => {
    const end = await run(scripts.add("flood", "head -c 100000 /dev/zero"), { maxStdoutBytes: 100_000 });
    expect(end.type === "exited" && end.stdout.length).toBe(100_000);
  });

  test("that exits before it reads its input reports its exit code", async () => {
    const end = await run(scripts.add("early", "exit 3"), { input: "x".repeat(8 * 1024 * 1024) });
    expect(end).toMatchObject({ type: "exited", code: 3, signal: null });
  });

  test("that dies of a signal reports it", async () => {
    expect(await run(scripts.add("suicide", "kill -KILL $$"))).toMatchObject({ type: "exited", code: null, signal: "SIGKILL" });
  });

  test("gets its input, its arguments and an environment with nothing else", async () => {
    const end = await run(scripts.add("echo", 'cat; echo "$@"; env; exit 1'), {
      input: "in\n",
      args: ["a b", "c"],
      env: { PATH: "/usr/bin:/bin", A: "1" },
    });
    const lines = end.type === "exited" ? end.stdout.toString().trim().split("\n") : [];
    expect(lines.slice(0, 2)).toEqual(["in", "a b c"]);
    // A shell sets these itself.
    expect(
      lines
        .slice(2)
        .filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line))
        .toSorted(),
    ).toEqual(["A=1", "PATH=/usr/bin:/bin"]);
  });

  test.for([
    { name: "does not exist", file: () => scripts.path("nothing"), code: "ENOENT" },
    { name: "is not executable", file: () => scripts.add("plain", "exit 0", 0o644), code: "EACCES" },
    { name: "is a folder", file: () => scripts.dir, code: "EACCES" },
  ])("is not started when the file $name", async ({ file, code }) => {
    expect(await run(file())).toMatchObject({ type: "not-started", error: { code } });
  });

  test("has a lower priority than its parent", async () => {
    const life = scripts.life();
    const controller = new AbortController();
    const end = run(scripts.add("hang", `echo $$ > "${scripts.path("pid")}"\n${life.open}\nexec sleep 600`), { signal: controller.signal });
    await life.begun();
    expect(getPriority(Number(readFileSync(scripts.path("pid"), "utf8")))).toBe(constants.priority.PRIORITY_BELOW_NORMAL);
    controller.abort();
    await expect(end).rejects.toThrow();
    await life.ended();
  });

  test("is killed when the operator exits", async () => {
    const life = scripts.life();
    const hang = scripts.add("hang", `${life.open}\nsleep 600 & sleep 600`);
    const module = JSON.stringify(join(import.meta.dirname, "child.ts"));
    const operator = `import { runChild } from ${module};
      process.stdin.on("data", () => process.exit(0));
      await runChild({ file: ${JSON.stringify(hang)}, args: [], cwd: "/", env: { PATH: "/usr/bin:/bin" } });`;
    const parent = spawn(process.execPath, ["--conditions=@treadle/source", "--input-type=module", "-e", operator], {
      stdio: ["pipe", "ignore", "inherit"],
    });
    await life.begun();
    parent.stdin.end("exit");
    expect(await once(parent, "exit")).toEqual([0, null]);
    await life.ended();
  });

  test("leaves no listener behind", async () => {
    const before = process.listenerCount("exit");
    const { signal } = new AbortController();
    await run(scripts.add("early", "exit 3"), { signal });
    expect(process.listenerCount("exit")).toBe(before);
  });
});

describe("standard error", () => {
  const hide = (text: string): string => text.replaceAll("secret", "[hidden]");

  test("is shown without what is hidden", () => {
    expect(shownStderr({ text: "Error: secret\n", isCut: false }, hide)).toBe("Error: [hidden]");
  });

  test("is shown by its last 64 KiB", () => {
    const shown = shownStderr({ text: `${"x".repeat(100_000)} the end`, isCut: false }, hide);
    expect(shown).toHaveLength(64 * 1024);
    expect(shown).toMatch(/ the end$/);
  });

  test("shows nothing from the place where it was cut, which may be in the middle of a secret", () => {
    const shown = shownStderr({ text: `cret ${"x".repeat(100)}`, isCut: true }, hide);
    expect(shown).toBe("x".repeat(52));
  });

  test.skipIf(process.platform === "win32")("of a program that writes much is kept by its end", async () => {
    const end = await run(scripts.add("noisy", "head -c 3000000 /dev/zero >&2; echo the end >&2; exit 1"));
    expect(end).toMatchObject({ type: "exited", code: 1, stderr: { isCut: true, text: expect.stringMatching(/the end\n$/) } });
    expect(end.type === "exited" && end.stderr.text.length).toBe(128 * 1024);
  });
});
