import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { type Clock, type FakeClock, fakeClock } from "@treadle/apimachinery";
import { hostOf, isRenderLater, type RenderHost } from "@treadle/dependents/unstable/render";
import { isTerminalError } from "@treadle/reconcile";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { notStarted } from "./find.ts";
import { HELM, KUSTOMIZE, ProgramFailed, Programs, type ProgramCall } from "./programs.ts";
import { PrivateFolder } from "./temporary.ts";
import { Scripts } from "../../test/scripts.ts";

let scripts: Scripts;
let folder: PrivateFolder;
let clock: FakeClock;
const { signal } = new AbortController();

beforeEach(() => {
  scripts = new Scripts();
  folder = new PrivateFolder(() => scripts.dir);
  clock = fakeClock();
});

afterEach(async () => {
  await folder.close();
  scripts[Symbol.dispose]();
});

function programs(env: Record<string, string>, timeoutClock?: Clock): Programs {
  return new Programs({ clock, folder, env, ...(timeoutClock && { timeoutClock }) });
}

function host(key = "a", given: Partial<RenderHost> = {}): RenderHost {
  return { ...hostOf({}), key, clock, ...given };
}

function run(all: Programs, call: Partial<ProgramCall> & { readonly program?: typeof HELM; readonly host?: RenderHost } = {}) {
  const { program = HELM, host: from = host(), ...rest } = call;
  return all.inSlot(from, (ran) => ran(program, { args: ["template"], signal, ...rest }));
}

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const asked = (): number => readFileSync(scripts.path("asked"), "utf8").length;

describe.skipIf(process.platform === "win32")("a program", () => {
  test("that fails is an error with its exit code, whose texts show nothing that it wrote", async () => {
    const TREADLE_HELM = scripts.addProgram("helm", "v4.3.1", 'echo "Error: in values: pass and word" >&2; echo word; exit 7');
    const error = await failure(run(programs({ TREADLE_HELM }), { host: host("a", { hide: (text) => text.replaceAll("word", "***") }) }));
    expect(error).toBeInstanceOf(ProgramFailed);
    expect(error).toMatchObject({
      program: "helm",
      exitCode: 7,
      stderr: "Error: in values: pass and ***",
      message: "helm v4.3.1 ended with 7",
    });
    expect(`${inspect(error)} ${JSON.stringify(error)}`).not.toMatch(/pass|word/);
  });

  test("gets nothing of the environment of the operator, and a HOME that is removed", async () => {
    const TREADLE_HELM = scripts.addProgram("helm", "v3.22.0", 'env >&2; ls -A "$HOME" "$TMPDIR" >&2; pwd >&2; exit 1');
    const env = {
      TREADLE_HELM,
      KUBECONFIG: "/kubeconfig",
      KUBERNETES_SERVICE_HOST: "10.0.0.1",
      HELM_PLUGINS: "/plugins",
      PASSWORD: "x",
      HTTPS_PROXY: "http://proxy",
    };
    const error = await failure(run(programs(env)));
    const stderr = error instanceof ProgramFailed ? error.stderr : "";
    const names = [...stderr.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect(names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name ?? "")).toSorted()).toEqual([
      "GIT_ALLOW_PROTOCOL",
      "HELM_CACHE_HOME",
      "HELM_CONFIG_HOME",
      "HELM_DATA_HOME",
      "HELM_NO_PLUGINS",
      "HELM_PLUGINS",
      "HOME",
      "HTTPS_PROXY",
      "HTTP_PROXY",
      "KUSTOMIZE_PLUGIN_HOME",
      "PATH",
      "TMPDIR",
      "XDG_CACHE_HOME",
      "XDG_CONFIG_HOME",
      "XDG_DATA_HOME",
    ]);
    const made = (await folder.make("x")).path.replace(/x-\d+$/, "");
    for (const name of ["HOME", "TMPDIR", "HELM_PLUGINS", "HELM_CACHE_HOME"])
      expect(stderr).toMatch(new RegExp(`^${name}=${made}helm-\\d+/`, "m"));
    // No file was left by the run, in the folder where it ran.
    expect(stderr.slice(stderr.lastIndexOf("\n"))).toMatch(new RegExp(`${made}helm-\\d+$`));
  });

  test("that does not end is ended after 30 s, which its version does not count into", async () => {
    const life = scripts.life();
    const timeoutClock = fakeClock();
    const TREADLE_HELM = scripts.addProgram("helm", "v4.3.1", `${life.open}\nsleep 600`);
    const failed = failure(run(programs({ TREADLE_HELM }, timeoutClock)));
    await life.begun();
    await timeoutClock.advance(30_000);
    expect(await failed).toMatchObject({ code: "TooSlow", message: expect.stringContaining("helm v4.3.1 ran for more than 30 s") });
    await life.ended();
  });

  test("that writes 100 MB is ended at 64 MiB", async () => {
    const TREADLE_HELM = scripts.addProgram("helm", "v4.3.1", "head -c 100000000 /dev/zero");
    expect(await failure(run(programs({ TREADLE_HELM })))).toMatchObject({
      code: "TooMuchOutput",
      message: "helm v4.3.1 wrote more than 64 MiB and was ended",
    });
  });

  test("is killed with the signal of the pass, and its slot is free again", async () => {
    const TREADLE_HELM = scripts.addProgram("helm", "v4.3.1", 'case "$1" in fail) exit 1;; esac\nexec 3>"$1"\nsleep 600');
    const all = programs({ TREADLE_HELM });
    const lives = ["one", "two"].map((name) => ({ life: scripts.life(name), path: scripts.path(name) }));
    const controller = new AbortController();
    const failed = lives.map(({ path }, index) => failure(run(all, { host: host(`${index}`), args: [path], signal: controller.signal })));
    for (const { life } of lives) await life.begun();
    controller.abort(new Error("deadline"));
    for (const each of await Promise.all(failed)) expect(each).toMatchObject({ message: "deadline" });
    for (const { life } of lives) await life.ended();
    expect(await failure(run(all, { args: ["fail"] }))).toBeInstanceOf(ProgramFailed);
  });

  test("runs in a test without an operator", async () => {
    const TREADLE_HELM = scripts.addProgram("helm", "v4.3.1", "exit 4");
    expect(await failure(run(programs({ TREADLE_HELM }), { host: hostOf({}) }))).toMatchObject({ exitCode: 4 });
  });
});

