/**
 * The program between the host and a plugin: `node launcher <plugin> <folder>`. It leads the process group of the plugin. When the plugin ends,
 * it writes why to the file descriptor 3. Then, and when its stdin closes because the host ended in whatever way, it removes the folder and
 * kills the group: the host may be busy, and end before it can do that. It relays nothing: the plugin has its stdout and stderr.
 */
import { spawn } from "node:child_process";
import { rmSync, writeSync } from "node:fs";

const [file = "", folder = ""] = process.argv.slice(2);
// The stdin of the plugin stays open as long as the launcher lives: a plugin may end by it.
const child = spawn(file, [], { stdio: ["pipe", "inherit", "inherit"], windowsHide: true });
child.stdin.on("error", () => undefined);
child.on("error", (error: NodeJS.ErrnoException) => end(`the program cannot be executed: ${error.code ?? error.message}`));
child.on("exit", (code, signal) => end(signal === null ? `the process ended with code ${code}` : `the process was ended by ${signal}`));
process.stdin
  .on("error", () => end())
  .on("close", () => end())
  .resume();

function end(why = ""): void {
  child.kill("SIGKILL");
  try {
    writeSync(3, why);
  } catch {
    // The host has ended.
  }
  try {
    rmSync(folder, { recursive: true, force: true });
  } finally {
    process.kill(process.platform === "win32" ? process.pid : -process.pid, "SIGKILL");
  }
}
