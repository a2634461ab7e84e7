/**
 * A host whose folder has real programs, and an operator on the in-memory server. Virtual time moves only while no call of a plugin is on its
 * way, except for calls that hang on purpose.
 */
import { chmod, mkdtemp, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeClock, fakeClock } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { Registry } from "prom-client";
import { startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import type { Connection, PluginSource } from "../src/connection.ts";
import { CapabilityInfo, folder, type GrantedKinds, type PluginHost, pluginHost } from "../src/index.ts";
import { Capability, capability } from "./stage.ts";
import { processesWith } from "./programs.ts";

export interface FaultStage extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly operator: TestOperator;
  readonly clock: FakeClock;
  /** The folder of the plugins. */
  readonly folder: string;
  /** What hangs on purpose, such as `pg plan`: time moves meanwhile. */
  readonly hanging: Set<string>;
  /** What is on its way. */
  readonly pending: ReadonlySet<string>;
  /** Writes a program, and returns when the host has seen it. */
  put(name: string, content: string, mode?: number): Promise<void>;
  /** Removes a program, and returns when its processes have ended. */
  remove(name: string): Promise<void>;
  /** The processes of a plugin without those of launchers. */
  pids(name: string): Promise<readonly number[]>;
  /** Lets time pass in steps of a second, and waits for calls in between. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until it holds. */
  until(holds: () => boolean | Promise<boolean>, what: string): Promise<void>;
  own(name: string): Promise<void>;
  set(name: string, parameters: object): Promise<void>;
  /** A condition of an owner, as `status reason: message`. */
  condition(name: string, type: string): Promise<string>;
  /** The data of the ConfigMaps of an owner, by name. */
  maps(name: string): Promise<Record<string, unknown>>;
  /** The messages of CapabilityInfos, by name. */
  infos(): Promise<Record<string, string>>;
  /** The metrics of plugins, as Prometheus reads them. */
  metrics(): Promise<string>;
  /** All log lines, as JSON. */
  logs(): string;
  /** The folders that plugins have now. */
  folders(): Promise<readonly string[]>;
}

/** A program on `fixture-plugin.ts` whose name, and whose type, is `name`. `plan` and the like are code of its options. */
export function program(name: string, options = "", before = ""): string {
  const fixture = JSON.stringify(new URL("./fixture-plugin.ts", import.meta.url).href);
  return nodeScript(`import * as fixture from ${fixture};
const described = { ...fixture.DESCRIPTION, name: ${JSON.stringify(name)}, types: [{ name: ${JSON.stringify(name)}, versions: [], parameterSchema: Buffer.alloc(0) }] };
const map = (id, more = {}) => ({ id, object: Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", ...more })) });
const objects = (...dependents) => ({ dependents: { dependents } });
const parametersOf = (request) => JSON.parse(request.parameters.toString());
const good = (request) => objects(map("a", { data: { value: String(parametersOf(request).value ?? "") } }));
const hang = () => new Promise(() => {});
${before}
await fixture.serveFixture({ describe: () => described, plan: (_, request) => good(request), ${options} });`);
}

export function nodeScript(body: string): string {
  return `#!${process.execPath} --conditions=@treadle/source\n${body}\n`;
}

const key = (name: string) => ({ name, namespace: "default" });