describe.skipIf(process.platform === "win32")("slots of programs", () => {
  test("let two programs run, and serve the passes that wait in their order", async () => {
    const TREADLE_HELM = scripts.addProgram("helm", "v4.3.1", 'exec 3>"$1"\nsleep 600');
    const all = programs({ TREADLE_HELM });
    const woken: string[] = [];
    const from = (key: string): RenderHost => host(key, { waker: () => (cause) => void woken.push(`${key}: ${cause}`) });
    const runs = ["a", "b"].map((key) => {
      const controller = new AbortController();
      const life = scripts.life(key);
      return { controller, life, failed: failure(run(all, { host: from(key), args: [scripts.path(key)], signal: controller.signal })) };
    });
    for (const { life } of runs) await life.begun();
    for (const key of ["c", "d", "c"]) expect(isRenderLater(await failure(run(all, { host: from(key) })))).toBe(true);
    expect(woken).toEqual([]);
    runs[1]?.controller.abort(new Error("stopped"));
    await runs[1]?.failed;
    expect(woken).toEqual(["c: a program can run"]);
    // The slot is kept for `c`.
    expect(isRenderLater(await failure(run(all, { host: from("e") })))).toBe(true);
    runs[0]?.controller.abort(new Error("stopped"));
    await runs[0]?.failed;
    expect(woken).toEqual(["c: a program can run", "d: a program can run"]);
    for (const { life } of runs) await life.ended();
  });

  test("are held by a renderer for all of its programs", async () => {
    const TREADLE_HELM = scripts.addProgram("helm", "v4.3.1", "exit 1");
    const all = programs({ TREADLE_HELM });
    const twice = all.inSlot(host("a"), async (ran) => {
      const other = all.inSlot(host("b"), async () => await failure(all.inSlot(host("c"), async () => "never")));
      expect(isRenderLater(await other)).toBe(true);
      return [await failure(ran(HELM, { args: [], signal })), await failure(ran(HELM, { args: [], signal }))];
    });
    for (const error of await twice) expect(error).toBeInstanceOf(ProgramFailed);
  });
});

