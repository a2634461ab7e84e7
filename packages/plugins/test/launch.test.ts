import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeClock } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { PluginError } from "../src/plugin-error.ts";
import type { PlanRequest } from "../src/wire/messages.ts";
import { fixtureProgram, memoryLog, nodeProgram, processesWith, programFile, started } from "./programs.ts";

const signal = new AbortController().signal;
const request: PlanRequest = {
  type: "postgresql",
  version: "",
  owner: { apiVersion: "example.com/v1", kind: "Capability", metadata: { name: "db", namespace: "default" } },
  parameters: {},
  live: [],
};

const handshake = (line: string) => () => nodeProgram(`console.log(${JSON.stringify(line)}); setInterval(() => {}, 1e6);`);
const CERTIFICATE = "bm90IGEgY2VydGlmaWNhdGU";

test.for<{ name: string; program: () => Promise<string>; message: string; code?: string }>([
  { name: "a text file", program: () => programFile("just a text\n"), message: "not a program for this system" },
  { name: "a file without the right to execute", program: () => programFile("#!/bin/sh\n", { mode: 0o644 }), message: "chmod 755" },
  { name: "a missing file", program: () => Promise.resolve("/nowhere/plugin"), message: "does not exist" },
  { name: "a program for another processor", program: () => programFile(elf(8)), message: "before it served; check that" },
  { name: "a damaged program", program: () => programFile(elf(process.arch === "arm64" ? 183 : 62)), message: "before it served" },
  { name: "a script without its interpreter", program: () => programFile("#!/nowhere/python\n"), message: "cannot be executed" },
  {
    name: "a program that asks for another cookie",
    program: () => nodeProgram(`console.error("This is a plugin. PASSWORD=hunter2"); process.exit(1);`),
    message: "ended with code 1 before it served; check that",
  },
  {
    name: "a program that is killed in its start",
    program: () => nodeProgram(`process.kill(process.pid, "SIGKILL");`),
    message: "SIGKILL",
  },
  { name: "garbage before the handshake", program: handshake("hello\n1|1|unix|/a|grpc|x"), message: `is "hello", not a handshake` },
  { name: "garbage after the handshake", program: handshake(`1|1|unix|/a|grpc|${CERTIFICATE}|x y|z`), message: "not a handshake" },
  { name: "an empty first line", program: handshake("\n1|1|unix|/a|grpc|x"), message: `is "", not a handshake` },
  {
    name: "output without a newline",
    program: () => nodeProgram(`process.stdout.write("x".repeat(70_000)); setInterval(() => {}, 1e6);`),
    message: "65536 bytes without a handshake line",
  },
  {
    name: "another core protocol",
    program: handshake("2|1|unix|/a|grpc|x"),
    message: "version 2 of go-plugin's protocol",
    code: "Refused",
  },
  { name: "another application protocol", program: handshake("1|5|unix|/a|grpc|x"), message: "application protocol 5", code: "Refused" },
  { name: "net/rpc", program: handshake("1|1|unix|/a|netrpc|x"), message: `protocol "netrpc"`, code: "Refused" },
  { name: "another network", program: handshake("1|1|udp|/a|grpc|x"), message: `network "udp"` },
  { name: "a port that is open to others", program: handshake("1|1|tcp|0.0.0.0:80|grpc|x"), message: "127.0.0.1" },
  { name: "no certificate", program: handshake("1|1|unix|/a|grpc|"), message: "no certificate" },
  { name: "an unreadable certificate", program: handshake(`1|1|unix|/a|grpc|${CERTIFICATE}`), message: "cannot be read" },
  {
    name: "another certificate than that of the server",
    program: () => fixtureProgram("{ hasOtherCertificate: true }"),
    message: "certificate",
  },
])("$name is refused with what to do, and no process is left", async ({ program, message, code = "NotStarted" }) => {
  const file = await program();
  const { log, lines } = memoryLog();
  const error = await started(file, { log }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PluginError);
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(error).toMatchObject({ message: expect.stringContaining(`"fixture"`) });
  expect(JSON.stringify([lines, String(error)])).not.toContain("hunter2");
  expect(await processesWith(file)).toEqual([]);
});

