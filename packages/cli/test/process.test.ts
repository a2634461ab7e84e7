/** The programs as processes: exit codes, signals, closed pipes. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const bin = (name: string): string => join(import.meta.dirname, "..", "src", `${name}-bin.ts`);

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program; `during` gets the process. */
function run(
  name: string,
  args: readonly string[],
  during: (child: ReturnType<typeof spawn>) => void = () => undefined,
  nodeFlags: readonly string[] = [],
): Promise<Ended> {
  const child = spawn(process.execPath, ["--conditions=@treadle/source", ...nodeFlags, bin(name), ...args], {
    env: { PATH: process.env["PATH"], HOME: "/nowhere", FORCE_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = { out: "", err: "" };
  child.stdout.on("data", (text) => void (ended.out += String(text)));
  child.stderr.on("data", (text) => void (ended.err += String(text)));
  during(child);
  return new Promise((done) => child.once("close", (code, signal) => done({ code, signal, ...ended })));
}

test("the plugin of kubectl names itself in its help", async () => {
  expect(await run("kubectl-treadle", ["tree", "--help"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("kubectl treadle tree deployment/web"),
    err: "",
  });
});

test("kubectl gets the completions of its plugin, as cobra writes them", async () => {
  expect(await run("kubectl-complete-treadle", ["explain", "pod/a", "--output", ""])).toMatchObject({
    code: 0,
    out: "json\n:4\n",
    err: "",
  });
});

test("a wrong argument ends with 2, without a stack", async () => {
  const { code, out, err } = await run("treadle", ["explain", "web"]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(/^treadle: "web" names no object;.*\n$/);
});

test("SIGINT ends a program that waits for the server with 130, at once and without a message", async () => {
  const asked = Promise.withResolvers<void>();
  const server = createServer(() => asked.resolve());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  try {
    const { port } = server.address() as AddressInfo; // It listens on a port.
    const ended = run("treadle", ["tree", "pod/a", "--watch", "--server", `http://127.0.0.1:${port}`], (child) => {
      void asked.promise.then(() => child.kill("SIGINT"));
    });
    expect(await ended).toEqual({ code: 130, signal: null, out: "", err: "" });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("a closed pipe is no failure", async () => {
  const { code, err } = await run("treadle", ["--help"], (child) => child.stdout?.destroy());
  expect([code, err]).toEqual([0, ""]);
});

describe("programs of a user", () => {
  let dir: string;
  beforeAll(() => void (dir = mkdtempSync(join(import.meta.dirname, "..", ".results-process-"))));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const written = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };

  test("graph ends although the module holds a timer, and what the module prints is not in the chart", async () => {
    written(
      "widget.ts",
      `import { kind } from "treadle";\nexport const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });`,
    );
    const module = written(
      "main.ts",
      `
import { createManager, handler, step } from "treadle";
import { Widget } from "./widget.ts";
console.log("hello");
setInterval(() => {}, 1000);
await createManager().add(handler(Widget).step(step(Widget, { name: "s" })).build()).run();
`,
    );
    const { code, out, err } = await run("treadle", ["graph", module]);
    expect([code, err]).toEqual([0, "hello\n"]);
    expect(out).toMatch(/^flowchart TD\n  subgraph h1\["handler widgets\.example\.dev/);
  });

  test("graph names file and line of the module that throws, which another one imports", async () => {
    written("broken.ts", `export const x: number = 1;\n\nthrow new Error("boom");`);
    const module = written("imports-broken.ts", `import "./broken.ts";`);
    const { code, out, err } = await run("treadle", ["graph", module]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^treadle: cannot load .*imports-broken\.ts: boom\n  at .*broken\.ts:3:7\n$/);
  });

  test.for(["graph", "check"])("SIGINT ends %s while a module waits in its import", async (command) => {
    const module = written("waits.ts", `console.log("waiting");\nawait new Promise((done) => setTimeout(done, 1e6));`);
    const ended = run("treadle", [command, module], (child) => child.stderr?.once("data", () => child.kill("SIGINT")));
    expect(await ended).toMatchObject({ code: 130, out: "" });
  });

  test("build writes a program that runs by Node alone", async () => {
    const entry = written("hello.ts", `console.log("built" as string);`);
    const { code, out, err } = await run("treadle", ["build", entry, "--out", join(dir, "dist")]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/hello\.mjs: \d+ files, .* with V8's code for Node/);
    expect(execFileSync(process.execPath, [join(dir, "dist", "hello.mjs")], { encoding: "utf8" })).toBe("built\n");
  });

  test("build ends with 1 for a program that cannot be built", async () => {
    const entry = written("missing.ts", `import "./nothing.ts";`);
    const { code, err } = await run("treadle", ["build", entry, "--out", join(dir, "other")]);
    expect(code).toBe(1);
    expect(err).toMatch(/^treadle build: .*missing\.ts:1: /);
  });
});

test("--help loads neither the bundler nor the engine", async () => {
  const hook = `import { registerHooks } from "node:module";
registerHooks({ resolve(name, context, next) { const found = next(name, context); process.stderr.write(found.url + "\\n"); return found; } });`;
  const hooks = `data:text/javascript,${encodeURIComponent(hook)}`;
  const { code, err } = await run("treadle", ["--help"], undefined, [`--import=${hooks}`]);
  expect(code).toBe(0);
  expect(err).toMatch(/cli\/src\/program\.ts/);
  // The version of Node is checked before anything is loaded.
  const loaded = err.replace(/.*apimachinery\/src\/unstable\/node-version\.ts\n/, "");
  expect(loaded).not.toMatch(/rolldown|build-operator|packages\/(controller|reconcile|client|apimachinery)/);
});

test.for(["launch.ts", "treadle-bin.ts", "kubectl-treadle-bin.ts", "kubectl-complete-treadle-bin.ts"])(
  "%s has no import that an old Node cannot load",
  (name) => {
    const text = readFileSync(join(import.meta.dirname, "..", "src", name), "utf8");
    const allowed = /^(@treadle\/apimachinery\/unstable\/node-version|\.\/launch\.ts)$/;
    expect([...text.matchAll(/^import .* from "(.*)";$/gm)].filter(([, from = ""]) => !allowed.test(from))).toEqual([]);
  },
);

test.runIf(process.platform === "linux")("a full disk is a failure, and no short output", () => {
  const full = openSync("/dev/full", "w");
  try {
    const args = ["--conditions=@treadle/source", bin("treadle"), "--help"];
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ["ignore", full, "pipe"], encoding: "utf8" });
    expect([status, stderr]).toEqual([2, "treadle: cannot write the output: the disk is full\n"]);
  } finally {
    closeSync(full);
  }
});

describe("a program that ends the process while it is loaded", () => {
  const folder = mkdtempSync(join(import.meta.dirname, "..", ".results-foreign-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.for([
    { name: "process.exit(0)", code: "process.exit(0);", says: "process.exit(0) while it was loaded" },
    { name: "an await without an end", code: "await new Promise(() => {});", says: "never finishes loading" },
    {
      name: "an exception in a timer",
      code: 'setTimeout(() => { throw new Error("late"); }, 0); await new Promise((done) => setTimeout(done, 1000));',
      says: "failed while it was loaded: late",
    },
    {
      name: "a rejection that nobody handles",
      code: 'Promise.reject(new Error("lost")); await new Promise((done) => setTimeout(done, 1000));',
      says: "failed while it was loaded: lost",
    },
  ])("by $name fails every command, with a message and without a stack", async ({ code, says }, { task }) => {
    const module = join(folder, `${task.id}.mjs`);
    writeFileSync(module, code);
    for (const command of ["check", "graph"]) {
      const ended = await run("treadle", [command, module]);
      expect(ended).toMatchObject({ code: 2, out: "", err: expect.stringContaining(says) });
      expect(ended.err).not.toMatch(/^ +at .*node:/m);
    }
  });
});
