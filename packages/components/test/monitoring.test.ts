/** The alerts and the dashboard in docs/monitoring name metrics and labels that an operator with components serves. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@treadle/apimachinery";
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { expect, test } from "vitest";
import { WebApp, webApp } from "./web-app.ts";

const FILES = ["components-alerts.yaml", "components-dashboard.json"] as const;
const read = (file: string): Promise<string> => readFile(join(import.meta.dirname, "../../../docs/monitoring", file), "utf8");

/** The names of metrics that an operator with components serves, by their TYPE lines. */
async function servedNames(): Promise<ReadonlySet<string>> {
  const server = createApiServer({ clock: systemClock, resources: [WebApp] });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const manager = createManager({
    client: (wish) => createClient({ ...wish, transport: server.transport(), clock: systemClock }),
    host: "127.0.0.1",
    metrics: { port: 0, conditions: "each" },
    probes: false,
    signals: false,
    log,
  });
  manager.add(webApp);
  await manager.start();
  try {
    const text = await (await fetch(`${manager.addresses.metrics?.url}/metrics`)).text();
    return new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name));
  } finally {
    await manager.stop();
    await server.close();
  }
}

test("each metric that the alerts and the dashboard name exists", async () => {
  const served = await servedNames();
  for (const file of FILES) {
    const names = [...(await read(file)).matchAll(/\b(?:treadle|controller_runtime|workqueue)_[a-z_]+/g)].map(([name]) => name);
    expect(names.length, file).toBeGreaterThan(3);
    const unknown = names.filter((name) => !served.has(name.replace(/_(?:bucket|sum|count)$/, "")) && !served.has(name));
    expect(unknown, file).toEqual([]);
  }
});
