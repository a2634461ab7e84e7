/** Options from file and environment: which one wins, and what is refused. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { handler, step } from "@treadle/reconcile";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ManagerOptions } from "../src/index.ts";
import { mergeSettings } from "../src/settings/settings.ts";
import { settingsOfEnvironment, settingsOfFile } from "../src/settings/sources.ts";
import { SETTINGS, variableOf } from "../src/settings/table.ts";
import { startWorld, Widget, widget } from "./world.ts";

async function file(text: string, name = "config.yaml"): Promise<string> {
  const folder = await mkdtemp(`${tmpdir()}/treadle-settings-`);
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(`${folder}/${name}`, text);
  return `${folder}/${name}`;
}

const idling = handler(Widget)
  .step(step(Widget, { name: "idle", do() {} }))
  .build();

describe("the environment wins over the file, and the file over the code", () => {
  test.for<{ name: string; code?: ManagerOptions; file?: string; env?: Record<string, string>; want: object }>([
    { name: "code alone", code: { concurrency: 2 }, want: { concurrency: 2 } },
    { name: "file over code", code: { concurrency: 2 }, file: "concurrency: 3", want: { concurrency: 3 } },
    {
      name: "environment over file over code",
      code: { gracefulShutdownMs: 1, cacheSyncTimeoutMs: 1, kindRetryMs: 1 },
      file: "gracefulShutdownMs: 2\ncacheSyncTimeoutMs: 2",
      env: { TREADLE_GRACEFUL_SHUTDOWN_MS: "3" },
      want: { gracefulShutdownMs: 3, cacheSyncTimeoutMs: 2, kindRetryMs: 1 },
    },
    {
      name: "part by part",
      code: { metrics: { port: 1, host: "127.0.0.1" } },
      file: "metrics: { port: 2, tls: { certFile: /tls.crt, keyFile: /tls.key } }",
      env: { TREADLE_METRICS_PORT: "3", TREADLE_METRICS_AUTHORIZE: "true" },
      want: { metrics: { port: 3, host: "127.0.0.1", authorize: true, tls: { certFile: "/tls.crt", keyFile: "/tls.key" } } },
    },
    {
      name: "what is switched off, off, whatever is said of its parts, in whatever order",
      env: { TREADLE_PROBES: "false", TREADLE_PROBES_PORT: "1", TREADLE_METRICS_PORT: "2", TREADLE_METRICS: "false" },
      want: { probes: false, metrics: false },
    },
    {
      name: "what is switched off, off",
      code: { leaderElection: { name: "a" }, probes: { port: 1 } },
      file: "leaderElection: false",
      env: { TREADLE_PROBES: "false" },
      want: { leaderElection: false, probes: false },
    },
    {
      name: "what is switched on keeps what was said of it",
      code: { leaderElection: { name: "a" }, metrics: false, debug: false },
      file: "leaderElection: true\nmetrics: true",
      env: { TREADLE_DEBUG_PORT: "7070" },
      want: { leaderElection: { name: "a" }, metrics: {}, debug: { port: 7070 } },
    },
    { name: "lists", file: "namespaces: [a, b]", env: { TREADLE_NAMESPACES: "c, d" }, want: { namespaces: ["c", "d"] } },
    { name: "JSON", file: '{ "logLevel": "debug", "events": false }', want: { logLevel: "debug", events: false } },
    {
      name: "keys and variables without a value set nothing",
      code: { concurrency: 2 },
      file: "concurrency:\nmetrics: { port: }",
      env: { TREADLE_CONCURRENCY: "" },
      want: { concurrency: 2 },
    },
    { name: "a dry run", code: { leaderElection: true }, env: { TREADLE_DRY_RUN: "true" }, want: { dryRun: true, leaderElection: true } },
    { name: "no resync", file: "resyncMs: false", want: { resyncMs: false } },
    { name: "no resync, by the environment", env: { TREADLE_RESYNC_MS: "false" }, want: { resyncMs: false } },
  ])("$name", async ({ code = {}, file: text, env = {}, want }) => {
    const TREADLE_CONFIG = text === undefined ? undefined : await file(text);
    const { options } = await mergeSettings(code, { ...env, TREADLE_CONFIG }, []);
    expect(options).toMatchObject(want);
  });

  test("every setting can be set by a variable of its own, and in a file", async () => {
    expect(new Set(Object.keys(SETTINGS).map(variableOf)).size).toBe(Object.keys(SETTINGS).length);
    for (const [path, taken] of Object.entries(SETTINGS)) {
      const text = ["a", "false", "2", "silent", "release", "pretty", "each"].find((each) => taken.accepts(taken.fromText(each))) ?? "";
      const ofEnvironment = settingsOfEnvironment({ [variableOf(path)]: text });
      expect(ofEnvironment, path).toMatchObject({ problems: [], names: [variableOf(path)] });
      expect(Object.keys(ofEnvironment.tree), path).toEqual([path.split(".")[0]]);
      expect(await settingsOfFile(await file(JSON.stringify(ofEnvironment.tree))), path).toEqual({
        tree: ofEnvironment.tree,
        problems: [],
      });
    }
  });

  test("TREADLE_CONFIG names another file than the code does", async () => {
    const [ofCode, ofEnvironment] = [await file("concurrency: 2"), await file("concurrency: 3")];
    expect((await mergeSettings({ configFile: ofCode }, {}, [])).options.concurrency).toBe(2);
    expect((await mergeSettings({ configFile: ofCode }, { TREADLE_CONFIG: ofEnvironment }, [])).options.concurrency).toBe(3);
  });
});

describe("of one controller:", () => {
  async function concurrencyOf(given: { readonly code?: number; readonly add?: number; readonly env?: string; readonly text?: string }) {
    const world = await startWorld({
      handlers: [],
      start: false,
      ...(given.code === undefined ? {} : { concurrency: given.code }),
      ...(given.text === undefined ? {} : { configFile: await file(given.text) }),
      env: { TREADLE_CONCURRENCY: given.env ?? "" },
    });
    let running = 0;
    let most = 0;
    const release = Promise.withResolvers<void>();
    const waiting = handler(Widget)
      .step(
        step(Widget, {
          name: "wait",
          async do() {
            most = Math.max(most, ++running);
            await release.promise;
            running--;
          },
        }),
      )
      .build();
    world.manager.add(waiting, given.add === undefined ? {} : { concurrency: given.add });
    for (let at = 0; at < 12; at++) await world.user.create(Widget, widget(`w-${at}`));
    await world.manager.start();
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    release.resolve();
    await world.settled();
    return most;
  }

  const name = idling.name;
  test.for([
    { name: "nothing said", given: {}, want: 5 },
    { name: "of all, in code", given: { code: 2 }, want: 2 },
    { name: "of all, in code and from outside", given: { code: 2, env: "3" }, want: 3 },
    { name: "what add says is stronger than what is said of all", given: { code: 2, env: "3", add: 1 }, want: 1 },
    {
      name: "what the file says of it is stronger than add",
      given: { add: 1, text: `controllers: { ${name}: { concurrency: 4 } }` },
      want: 4,
    },
    {
      name: "and the environment is stronger than the file",
      given: { add: 1, text: `controllers: { ${name}: { concurrency: 4 } }`, env: `7, ${name}=6` },
      want: 6,
    },
  ])("$name: $want at once", async ({ given, want }) => {
    expect(await concurrencyOf(given)).toBe(want);
  });
});

describe("invalid settings are refused", () => {
  test("all problems are reported together, each with its place and fix, and without the values of unknown settings", async () => {
    const text = [
      "metrics: { prot: 8080, port: 99999 }",
      "concurency: 3",
      "password: hunter2",
      "namespaces: staging",
      "leaderElection: { name: 5 }",
      "controllers: { widgets.test.treadle.dev: { concurrency: many, backof: external }, gadgets: {} }",
    ].join("\n");
    const name = await file(text);
    const env = { TREADLE_CONFIG: name, TREADLE_LOGLEVEL: "debug", TREADLE_HOST_: "x", TREADLE_EVENTS: "yes", TREADLE_CONCURRENCY: "a=b" };
    const error = await mergeSettings({}, env, [idling.name]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "ERR_SETTINGS" });
    expect((error as Error).message.replaceAll(name, "FILE").split("\n")).toEqual([
      "cannot start with the settings from file and environment:",
      "- FILE: metrics.prot is no setting: did you mean metrics.port?",
      "- FILE: metrics.port is 99999: give a port from 0 to 65535",
      "- FILE: concurency is no setting: did you mean concurrency?",
      "- FILE: password is no setting",
      '- FILE: namespaces is "staging": give a list of names',
      "- FILE: leaderElection.name is 5: give a text",
      '- FILE: controllers.widgets.test.treadle.dev.concurrency is "many": give a whole number from 1',
      "- FILE: controllers.widgets.test.treadle.dev.backof is no setting: did you mean controllers.widgets.test.treadle.dev.backoff?",
      "- TREADLE_LOGLEVEL is no setting: did you mean TREADLE_LOG_LEVEL?",
      "- TREADLE_HOST_ is no setting: did you mean TREADLE_HOST?",
      '- TREADLE_EVENTS is "yes": give true or false',
      '- TREADLE_CONCURRENCY is "a=b": give a whole number from 1, or "5,NAME=2" for one controller',
      '- there is no controller "gadgets"; there are: widgets.test.treadle.dev',
    ]);
  });

  test.for([
    { name: "a file that is not there", text: undefined, want: /cannot read \/nowhere\/config.yaml: ENOENT/ },
    { name: "a file that is no YAML", text: "a: [\npassword: hunter2", want: /cannot read .*config.yaml: .* at line \d/ },
    { name: "a key twice", text: "events: true\nevents: false", want: /Map keys must be unique at line 2/ },
    { name: "a list", text: "- events", want: /it must be a mapping of settings/ },
    {
      name: "what does not fit together",
      text: "leaderElection: { renewDeadlineMs: 20000 }",
      want: /leaderElection.renewDeadlineMs \(20000\) must be less/,
    },
    { name: "a token in the place of a port", text: "metrics: { port: token=hunter2 }", want: /metrics.port is "token=<redacted>/ },
  ])("$name", async ({ text, want }) => {
    const configFile = text === undefined ? "/nowhere/config.yaml" : await file(text);
    const error = await mergeSettings({ configFile }, {}, []).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "ERR_SETTINGS", message: expect.stringMatching(want) });
    expect((error as Error).message).not.toContain("hunter2");
  });

  test("invalid settings end the start, and nothing runs", async () => {
    const world = await startWorld({ handlers: [idling], start: false, env: { TREADLE_METRIC: "false" } });
    await expect(world.manager.run()).rejects.toMatchObject({ code: "ERR_SETTINGS", message: expect.stringContaining("TREADLE_METRIC ") });
    expect([world.manager.status().state, world.lists]).toEqual(["stopped", []]);
  });
});

test("variables of the kubelet for Services, and of the framework's tools, are not settings", async () => {
  const { options, from } = await mergeSettings(
    {},
    {
      TREADLE_METRICS_PORT: "tcp://10.0.0.1:8080",
      TREADLE_METRICS_PORT_8080_TCP: "tcp://10.0.0.1:8080",
      TREADLE_METRICS_PORT_8080_TCP_ADDR: "10.0.0.1",
      TREADLE_METRICS_SERVICE_HOST: "10.0.0.1",
      TREADLE_METRICS_SERVICE_PORT: "8080",
      TREADLE_METRICS_SERVICE_PORT_HTTP: "8080",
      TREADLE_TEST_KUBECONFIG: "/kubeconfig",
      TREADLE_RECORD: "1",
      PATH: "/bin",
    },
    [],
  );
  expect([options, from]).toEqual([{}, { environment: [] }]);
});

test("variables that name the programs of generators are not settings, and a wrong name is refused", async () => {
  const programs = { TREADLE_HELM: "/bin/helm", TREADLE_KUSTOMIZE: "/bin/kustomize", TREADLE_PLUGINS: "acme/pg@v1#linux-amd64=0" };
  expect(await mergeSettings({}, programs, [])).toMatchObject({ options: {}, from: { environment: [] } });
  await expect(mergeSettings({}, { TREADLE_HELMS: "/bin/helm" }, [])).rejects.toThrow("did you mean TREADLE_HELM?");
});

test("settings from the environment and files are logged by name only", async () => {
  const configFile = await file("leaderElection: { namespace: default }");
  const world = await startWorld({ handlers: [idling], configFile, env: { TREADLE_GRACEFUL_SHUTDOWN_MS: "1000" } });
  expect(world.logs.find(({ text }) => text.startsWith("settings"))).toEqual({
    level: "info",
    data: { file: configFile, environment: ["TREADLE_GRACEFUL_SHUTDOWN_MS"] },
    text: "settings from the environment or a file",
  });
  expect(world.manager.status().leadership).toEqual({ type: "leading" });
});
