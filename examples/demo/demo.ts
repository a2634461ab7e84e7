/**
 * `npm run demo`: two operators reconcile over HTTP against an API server in this process. The demo installs nothing and
 * leaves nothing behind. It checks every claim that it prints. The exit code is 1 when a claim does not hold.
 *
 * `npm run demo -- --keep` keeps servers, operators and objects until Ctrl-C.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rwExternal } from "@treadle-examples/rw-external/controller";
import { RWExternal } from "@treadle-examples/rw-external/rw-external";
import { simple } from "@treadle-examples/simple/controller";
import { Simple } from "@treadle-examples/simple/simple";
import { createApiServer, serveHttp, serveHttps } from "@treadle/apiserver";
import { type Client, connect, createManager, crdOf, type Kind } from "treadle";
import { CustomResourceDefinition } from "treadle/kinds";
import { Feed } from "./feed.ts";
import { rwExternalStory } from "./rw-external-story.ts";
import { simpleStory } from "./simple-story.ts";

const unknown = process.argv.slice(2).filter((argument) => argument !== "--keep");
if (unknown.length > 0) {
  console.error(`demo: unknown argument ${unknown.join(" ")}; the only one is --keep, which keeps the demo running`);
  process.exit(2);
}
const keep = process.argv.includes("--keep");
const HUNDRED_BY_SEVEN = {
  apiVersion: "examples.treadle.dev/v1beta1",
  kind: "Simple",
  metadata: { name: "hundred-by-seven" },
  spec: { dividend: 100, divisor: 7 },
};
const out = new Feed(process.stdout);
const startedMs = performance.now();

const server = createApiServer();
const http = await serveHttp(server);
out.title("An API server, in memory");
out.line(`listens on ${http.url}`);

const user = await connectTo(http.url);
for (const kind of [Simple, RWExternal]) {
  await user.create(CustomResourceDefinition, crdOf(kind));
  out.line(`has the CRD ${crdOf(kind).metadata.name}, made from the code`);
}

out.title("An operator of two handlers, connected to it over HTTP");
const manager = createManager({
  client: () => connectTo(http.url),
  namespaces: ["default"],
  // The lines of every operator: on a terminal they have colours.
  logFormat: "pretty",
  probes: { port: 0, host: "127.0.0.1" },
  metrics: { port: 0, host: "127.0.0.1" },
  onPass: () => out.pass(),
});
manager.add(simple);
manager.add(rwExternal);
await manager.start();
out.line(`health ${manager.addresses.probes?.url}/readyz, metrics ${manager.addresses.metrics?.url}/metrics`);
const watches = [await show(Simple), await show(RWExternal)];

try {
  const stage = { client: user, out, keep, settled: () => manager.settled() };
  await simpleStory(stage);
  await rwExternalStory(stage);
  out.title(out.failures === 0 ? `All ${out.checks} checks hold` : `${out.failures} of ${out.checks} checks do not hold`);
  out.line(`after ${((performance.now() - startedMs) / 1000).toFixed(1)} s, ${out.passes} passes`);
  if (keep && out.failures === 0) await untilInterrupted();
} finally {
  for (const stop of watches) stop();
  await manager.stop();
  await user.close();
  await http.close();
  await server.close();
}
process.exitCode = out.failures === 0 ? 0 : 1;

/** Prints every change of the objects of a kind, from the events that `kubectl --watch` gets as well. */
async function show(kind: Kind): Promise<() => void> {
  const ended = new AbortController();
  const events = await user.watch(kind, { signal: ended.signal });
  void (async () => {
    try {
      for await (const event of events) if (event.type !== "BOOKMARK" && event.type !== "ERROR") out.object(event.type, event.object);
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    }
  })();
  return () => ended.abort();
}

async function connectTo(url: string): Promise<Client> {
  return await connect({ config: { source: "demo", server: url, credentials: () => ({}) } });
}

async function untilInterrupted(): Promise<void> {
  // kubectl sends credentials over TLS only, and asks for a name and a password if the kubeconfig has none.
  const https = await serveHttps(server, { auth: { token: randomUUID() } });
  const dir = await mkdtemp(join(tmpdir(), "treadle-demo-"));
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, https.kubeconfig(), { mode: 0o600 });
  out.title("The demo keeps running; Ctrl-C ends it");
  out.line(`curl ${http.url}/apis/examples.treadle.dev/v1beta1/namespaces/default/simples`);
  out.line(`kubectl --kubeconfig ${kubeconfig} patch simple by-zero --type=merge --patch '{"spec":{"divisor":5}}'`);
  out.line(`kubectl --kubeconfig ${kubeconfig} create -f - <<< '${JSON.stringify(HUNDRED_BY_SEVEN)}'`);
  out.line(`kubectl --kubeconfig ${kubeconfig} get simples,rwexternals --watch-only`);
  // This timer keeps the process running, so that neither sockets nor the operator's timers have to.
  const alive = setInterval(() => {}, 2 ** 30);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  clearInterval(alive);
  out.title("Stopping");
  await https.close();
  await rm(dir, { recursive: true, force: true });
}
