import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withConfigFile } from "./config-file.ts";

let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "treadle-config-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const manager = { handlers: [], runnables: [], namespaces: ["a"], probes: { port: 1 } } as const;

test("the settings of a file win over the options of a manager, and the environment counts for nothing", async () => {
  const configFile = join(dir, "config.yaml");
  writeFileSync(configFile, "namespaces: [b]\nmetrics: false\ngracefulShutdownMs: 5000\n");
  process.env["TREADLE_GRACEFUL_SHUTDOWN_MS"] = "1";
  try {
    expect(await withConfigFile({ ...manager, configFile })).toMatchObject({
      namespaces: ["b"],
      metrics: false,
      gracefulShutdownMs: 5000,
      probes: { port: 1 },
      handlers: [],
    });
  } finally {
    delete process.env["TREADLE_GRACEFUL_SHUTDOWN_MS"];
  }
});

test("a manager without a file is returned as it is", async () => expect(await withConfigFile(manager)).toBe(manager));

test("a file that cannot be read is refused with its name", async () => {
  await expect(withConfigFile({ ...manager, configFile: join(dir, "no.yaml") })).rejects.toThrow(/cannot read .*no\.yaml/);
});