describe.skipIf(process.platform === "win32")("a program is found", () => {
  test("in PATH, whose relative folders do not count", async () => {
    scripts.addProgram("helm", "v3.8.0", "exit 5");
    expect(await failure(run(programs({ PATH: `relative:/nothing:${scripts.dir}` })))).toMatchObject({ exitCode: 5 });
  });

  test("as kubectl where there is no kustomize, with the command that kubectl has", async () => {
    scripts.addProgram("kubectl", '{ "kustomizeVersion": "v5.8.1" }', 'echo "$@" >&2; exit 1');
    const call = { program: KUSTOMIZE, args: ["build", "folder"] };
    const error = await failure(run(programs({ PATH: scripts.dir }), call));
    expect(error).toMatchObject({ program: "kubectl", stderr: "kustomize folder", message: "kubectl kustomize v5.8.1 ended with 1" });
    expect(await failure(run(programs({ TREADLE_KUSTOMIZE: scripts.path("kubectl") }), call))).toMatchObject({
      stderr: "kustomize folder",
    });
    scripts.addProgram("kustomize", "{kustomize/v5.0.0 2023-02-02 }", 'echo "$@" >&2; exit 1');
    expect(await failure(run(programs({ PATH: scripts.dir }), call))).toMatchObject({ program: "kustomize", stderr: "build folder" });
  });

  test("and asked for its version once, until its file is replaced", async () => {
    const TREADLE_HELM = scripts.addProgram("helm", "v4.3.1+g1234567", "exit 1");
    const all = programs({ TREADLE_HELM });
    await Promise.all([failure(run(all, { host: host("a") })), failure(run(all, { host: host("b") }))]);
    await failure(run(all));
    expect(asked()).toBe(1);
    scripts.addProgram("helm", "v4.10.12", "exit 2 # another");
    expect(await failure(run(all))).toMatchObject({ message: "helm v4.10.12 ended with 2" });
    expect(asked()).toBe(2);
  });

  test("a minute after it was missing, when it is there then", async () => {
    const all = programs({ PATH: scripts.dir });
    const first = await failure(run(all));
    expect(first).toMatchObject({ code: "ProgramMissing" });
    scripts.addProgram("helm", "v4.3.1", "exit 1");
    await clock.advance(59_999);
    expect(await failure(run(all))).toBe(first);
    await clock.advance(1);
    expect(await failure(run(all))).toBeInstanceOf(ProgramFailed);
  });

  test.for([
    { name: "is not in PATH", env: () => ({ PATH: scripts.dir }), want: "there is no helm in PATH" },
    { name: "has no PATH", env: () => ({}), want: "there is no helm in PATH" },
    { name: "is named by a relative path", env: () => ({ TREADLE_HELM: "bin/helm" }), want: "TREADLE_HELM=bin/helm is no absolute path" },
    {
      name: "does not exist",
      env: () => ({ TREADLE_HELM: "/nothing/helm", PATH: "/usr/bin" }),
      want: "TREADLE_HELM=/nothing/helm does not exist",
    },
    { name: "is a folder", env: () => ({ TREADLE_HELM: scripts.dir }), want: "is no file" },
    { name: "is not executable", env: () => ({ TREADLE_HELM: scripts.add("helm", "", 0o644) }), want: "is not executable by the operator" },
    {
      name: "is too old",
      env: () => ({ TREADLE_HELM: scripts.addProgram("helm", "v3.7.2", "") }),
      want: "has Helm v3.7.2, and Helm 3.8 or later, or 4 is needed",
    },
    { name: "is too new", env: () => ({ TREADLE_HELM: scripts.addProgram("helm", "v5.0.0", "") }), want: "has Helm v5.0.0" },
    {
      name: "is another program",
      env: () => ({ TREADLE_HELM: scripts.add("helm", "echo hello") }),
      want: "version --short` prints no version of Helm",
    },
    {
      name: "cannot report its version",
      env: () => ({ TREADLE_HELM: scripts.add("helm", "exit 127") }),
      want: "version --short` ends with 127",
    },
    {
      name: "writes without an end",
      env: () => ({ TREADLE_HELM: scripts.add("helm", "exec cat /dev/zero") }),
      want: "does not stop writing",
    },
  ])("or reported with its variable and the docs when it $name", async ({ env, want }) => {
    const error = await failure(run(programs(env())));
    expect(isTerminalError(error)).toBe(true);
    expect(error).toMatchObject({ code: "ProgramMissing", message: expect.stringContaining(want) });
    expect(error).toMatchObject({ message: expect.stringMatching(/set TREADLE_HELM: see "Programs" in docs\/generators\.md$/) });
  });

  test("and asked for its version again after a signal has ended it, such as without memory: it is not missing", async () => {
    const TREADLE_HELM = scripts.add("helm", "kill -9 $$");
    const all = programs({ TREADLE_HELM });
    const error = await failure(run(all));
    expect(error).toMatchObject({ message: expect.stringMatching(/for its version: SIGKILL ended it$/) });
    expect(isTerminalError(error)).toBe(false);
    scripts.addProgram("helm", "v4.3.1", "exit 1");
    expect(await failure(run(all))).toBeInstanceOf(ProgramFailed);
  });

  test("or reported for Kustomize with its own variable", async () => {
    scripts.addProgram("kustomize", "v4.5.7", "");
    const error = await failure(run(programs({ PATH: scripts.dir }), { program: KUSTOMIZE }));
    expect(error).toMatchObject({ code: "ProgramMissing", message: expect.stringMatching(/has Kustomize v4\.5\.7.*TREADLE_KUSTOMIZE/) });
  });

  test.for([
    { code: "EAGAIN", isTerminal: false },
    { code: "EMFILE", isTerminal: false },
    { code: "ETXTBSY", isTerminal: false },
    { code: "ENOEXEC", isTerminal: true },
    { code: "EACCES", isTerminal: true },
  ])("but not started: $code is terminal: $isTerminal", ({ code, isTerminal }) => {
    const error = notStarted(HELM, "/bin/helm", Object.assign(new Error("spawn"), { code }));
    expect(isTerminalError(error)).toBe(isTerminal);
    expect(error.message).toContain(code);
  });
});