test("a program whose code cannot be read is refused with the place and the error", async () => {
  const file = await nodeProgram("const a = 1;\nconst = ;");
  const error = await started(file).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringMatching(/It wrote: .*:\d+ \/ const = ; \/ \^ \/ SyntaxError: /) });
});

test("a program without a handshake is ended after 60 s", async () => {
  const clock = fakeClock();
  const file = await nodeProgram("setInterval(() => {}, 1e6);");
  const start = started(file, { clock }).catch((thrown: unknown) => thrown);
  await expect.poll(() => clock.nextDue()).toBeDefined();
  await expect.poll(() => processesWith(file)).toHaveLength(2);
  await clock.advance(60_000);
  expect(await start).toMatchObject({ code: "NotStarted", message: expect.stringContaining("within 60 s") });
  expect(await processesWith(file)).toEqual([]);
});

test.for(["{}", `{ network: "tcp" }`])("a plugin with %s is described, plans, is healthy and ends", async (options) => {
  const file = await fixtureProgram(options);
  const connection = await started(file);
  expect(await connection.describe(signal)).toMatchObject({ name: "fixture", types: [{ parameterSchema: { type: "object" } }] });
  expect(await connection.plan(request, signal)).toEqual({
    type: "dependents",
    dependents: [{ id: "a", object: { apiVersion: "v1", kind: "Secret" }, config: { updated: false }, state: undefined }],
  });
  await connection.check(signal);
  await connection.close();
  await connection.close();
  expect(await connection.ended).toBe("the process ended with code 0");
  expect(await processesWith(file)).toEqual([]);
  await expect(connection.check(signal)).rejects.toMatchObject({ code: "Away" });
});

test("a plugin gets the allowed variables and a private folder, which is removed", async () => {
  process.env["TREADLE_TEST_NAMED"] = "named";
  process.env["TREADLE_TEST_OTHER"] = "other";
  onTestFinished(() => {
    delete process.env["TREADLE_TEST_NAMED"];
    delete process.env["TREADLE_TEST_OTHER"];
  });
  const seen = `JSON.stringify({ names: Object.keys(process.env).sort(), cwd: process.cwd(), mode: fs.statSync(".").mode & 0o777 })`;
  const failing = `{ describe: () => ({ ...fixture.DESCRIPTION, version: ${seen} }) }`;
  const connection = await started(await fixtureProgram(failing, `import fs from "node:fs";`), { envNames: ["TREADLE_TEST_NAMED"] });
  const { names, cwd, mode } = JSON.parse((await connection.describe(signal)).version) as { names: string[]; cwd: string; mode: number };
  const allowed = ["HOME", "PATH", "TMPDIR", "TZ"].filter((name) => process.env[name] !== undefined);
  const own = ["CLIENT_CERT", "MAX_PORT", "MIN_PORT", "PROTOCOL_VERSIONS", "UNIX_SOCKET_DIR"].map((name) => `PLUGIN_${name}`);
  expect(names).toEqual([...allowed, ...own, "TREADLE_PLUGIN", "TREADLE_TEST_NAMED"].sort());
  expect(mode).toBe(0o700);
  await connection.close();
  await expect(readdir(cwd)).rejects.toThrow("ENOENT");
});

test("a plugin that is killed in a call is away", async () => {
  const connection = await started(await fixtureProgram(`{ plan: () => process.kill(process.pid, "SIGKILL") && new Promise(() => {}) }`));
  await expect(connection.plan(request, signal)).rejects.toMatchObject({ code: "Away", retry: "never" });
  expect(await connection.ended).toBe("the process was ended by SIGKILL");
  await expect(connection.plan(request, signal)).rejects.toMatchObject({ code: "Away" });
});

