/** kill -9 of a plugin before, in and after each call, with real processes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fixtureProgram, nodeProgram, processesWith, started } from "./programs.ts";

const signal = new AbortController().signal;

/** A plugin that kills itself in a call if its folder has a file with the name of the call. It notes that it was asked to end. */
const MORTAL = `{
  describe: () => lethal("describe", { ...fixture.DESCRIPTION, version: String(process.pid) }),
  plan: () => lethal("plan", fixture.PLAN),
  check: () => lethal("check", { status: "SERVING" }),
  shutdown: () => fs.writeFileSync("asked", "") ?? lethal("shutdown", {}),
}`;
const LETHAL = `import fs from "node:fs";
  const lethal = (call, answer) => (fs.existsSync(call) ? process.kill(process.pid, "SIGKILL") && new Promise(() => {}) : answer);`;

const owner = { apiVersion: "example.com/v1", kind: "Capability", metadata: { name: "db", namespace: "default" } };
const request = { type: "postgresql", version: "", owner, parameters: {}, live: [] };

const CASES = (["describe", "plan", "check", "shutdown"] as const).flatMap((call) =>
  (["before", "in", "after"] as const).map((when) => ({ call, when })),
);

test.for(CASES)("kill -9 of a plugin $when $call ends the connection, and leaves no process and no folder", async ({ call, when }) => {
  const file = await fixtureProgram(MORTAL, LETHAL);
  const connection = await started(file);
  const pid = Number((await connection.describe(signal)).version);
  const folder = await readlink(`/proc/${pid}/cwd`);
  const calls = {
    describe: () => connection.describe(signal),
    plan: () => connection.plan(request, signal),
    check: () => connection.check(signal),
    shutdown: () => connection.close(),
  };
  if (when === "before") process.kill(pid, "SIGKILL");
  if (when === "in") await writeFile(join(folder, call), "");
  const answer = calls[call]().then(
    () => "answered",
    (error: unknown) => error,
  );
  if (when === "after") {
    if (call === "shutdown") await expect.poll(() => readdir(folder)).toContain("asked");
    else expect(await answer).toBe("answered");
    process.kill(pid, "SIGKILL");
  }
  // The request to end is answered by the end, in whatever way.
  if (when !== "after") expect(await answer).toEqual(call === "shutdown" ? "answered" : expect.objectContaining({ code: "Away" }));
  expect(await connection.ended).toBe("the process was ended by SIGKILL");
  await expect(connection.plan(request, signal)).rejects.toMatchObject({ code: "Away" });
  await connection.close();
  expect(await processesWith(file)).toEqual([]);
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});

test("a launcher whose host reads nothing more removes the folder of a plugin that ends", async () => {
  const file = await nodeProgram("setTimeout(() => process.exit(0), 200);");
  const folder = await mkdtemp(join(tmpdir(), "treadle-test-"));
  const launcher = fileURLToPath(new URL("../src/process/launcher.ts", import.meta.url));
  const child = spawn(process.execPath, [launcher, file, folder], { detached: true, stdio: ["pipe", "ignore", "ignore", "pipe"] });
  child.stdio[3]?.destroy();
  await once(child, "exit");
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});
