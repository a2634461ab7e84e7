/** The program `treadle-apiserver`, as a user starts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const PROGRAM = fileURLToPath(new URL("../src/apiserver-bin.ts", import.meta.url));
const started = new Set<ChildProcess>();

let dir = "";
let kubeconfig = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "apiserver-bin-"));
  kubeconfig = join(dir, "kubeconfig");
});
afterEach(async () => {
  for (const child of started) child.kill("SIGKILL");
  started.clear();
  await rm(dir, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function run(...args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  // npm sets INIT_CWD to the folder of its own call, which is another one in scripts: paths are relative to the working directory.
  const env = { ...process.env, INIT_CWD: tmpdir() };
  const child = spawn(process.execPath, ["--conditions=@treadle/source", PROGRAM, ...args], { cwd: dir, env, stdio: "pipe" });
  started.add(child);
  const texts = { out: "", err: "" };
  child.stdout.on("data", (text: Buffer) => (texts.out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (texts.err += text.toString()));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...texts })); // the event's first argument
  return { child, ended };
}

test("--help prints the usage to stdout", async () => {
  const { code, out, err } = await run("--help").ended;
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("usage: npx treadle-apiserver --port N --kubeconfig FILE [--crds DIR] [--workloads]");
});

test.for<readonly [args: string, said: string]>([
  ["--kubeconfig k --unknown", "--unknown"],
  ["--port 6443", "--kubeconfig FILE is missing"],
  ["--kubeconfig k --port 6443x", "--port 6443x is not a port (0 to 65535)"],
])("the arguments %j end with 2, and stderr has the problem and the usage", async ([args, said]) => {
  const { code, out, err } = await run(...args.split(" ")).ended;
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err.split("\n")[0]).toContain(said);
  expect(err).toContain("usage: npx treadle-apiserver");
});

test.for<readonly [problem: string, args: string, said: readonly string[]]>([
  ["a folder that does not exist", "--kubeconfig k --crds missing", ["missing: it, or its folder, does not exist", "Name a folder"]],
  ["a file as the folder", "--kubeconfig k --crds broken/a.yaml", ["a.yaml: it is not a folder", "Name a folder"]],
  ["a file that is no YAML", "--kubeconfig k --crds broken", ["a.yaml: yaml: ", "line 2", "Correct the file"]],
  ["a kubeconfig in no folder", "--kubeconfig no/folder/k", ["no/folder/k: it, or its folder, does not exist", "Name a file"]],
  ["a kubeconfig that is a folder", "--kubeconfig broken", ["broken for the kubeconfig: it is a folder", "Name a file"]],
  ["a kubeconfig that another program wrote", "--kubeconfig broken/a.yaml", ["a.yaml for the kubeconfig: it exists", "Name another file"]],
])("%s ends it with 1, and one line says what to do", async ([, args, said]) => {
  await mkdir(join(dir, "broken"));
  await writeFile(join(dir, "broken/a.yaml"), "a: [\n");
  const { code, out, err } = await run(...args.split(" ")).ended;
  expect({ code, out }).toEqual({ code: 1, out: "" });
  for (const part of ["treadle-apiserver: ", ...said]) expect(err).toContain(part);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
});

test("a port in use ends it with 1, and leaves no kubeconfig", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo; // it listens on TCP
  const { code, err } = await run("--kubeconfig", "k", "--port", String(port)).ended;
  taken.close();
  expect({ code, err }).toEqual({
    code: 1,
    err: `treadle-apiserver: port ${port} of 127.0.0.1 is in use: choose another, or 0 for a free one\n`,
  });
  expect(existsSync(join(dir, "k"))).toBe(false);
});

test.for(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s ends it with 0, and removes the kubeconfig", async (signal) => {
  const { child, ended } = run("--kubeconfig", kubeconfig);
  await once(child.stdout ?? child, "data");
  expect(await readFile(kubeconfig, "utf8")).toContain("https://127.0.0.1:");
  child.kill(signal);
  const { code, out, err } = await ended;
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`ended by ${signal}, ${kubeconfig} is removed`);
  expect(existsSync(kubeconfig)).toBe(false);
});

test("it runs on when its input and its output are closed", async () => {
  const { child, ended } = run("--kubeconfig", kubeconfig);
  child.stdin?.end();
  await once(child.stdout ?? child, "data");
  child.stdout?.destroy();
  child.stderr?.destroy();
  const [, port = ""] = /127\.0\.0\.1:(\d+)/.exec(await readFile(kubeconfig, "utf8")) ?? [];
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
  child.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0 });
  expect(existsSync(kubeconfig)).toBe(false);
});