export async function faultStage(
  granted: Readonly<Record<string, GrantedKinds>>,
  sources: readonly PluginSource[] = [],
): Promise<FaultStage> {
  const clock = fakeClock();
  const temporary = process.env["TMPDIR"];
  const home = await realpath(await mkdtemp(join(tmpdir(), "tf-")));
  const [place, work] = [await mkdtemp(join(home, "p-")), await mkdtemp(join(home, "w-"))];
  process.env["TMPDIR"] = work;
  const pending = new Set<string>();
  const hanging = new Set<string>();
  const seen: string[] = [];
  const cluster = await startTestCluster({ clock, kinds: [CapabilityInfo, Capability, ConfigMap], checkStatus: false });
  const traced = traceOf(folder(place), { pending, seen });
  const plugins = pluginHost({ from: [traced, ...sources], kinds: granted });
  const capabilities = handler(Capability).step(conditions()).step(plugins.step(Capability)).build();
  const registry = new Registry();
  const measured: PluginHost = { ...plugins, start: (signal, env) => plugins.start(signal, { ...env, metrics: async () => registry }) };
  const operator = await cluster.start(capabilities, { runnables: [measured], controller: { sources: [plugins.source] } });
  const logs = (): string => operator.logs.map((line) => JSON.stringify(line)).join("\n");
  const isIdle = (): boolean => [...pending].every((each) => hanging.has(each));
  const idle = async (): Promise<void> => {
    const end = performance.now() + 10_000;
    while (!isIdle()) {
      // A program that does not end is killed when time moves.
      if (performance.now() > end - 8_000 && [...pending].every((each) => hanging.has(each) || each.includes(" close"))) return;
      if (performance.now() > end) throw new Error(`still on their way: ${[...pending].join(", ")}; ${logs().slice(-2_000)}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const stage: FaultStage = {
    cluster,
    operator,
    clock,
    folder: place,
    hanging,
    pending,
    logs,
    async put(name, content, mode = 0o755) {
      const [from, before, known] = [join(home, name), seen.length, logs().split(reported(name)).length];
      await writeFile(from, content);
      await chmod(from, mode);
      await rename(from, join(place, name));
      const isSeen = (): boolean => seen.includes(`offer ${name}`, before) || logs().split(reported(name)).length > known;
      await stage.until(isSeen, `${name} is seen`);
    },
    async remove(name) {
      const before = seen.length;
      const wasPlugin = seen.findLast((each) => each.endsWith(` ${name}`))?.startsWith("offer") === true;
      await rm(join(place, name), { force: true });
      if (wasPlugin) await stage.until(() => seen.includes(`withdraw ${name}`, before), `${name} is withdrawn`);
      await stage.until(async () => (await processesWith(join(place, name))).length === 0, `${name} has no process`);
    },
    async pids(name) {
      const all = await processesWith(join(place, name));
      const launchers = await processesWith("/launcher.ts");
      return all.filter((pid) => !launchers.includes(pid));
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= 1_000) {
        await idle();
        await cluster.advance(Math.min(left, 1_000));
        for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
      }
      await idle();
    },
    async until(holds, what) {
      const end = performance.now() + 20_000;
      while (!(await holds())) {
        if (performance.now() > end)
          throw new Error(`not within 20 s: ${what}; on their way: ${[...pending].join(", ")}; ${logs().slice(-2_000)}`);
        await stage.pass(1_000);
      }
    },
    async own(name) {
      await cluster.create(Capability, capability(name, { type: name }) as never);
    },
    async set(name, parameters) {
      await cluster.client.patch(Capability, key(name), { type: "merge", body: { spec: { parameters } } });
    },
    async condition(name, type) {
      const live = await cluster.client.get(Capability, key(name));
      const found = live?.status?.conditions?.find((each) => each.type === type);
      return `${found?.status} ${found?.reason}: ${found?.message}`;
    },
    async maps(name) {
      const { items } = await cluster.client.list(ConfigMap, { namespace: "default" });
      return Object.fromEntries(
        items
          .filter(({ metadata }) => metadata.annotations?.["capabilities.test.treadle.dev/owner"] === `Capability default/${name}`)
          .map(({ metadata, data }) => [metadata.name, data?.["value"]]),
      );
    },
    async infos() {
      const { items } = await cluster.client.list(CapabilityInfo);
      return Object.fromEntries(
        items.map(({ metadata, status }) => [metadata.name, `${status?.state}: ${status?.conditions?.[0]?.message}`]),
      );
    },
    metrics: () => registry.metrics(),
    folders: async () => (await readdir(work)).filter((name) => name.startsWith("treadle-plugin-")),
    async [Symbol.asyncDispose]() {
      // Real processes need real time to end; stop() moves virtual time.
      for (const name of await readdir(place)) await stage.remove(name);
      await cluster.stop();
      if (temporary === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = temporary;
      await rm(home, { recursive: true, force: true });
    },
  };
  return stage;
}

/** The beginning of the message about a file that is not used. */
const reported = (name: string): string => `/${name} is not used as a plugin: `;

interface Trace {
  readonly pending: Set<string>;
  readonly seen: string[];
}

/** A source whose calls and reports are noted. */
function traceOf(source: PluginSource, { pending, seen }: Trace): PluginSource {
  let nth = 0;
  const noted = async <T>(label: string, run: () => Promise<T>): Promise<T> => {
    // Two calls of one plugin may be on their way.
    const each = pending.has(label) ? `${label} ${(nth += 1)}` : label;
    pending.add(each);
    try {
      return await run();
    } finally {
      pending.delete(each);
    }
  };
  const tracedConnection = (name: string, connection: Connection): Connection => ({
    protocol: connection.protocol,
    ended: connection.ended,
    describe: (signal) => noted(`${name} describe`, () => connection.describe(signal)),
    plan: (request, signal) => noted(`${name} plan`, () => connection.plan(request, signal)),
    check: (signal) => noted(`${name} check`, () => connection.check(signal)),
    close: () => noted(`${name} close`, () => connection.close()),
  });
  return {
    title: source.title,
    start: (env, signal) =>
      source.start(
        {
          ...env,
          offer(origin) {
            const { name } = origin;
            seen.push(`offer ${name}`);
            const connect: typeof origin.connect = (connectEnv, limit) =>
              noted(`${name} connect`, async () => tracedConnection(name, await origin.connect(connectEnv, limit)));
            env.offer({ ...origin, connect });
          },
          withdraw(name) {
            seen.push(`withdraw ${name}`);
            env.withdraw(name);
          },
        },
        signal,
      ),
  };
}
