/** What a program loads: certificates and metrics are loaded when they are used. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Returns the URLs of the modules that the code loads. */
function loadedBy(code: string): readonly string[] {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    ${code}
    console.log(JSON.stringify(loaded));`;
  const args = ["--conditions=@treadle/source", "--input-type=module", "-e", script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname }));
}

const HEAVY = /@peculiar|reflect-metadata|prom-client|fast-check/;

test("the package loads no library for certificates, metrics or tests", () => {
  const loaded = loadedBy(`await import("@treadle/webhooks");`);
  expect(loaded.some((url) => url.includes("webhook-server"))).toBe(true);
  expect(loaded.filter((url) => HEAVY.test(url))).toEqual([]);
});

test("an operator without webhooks loads nothing of them, also when it has run", { timeout: 60_000 }, () => {
  const loaded = loadedBy(`
    const { createManager } = await import("@treadle/controller");
    const { createClient } = await import("@treadle/client");
    const transport = { request: async () => ({ status: 200, headers: {}, body: "{}" }), close: async () => {} };
    const manager = createManager({ client: (wish) => createClient({ ...wish, transport }), probes: false, signals: false, logLevel: "silent", metrics: { port: 0 } });
    await manager.start();
    await manager.stop();`);
  expect(loaded.some((url) => url.includes("prom-client"))).toBe(true);
  expect(loaded.filter((url) => /packages\/webhooks|@peculiar|reflect-metadata/.test(url))).toEqual([]);
});
