import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./src/compare/test-repository.ts";

// Windows has no signals.
test.skipIf(process.platform === "win32").for(["SIGINT", "SIGTERM"] as const)(
  "a comparison that %s ends leaves no checkout behind",
  { timeout: 60_000 },
  async (signal) => {
    const source = repository();
    // A setup that says that it runs, and does not end.
    const marker = join(source.dir, "started");
    const hangs = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(marker)}, ""); setInterval(() => {}, 1000);`;
    source.commit({ "tools/bootstrap.mjs": hangs });
    const args = ["--conditions=@treadle/source", join(import.meta.dirname, "compare.ts"), "HEAD"];
    const child = spawn(process.execPath, args, { cwd: source.dir, stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    const exit = once(child, "exit");
    await expect.poll(() => existsSync(marker)).toBe(true);
    expect(source.git("worktree", "list").split("\n")).toHaveLength(2);
    child.kill(signal);
    expect(await exit, output).toEqual([1, null]);
    expect(source.git("worktree", "list").split("\n")).toHaveLength(1);
  },
);