test("a plugin that closes its server and lives is ended after 2 s", async () => {
  const clock = fakeClock();
  const file = await fixtureProgram("{ plan: (server) => server.forceShutdown() }", "setInterval(() => {}, 1e6);");
  const connection = await started(file, { clock });
  await expect(connection.plan(request, signal)).rejects.toMatchObject({ code: "Away" });
  await expect.poll(() => clock.nextDue()).toBeDefined();
  await clock.advance(2_000);
  expect(await connection.ended).toBe("the process was ended by SIGKILL");
  await expect.poll(() => processesWith(file)).toEqual([]);
});

test("a plugin ends with its launcher", async () => {
  const file = await fixtureProgram();
  const connection = await started(file);
  const own = await processesWith(file);
  const [launcher] = (await processesWith("/launcher.ts")).filter((pid) => own.includes(pid));
  if (launcher === undefined) throw new Error("no launcher");
  process.kill(launcher, "SIGKILL");
  expect(await connection.ended).toBe("the process was ended by SIGKILL");
  await expect.poll(() => processesWith(file)).toEqual([]);
});

test("a call that takes more than 10 s is too slow, and the next call is answered", async () => {
  const clock = fakeClock();
  const connection = await started(await fixtureProgram(`{ plan: ((n) => () => (n++ === 0 ? new Promise(() => {}) : fixture.PLAN))(0) }`), {
    clock,
  });
  const slow = connection.plan(request, signal).catch((error: unknown) => error);
  await clock.advance(10_000);
  expect(await slow).toMatchObject({ code: "TooSlow", message: expect.stringContaining("within 10 s") });
  const abort = new AbortController();
  expect(await connection.plan(request, abort.signal)).toMatchObject({ type: "dependents" });
  abort.abort(new Error("late"));
  await expect(connection.plan(request, abort.signal)).rejects.toMatchObject({ code: "TooSlow", cause: abort.signal.reason });
});

test("a plugin that does not end is killed after 2 s", async () => {
  const clock = fakeClock();
  const connection = await started(await fixtureProgram("{ shutdown: () => ({}) }"), { clock });
  const closed = connection.close();
  await clock.advance(1_999);
  expect(await Promise.race([connection.ended, connection.check(signal)])).toBeUndefined();
  await clock.advance(1);
  expect(await connection.ended).toBe("the process was ended by SIGKILL");
  await closed;
});

test.for([
  { name: "a zero message", plan: "() => ({})", code: "InvalidAnswer", message: "it has no answer" },
  {
    name: "more than 4 MiB",
    plan: `() => ({ dependents: { dependents: [{ id: "a", object: Buffer.alloc(5e6) }] } })`,
    code: "InvalidAnswer",
    message: "4 MiB",
  },
  { name: "an exception", plan: `() => { throw new Error("token=hunter2") }`, code: "PlanFailed", message: "status 2" },
])("an answer with $name is the error $code", async ({ plan, code, message }) => {
  const connection = await started(await fixtureProgram(`{ plan: ${plan} }`));
  const error = await connection.plan(request, signal).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  expect(String(error)).not.toContain("hunter2");
  await connection.check(signal);
});

test("an owner of more than 4 MiB is not sent, with a message", async () => {
  const connection = await started(await fixtureProgram());
  const owner = { ...request.owner, data: "x".repeat(5e6) };
  const error = await connection.plan({ ...request, owner }, signal).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "InvalidAnswer", message: expect.stringContaining("the owner and its live objects") });
});

/** Starts a host of the program in a folder for temporary files. The test removes both. */
async function hostOf(file: string, call = ""): Promise<{ readonly host: ChildProcess; readonly temporary: string }> {
  const temporary = await mkdtemp(join(tmpdir(), "th-"));
  const env = { ...process.env, TMPDIR: temporary };
  const options = { execArgv: ["--conditions=@treadle/source"], silent: true, env };
  const host = fork(new URL("./fake-host.ts", import.meta.url), [file, call], options);
  onTestFinished(async () => {
    host.kill("SIGKILL");
    await rm(temporary, { recursive: true, force: true });
  });
  return { host, temporary };
}

async function leavesNothing(file: string, temporary: string): Promise<void> {
  await expect.poll(() => processesWith(file), { timeout: 5_000 }).toEqual([]);
  await expect.poll(() => readdir(temporary), { timeout: 5_000 }).toEqual([]);
}

