/**
 * `npm run demo`: the operator of this folder at work, over HTTP, against an API server in this process. Nothing has to be
 * installed and nothing is left behind. Every claim that it prints is checked; the exit code is 1 when one does not hold.
 *
 * `npm run demo -- --keep` leaves server and operator up until Ctrl-C.
 */
import { randomUUID } from "node:crypto";
import { readFile, rm, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createApiServer, serveHttp, serveHttps } from "@treadle/apiserver";
import { type Client, connect, createManager, crdOf, isInvalid } from "treadle";
import { CustomResourceDefinition } from "treadle/kinds";
import { parse } from "yaml";
import { simple } from "./controller.ts";
import { Feed } from "./demo-output.ts";
import { Simple } from "./simple.ts";

const unknown = process.argv.slice(2).filter((argument) => argument !== "--keep");
if (unknown.length > 0) {
  console.error(`demo: unknown argument ${unknown.join(" ")}; the only one is --keep, which leaves it up`);
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
await user.create(CustomResourceDefinition, crdOf(Simple));
out.line(`has the CRD ${crdOf(Simple).metadata.name}, made from examples/simple/simple.ts`);

out.title("An operator, connected to it over HTTP");
const manager = createManager({
  client: () => connectTo(http.url),
  logLevel: "warn",
  probes: { port: 0, host: "127.0.0.1" },
  metrics: { port: 0, host: "127.0.0.1" },
  onPass: (report) => out.pass(report),
});
manager.add(simple);
await manager.start();
out.line(`health ${manager.addresses.probes?.url}/readyz, metrics ${manager.addresses.metrics?.url}/metrics`);
const stopWatching = await watchObjects(user);

try {
  await story(user);
  out.title(out.failures === 0 ? `All ${out.checks} checks hold` : `${out.failures} of ${out.checks} checks do not hold`);
  out.line(`after ${((performance.now() - startedMs) / 1000).toFixed(1)} s, ${out.passes} passes`);
  if (keep && out.failures === 0) await untilInterrupted();
} finally {
  stopWatching();
  await manager.stop();
  await user.close();
  await http.close();
  await server.close();
}
process.exitCode = out.failures === 0 ? 0 : 1;

/** What a user does, and what must come of it. */
async function story(client: Client): Promise<void> {
  out.title("A good object");
  await createFrom(client, "good.yaml");
  await out.expect("17 / 5 = 3, remainder 2, and it is Ready", () =>
    statusIs(client, "seventeen-by-five", { quotient: 3, remainder: 2, ready: "True" }),
  );

  out.title("An object that breaks the schema");
  await out.expect("the API server refuses it: the operator never sees it", async () => {
    try {
      await createFrom(client, "refused.yaml");
      return "it was accepted";
    } catch (error) {
      if (!isInvalid(error)) throw error;
      out.line(error.message);
      return true;
    }
  });

  out.title("An object that the schema allows and arithmetic does not");
  await createFrom(client, "bad.yaml");
  await out.expect("it is not Ready, and has no quotient", () => statusIs(client, "by-zero", { ready: "False" }));
  await manager.settled();
  const before = out.passes;
  await out.expect("nothing is tried again until the spec changes", async () => {
    await quiet();
    return out.passes === before || `${out.passes - before} more passes`;
  });

  out.title("The user mends it");
  await client.patch(Simple, { namespace: "default", name: "by-zero" }, { type: "merge", body: { spec: { divisor: 4 } } });
  await out.expect("42 / 4 = 10, remainder 2, and it is Ready", () =>
    statusIs(client, "by-zero", { quotient: 10, remainder: 2, ready: "True" }),
  );

  out.title("The user breaks the good one");
  await client.patch(Simple, { namespace: "default", name: "seventeen-by-five" }, { type: "merge", body: { spec: { divisor: 0 } } });
  await out.expect("what does not hold any more is gone from its status", () => statusIs(client, "seventeen-by-five", { ready: "False" }));

  if (keep) return;
  out.title("The user deletes both");
  for (const name of ["seventeen-by-five", "by-zero"]) await client.delete(Simple, { namespace: "default", name });
  await out.expect("they are gone: there is nothing to clean up, so no finalizer holds them", async () => {
    const { items } = await client.list(Simple);
    return items.length === 0 || `${items.length} are still there`;
  });
}

async function createFrom(client: Client, file: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, "manifests", file), "utf8");
  out.line(`create manifests/${file}`);
  await client.create(Simple, parse(text));
}

/** True when the operator has answered the present spec, and as expected; else what is there instead. */
async function statusIs(
  client: Client,
  name: string,
  want: { readonly quotient?: number; readonly remainder?: number; readonly ready: string },
): Promise<true | string> {
  const object = await client.get(Simple, { namespace: "default", name });
  const { quotient, remainder, conditions = [], observedGeneration } = object?.status ?? {};
  const ready = conditions.find(({ type }) => type === "Ready")?.status;
  if (observedGeneration !== object?.metadata.generation) return "the operator has not answered yet";
  const got = { ...(quotient === undefined ? {} : { quotient }), ...(remainder === undefined ? {} : { remainder }), ready };
  return isDeepStrictEqual(got, want) || `it says ${JSON.stringify(got)}`;
}

/** Shows every object as it changes, from the events that kubectl --watch gets too. */
async function watchObjects(client: Client): Promise<() => void> {
  const ended = new AbortController();
  const events = await client.watch(Simple, { signal: ended.signal });
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

/** Longer than the first delays of every back-off: what would be tried again, has been. */
async function quiet(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 300));
}

async function untilInterrupted(): Promise<void> {
  // kubectl sends credentials over TLS only, and asks for a name and a password where a kubeconfig has none.
  const https = await serveHttps(server, { auth: { token: randomUUID() } });
  const dir = await mkdtemp(join(tmpdir(), "treadle-demo-"));
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, https.kubeconfig(), { mode: 0o600 });
  out.title("It stays up; Ctrl-C ends it");
  out.line(`curl ${http.url}/apis/examples.treadle.dev/v1beta1/namespaces/default/simples`);
  out.line(`kubectl --kubeconfig ${kubeconfig} patch simple by-zero --type=merge --patch '{"spec":{"divisor":5}}'`);
  // Without kubectl's own validation, for which kubectl wants an OpenAPI document; the server validates all the same.
  out.line(`kubectl --kubeconfig ${kubeconfig} create --validate=false -f - <<< '${JSON.stringify(HUNDRED_BY_SEVEN)}'`);
  out.line(`kubectl --kubeconfig ${kubeconfig} get simples --watch`);
  // Neither the servers' sockets nor the operator's timers must be what keeps the process up.
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
