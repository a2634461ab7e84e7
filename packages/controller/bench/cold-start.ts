/**
 * From the start of the process to the end of the first pass, and memory at rest, of an operator with an in-cluster
 * configuration against the in-memory server over HTTPS. It runs what is built (`npm run check -- build`), as in a container. Run by
 * `npm run bench`.
 */
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { Widget } from "./programs/kind.ts";

const root = new URL("../../..", import.meta.url).pathname;
execFileSync("turbo", ["run", "build", "--filter=@treadle/controller", "--filter=@treadle/apiserver", "--output-logs=errors-only"], {
  cwd: root,
  stdio: "inherit",
});

const server = createApiServer({ resources: [Widget] });
const token = "bench-token";
const front = await serveHttps(server, { auth: { token } });
const user = createClient({ transport: server.transport(), fieldManager: "user" });
for (let i = 0; i < 20; i++)
  await user.create(Widget, { metadata: { name: `w${i}`, namespace: "default" }, spec: { size: i, text: "x".repeat(800) } });
const directory = await mkdtemp(join(tmpdir(), "treadle-"));
await Promise.all([writeFile(join(directory, "token"), token), writeFile(join(directory, "ca.crt"), front.caPem)]);
const { hostname, port } = new URL(front.url);

const times: number[] = [];
let rest: NodeJS.MemoryUsage | undefined;
for (let run = 0; run < 5; run++) {
  const startedAt = performance.now();
  const child = fork(new URL("./programs/cold.mjs", import.meta.url), {
    execArgv: [],
    env: {
      PATH: process.env["PATH"],
      HOME: directory,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      SERVICE_ACCOUNT: directory,
    },
  });
  await once(child, "message");
  times.push(performance.now() - startedAt);
  if (run === 4) {
    await sleep(5_000);
    child.send("rest");
    [rest] = (await once(child, "message")) as [NodeJS.MemoryUsage];
  }
  child.disconnect();
  await once(child, "exit");
}
times.sort((a, b) => a - b);
console.log(`start of the process to the end of the first pass: ${times.map((ms) => `${ms.toFixed(0)} ms`).join(", ")} (goal 500)`);
const megabytes = (bytes = 0): string => (bytes / 2 ** 20).toFixed(0);
console.log(
  `at rest: ${megabytes(rest?.rss)} MB resident (goal 110), heap ${megabytes(rest?.heapUsed)} of ${megabytes(rest?.heapTotal)} MB, external ${megabytes(rest?.external)} MB`,
);
await front.close();
await server.close();
await rm(directory, { recursive: true });