test("kill -9 of the host leaves no process and no folder after 5 s", async () => {
  const file = await fixtureProgram("{ describe: () => ({ ...fixture.DESCRIPTION, version: String(process.pid) }) }");
  const { host, temporary } = await hostOf(file);
  await once(host, "message");
  expect(await processesWith(file)).toHaveLength(3);
  host.kill("SIGKILL");
  await leavesNothing(file, temporary);
});

test.for([
  { processes: 2, what: "its launcher" },
  { processes: 3, what: "the program" },
])("kill -9 of the host in the start of $what leaves no process and no folder after 5 s", async ({ processes }) => {
  const file = await nodeProgram("setInterval(() => {}, 1e6);");
  const { host, temporary } = await hostOf(file);
  while ((await processesWith(file)).length < processes) expect(host.exitCode).toBeNull();
  host.kill("SIGKILL");
  await leavesNothing(file, temporary);
});

test("kill -9 of the host in a call leaves no process and no folder after 5 s", async () => {
  const begun = `{ describe: () => ({ ...fixture.DESCRIPTION, version: String(process.pid) }),
    plan: () => fs.writeFileSync("called", "") ?? new Promise(() => {}) }`;
  const file = await fixtureProgram(begun, `import fs from "node:fs";`);
  const { host, temporary } = await hostOf(file, "plan");
  const [folder] = (await once(host, "message")) as [string];
  await expect.poll(() => readdir(folder)).toContain("called");
  host.kill("SIGKILL");
  await leavesNothing(file, temporary);
});

test("kill -9 of the host leaves no helper of a plugin that ends with the host", async () => {
  const helper = `spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", process.argv[1]], { stdio: "ignore" });
    process.stderr.on("error", () => process.exit(1)); setInterval(() => process.stderr.write("x"), 0);`;
  const file = await fixtureProgram(
    "{ describe: () => ({ ...fixture.DESCRIPTION, version: String(process.pid) }) }",
    `import { spawn } from "node:child_process"; ${helper}`,
  );
  const { host, temporary } = await hostOf(file);
  await once(host, "message");
  expect(await processesWith(file)).toHaveLength(4);
  host.kill("SIGKILL");
  await leavesNothing(file, temporary);
});

test("a helper of a plugin that ends while its host is blocked does not survive a kill -9 of that host", async () => {
  const helper = `spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", process.argv[1]], { stdio: "ignore" });`;
  const plan = `plan: () => { setTimeout(() => process.exit(0), 300); return fixture.PLAN; }`;
  const file = await fixtureProgram(
    `{ describe: () => ({ ...fixture.DESCRIPTION, version: String(process.pid) }), ${plan} }`,
    `import { spawn } from "node:child_process"; ${helper}`,
  );
  const { host, temporary } = await hostOf(file, "block");
  await once(host, "message");
  // The host answers no event any more. It is ended when the program has ended, and its launcher.
  await expect.poll(async () => (await processesWith(file)).length, { timeout: 5_000 }).toBeLessThan(3);
  host.kill("SIGKILL");
  await leavesNothing(file, temporary);
});

test("a plugin that logs without end blocks neither the host nor itself", async () => {
  const flood = `const line = ("x".repeat(99) + "\\n").repeat(650);
    const more = () => { while (process.stderr.write(line)); process.stderr.once("drain", more); }; setTimeout(more, 50);`;
  const { log, lines } = memoryLog();
  const connection = await started(await fixtureProgram("{}", flood), { log });
  const heap = process.memoryUsage().rss;
  for (let i = 0; i < 50; i++) await connection.plan(request, signal);
  await connection.close();
  expect(process.memoryUsage().rss - heap).toBeLessThan(100e6);
  expect(lines.at(-1)).toMatchObject({ level: "warn", text: expect.stringContaining("logs too much") });
});

/** The header of a 64-bit program for a machine, and nothing else. */
function elf(machine: number): Uint8Array {
  const header = new Uint8Array(64);
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header[16] = 2;
  header[18] = machine;
  return header;
}
