/**
 * The program between the host and a plugin: `node launcher <plugin> <folder>`. It leads the process group of the plugin. When its stdin
 * closes, because the host ended in whatever way, it kills the group. It relays nothing: the plugin has its stdout and stderr.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

/** Time in which the end of the host is seen, in milliseconds. A host that lives ends the rest of the group itself. */
const HOST_END_MS = 200;

const [file = "", folder = ""] = process.argv.slice(2);
// The stdin of the plugin stays open as long as the launcher lives: a plugin may end by it.
const child = spawn(file, [], { stdio: ["pipe", "inherit", "inherit"], windowsHide: true });
child.stdin.on("error", () => undefined);
child.on("error", (error: NodeJS.ErrnoException) => {
  process.stderr.write(`the program cannot be executed: ${error.code ?? error.message}\n`);
  process.exitCode = 126;
  process.stdin.destroy();
});
child.on("exit", (code, signal) => {
  // A plugin may end because the host has ended, and this program may see that a moment later. Then what the plugin started must end too.
  setTimeout(() => {
    if (signal === null) process.exit(code ?? 1);
    process.kill(process.pid, signal);
  }, HOST_END_MS);
});
process.stdin.on("error", end).on("close", end).resume();

function end(): void {
  if (child.pid === undefined) return;
  child.kill("SIGKILL");
  try {
    // The host cannot do it any more.
    rmSync(folder, { recursive: true, force: true });
  } finally {
    process.kill(process.platform === "win32" ? process.pid : -process.pid, "SIGKILL");
  }
}
