/** The programs as processes: exit codes, signals, closed pipes. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";

const bin = (name: string): string => join(import.meta.dirname, "..", "src", `${name}-bin.ts`);

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program; `during` gets the process. */
function run(name: string, args: readonly string[], during: (child: ReturnType<typeof spawn>) => void = () => undefined): Promise<Ended> {
  const child = spawn(process.execPath, ["--conditions=@treadle/source", bin(name), ...args], {
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
