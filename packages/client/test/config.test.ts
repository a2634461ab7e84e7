import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fakeClock, kind } from "@treadle/apimachinery";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ConfigError, connect, isConfigError, loadConfig, type LoadConfigOptions } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startServer } from "./http-server.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const now = { renew: false };
/** For real processes: only what hangs takes longer, also on a loaded machine. */
const TIMEOUT_MS = 30_000;
const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function directory(files: Readonly<Record<string, string | object>> = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "treadle-"));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(root, name, ".."), { recursive: true });
    await writeFile(join(root, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return root;
}

function kubeconfig(given: { readonly cluster?: object; readonly user?: object | null; readonly namespace?: string } = {}): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "main",
    contexts: [
      { name: "main", context: { cluster: "c", user: "u", ...(given.namespace === undefined ? {} : { namespace: given.namespace }) } },
    ],
    clusters: [{ name: "c", cluster: { server: "https://api:6443", ...given.cluster } }],
    users: [{ name: "u", user: given.user === undefined ? { token: "t" } : given.user }],
  };
}

async function problem(options: LoadConfigOptions): Promise<ConfigError> {
  const error = await loadConfig(options).catch((cause: unknown) => cause);
  if (isConfigError(error)) return error;
  throw new Error("it was accepted", { cause: error });
}

describe("the search for a configuration", () => {
  test("reads the given file, else KUBECONFIG, else the home directory, else the pod", async () => {
    const named = (server: string): object => kubeconfig({ cluster: { server } });
    const root = await directory({
      given: named("https://given"),
      env: named("https://env"),
      "home/.kube/config": named("https://home"),
      "pod/token": "t",
      "pod/ca.crt": "ca",
      "pod/namespace": "pod-ns\n",
    });
    const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const serviceAccountDirectory = join(root, "pod");
    const home = { HOME: join(root, "home") };
    const KUBECONFIG = join(root, "env");
    expect((await loadConfig({ kubeconfig: join(root, "given"), env: { ...pod, ...home, KUBECONFIG } })).server).toBe("https://given");
    expect((await loadConfig({ env: { ...pod, ...home, KUBECONFIG }, serviceAccountDirectory })).server).toBe("https://env");
    expect((await loadConfig({ env: { ...pod, ...home }, serviceAccountDirectory })).server).toBe("https://home");
    expect(await loadConfig({ env: { ...pod, HOME: root }, serviceAccountDirectory })).toMatchObject({
      source: "in-cluster",
      server: "https://10.0.0.1:443",
      namespace: "pod-ns",
    });
  });

  test("without a result is one error that names the searched places", async () => {
    const root = await directory();
    const error = await problem({ env: { HOME: root } });
    expect(error.code).toBe("ERR_CONFIG_NOT_FOUND");
    expect(error.message).toContain(join(root, ".kube", "config"));
    expect((await problem({ kubeconfig: join(root, "none") })).code).toBe("ERR_CONFIG_NOT_FOUND");
    expect((await problem({ env: { HOME: root, KUBECONFIG: join(root, "none") } })).message).toContain("none of its files exists");
  });
});

describe("the configuration in a pod", () => {
  test("has brackets around an IPv6 address, and the token and CA of kubelet", async () => {
    const root = await directory({ token: "t\n", "ca.crt": "ca" });
    const config = await loadConfig({
      env: { HOME: root, KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" },
      serviceAccountDirectory: root,
    });
    expect(config).toMatchObject({ server: "https://[fd00::1]:443" });
    expect(config.namespace).toBeUndefined();
    const origins = { token: join(root, "token"), ca: join(root, "ca.crt") };
    expect(await config.credentials(now)).toEqual({ headers: { authorization: "Bearer t" }, ca: "ca", origins });
  });

  test("without a token is an error with the fix", async () => {
    const root = await directory();
    const error = await problem({
      env: { HOME: root, KUBERNETES_SERVICE_HOST: "h", KUBERNETES_SERVICE_PORT: "1" },
      serviceAccountDirectory: root,
    });
    expect(error.message).toContain(join(root, "token"));
    expect(error.message).toContain("automountServiceAccountToken");
  });
});

describe("a kubeconfig", () => {
  test("of several files has the first entry of a name and the first current context, and skips missing files", async () => {
    const second = {
      "current-context": "other",
      contexts: [
        { name: "main", context: { cluster: "wrong" } },
        { name: "other", context: { cluster: "c2", user: "u", namespace: "ns" } },
      ],
      clusters: [
        { name: "c", cluster: { server: "https://wrong" } },
        { name: "c2", cluster: { server: "https://second" } },
      ],
    };
    const root = await directory({ "1": kubeconfig({ cluster: { server: "https://first" } }), "2": second });
    const KUBECONFIG = ["1", "missing", "2"].map((file) => join(root, file)).join(delimiter);
    expect(await loadConfig({ env: { KUBECONFIG } })).toMatchObject({ context: "main", server: "https://first" });
    const other = await loadConfig({ env: { KUBECONFIG }, context: "other" });
    expect(other).toMatchObject({ context: "other", server: "https://second", namespace: "ns" });
    expect(await other.credentials(now)).toMatchObject({ headers: { authorization: "Bearer t" } });
  });

  test("may use anchors and merge keys, as for kubectl", async () => {
    const text = `
current-context: main
contexts: [{ name: main, context: { cluster: c, user: u } }]
clusters:
- name: base
  cluster: &base { server: "https://api:6443", tls-server-name: api.test }
- name: c
  cluster: { <<: *base, server: "https://other:6443" }
users: [{ name: u, user: { token: 2024-01-02 } }]
`;
    const root = await directory({ config: text });
    const config = await loadConfig({ kubeconfig: join(root, "config") });
    expect([config.server, config.serverName]).toEqual(["https://other:6443", "api.test"]);
    expect((await config.credentials(now)).headers).toEqual({ authorization: "Bearer 2024-01-02" });
  });

  test("may be YAML with relative paths and TLS options", async () => {
    const text = `
apiVersion: v1
kind: Config
current-context: main
contexts: [{ name: main, context: { cluster: c, user: u, namespace: team } }]
clusters:
- name: c
  cluster: { server: "https://api:6443", certificate-authority: pki/ca.crt, tls-server-name: api.test }
users:
- name: u
  user: { client-certificate: pki/u.crt, client-key: pki/u.key, tokenFile: token }
`;
    const root = await directory({ config: text, "pki/ca.crt": "ca", "pki/u.crt": "cert", "pki/u.key": "key", token: "t" });
    const config = await loadConfig({ kubeconfig: join(root, "config") });
    expect(config).toMatchObject({ source: join(root, "config"), serverName: "api.test", namespace: "team", isInsecure: false });
    const origins = { ca: join(root, "pki/ca.crt"), cert: join(root, "pki/u.crt"), token: join(root, "token") };
    expect(await config.credentials(now)).toEqual({ headers: { authorization: "Bearer t" }, ca: "ca", cert: "cert", key: "key", origins });
  });

  test.for([
    { name: "a token", user: { token: "t" }, headers: { authorization: "Bearer t" } },
    { name: "a name and password", user: { username: "jane", password: "p:w" }, headers: { authorization: `Basic ${base64("jane:p:w")}` } },
    { name: "no credentials", user: null, headers: {} },
    {
      name: "impersonation",
      user: { token: "t", as: "joe", "as-groups": ["a", "b"], "as-uid": "7" },
      headers: { authorization: "Bearer t", "impersonate-user": "joe", "impersonate-group": ["a", "b"], "impersonate-uid": "7" },
    },
  ])("with $name", async ({ user, headers }) => {
    const root = await directory({ config: kubeconfig({ user }) });
    const config = await loadConfig({ kubeconfig: join(root, "config") });
    expect((await config.credentials(now)).headers).toEqual(headers);
  });

  test("names the proxy by proxy-url; else the environment does, for a pod as well", async () => {
    const root = await directory({
      own: kubeconfig({ cluster: { "proxy-url": "socks5://own:1080" } }),
      none: kubeconfig(),
      "pod/token": "t",
      "pod/ca.crt": "ca",
    });
    const env = { HOME: root, HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "10.0.0.0/8" };
    expect((await loadConfig({ kubeconfig: join(root, "own"), env })).proxyUrl).toBe("socks5://own:1080");
    expect((await loadConfig({ kubeconfig: join(root, "none"), env })).proxyUrl).toBe("http://proxy:3128");
    const pod = (host: string) =>
      loadConfig({
        env: { ...env, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: "443" },
        serviceAccountDirectory: join(root, "pod"),
      });
    expect([(await pod("10.0.0.1")).proxyUrl, (await pod("192.0.2.1")).proxyUrl]).toEqual([undefined, "http://proxy:3128"]);
  });

  test("may contain certificates as data", async () => {
    const pem = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
    const user = { "client-certificate-data": base64(pem), "client-key-data": base64(pem) };
    const cluster = { "certificate-authority-data": base64(pem) };
    const root = await directory({
      config: kubeconfig({ user, cluster }),
      insecure: kubeconfig({ cluster: { ...cluster, "insecure-skip-tls-verify": true } }),
    });
    expect(await (await loadConfig({ kubeconfig: join(root, "config") })).credentials(now)).toEqual({
      headers: {},
      ca: pem,
      cert: pem,
      key: pem,
      origins: {
        ca: `certificate-authority-data of "c" in ${join(root, "config")}`,
        cert: `client-certificate-data of "u" in ${join(root, "config")}`,
      },
    });
    const insecure = await loadConfig({ kubeconfig: join(root, "insecure") });
    expect([insecure.isInsecure, (await insecure.credentials(now)).ca]).toEqual([true, undefined]);
  });

  test.for([
    { name: "no YAML", config: "users:\n- user: {token: hunter2\n  x: [", says: "is not YAML (line" },
    {
      name: "a key that occurs twice",
      config: 'users:\n- name: u\n  user:\n    token: "hunter2"\n    token: "hunter2"',
      says: "is not YAML (line 5: duplicate key)",
    },
    { name: "a token that is an alias", config: "users: [{ name: u, user: { token: *hunter2 } }]", says: "is not YAML (line 1: " },
    { name: "nothing", config: "", says: "the file is empty" },
    { name: "a text", config: "hunter2", says: "not a kubeconfig" },
    {
      name: "no current context",
      config: { ...kubeconfig(), "current-context": "" },
      says: 'no current-context; set one, or ask for one of its contexts: "main"',
    },
    {
      name: "an unknown current context",
      config: { ...kubeconfig(), "current-context": "x" },
      says: 'context "x", named by current-context, is not in it; name one of its contexts: "main"',
    },
    {
      name: "a missing cluster",
      config: { ...kubeconfig(), clusters: [] },
      says: 'cluster "c", named by context "main", is not in it; name a cluster (there is none)',
    },
    { name: "a missing user", config: { ...kubeconfig(), users: null }, says: 'user "u", named by context "main", is not in it' },
    {
      name: "a server without scheme",
      config: kubeconfig({ cluster: { server: "api:6443" } }),
      says: 'server of cluster "c" is "api:6443"',
    },
    {
      name: "a server with a password",
      config: kubeconfig({ cluster: { server: "https://user:hunter2#@api:x" } }),
      says: 'server of cluster "c" is "https://api:x"',
    },
    {
      name: "a list that is not a list",
      config: { ...kubeconfig(), clusters: {} },
      says: "clusters is not a list; each of clusters is { name: ..., cluster: { ... } }",
    },
    { name: "an entry without a name", config: { ...kubeconfig(), users: [{ user: { token: "hunter2" } }] }, says: "users[0] has no name" },
    {
      name: "data that is not base64",
      config: kubeconfig({ cluster: { "certificate-authority-data": "hunter2!" } }),
      says: 'certificate-authority-data of "c" is not base64-encoded PEM',
    },
    {
      name: "a missing certificate file",
      config: kubeconfig({ cluster: { "certificate-authority": "none.crt" } }),
      says: "none.crt: the certificate authority cannot be read (ENOENT)",
    },
    {
      name: "half a key pair",
      config: kubeconfig({ user: { "client-certificate": "config" } }),
      says: 'user "u" has a client-certificate and no client-key',
    },
    { name: "a token that is not a string", config: kubeconfig({ user: { token: 7 } }), says: 'token of "u" is not a string' },
    { name: "groups that are no list", config: kubeconfig({ user: { as: "a", "as-groups": "hunter2" } }), says: 'as-groups of user "u"' },
    { name: "groups that are not strings", config: kubeconfig({ user: { as: "a", "as-groups": [7] } }), says: 'as-groups of user "u"' },
    {
      name: "extras that are no lists",
      config: kubeconfig({ user: { as: "a", "as-user-extra": { team: "hunter2" } } }),
      says: 'as-user-extra.team of user "u"',
    },
    { name: "groups without a user", config: kubeconfig({ user: { "as-groups": ["a"] } }), says: 'user "u" impersonates' },
    { name: "extras that are a text", config: kubeconfig({ user: { "as-user-extra": "hunter2" } }), says: 'as-user-extra of user "u"' },
    {
      name: "a plugin that is a text",
      config: kubeconfig({ user: { exec: "hunter2" } }),
      says: 'exec is not a mapping in the entry of user "u"',
    },
    {
      name: "a plugin that asks questions",
      config: kubeconfig({ user: { exec: { command: "x", interactiveMode: "Always" } } }),
      says: 'interactiveMode is Always in exec of user "u"',
    },
    { name: "a plugin without command", config: kubeconfig({ user: { exec: {} } }), says: 'there is no command in exec of user "u"' },
    {
      name: "a plugin whose arguments are a text",
      config: kubeconfig({ user: { exec: { command: "x", args: "hunter2" } } }),
      says: 'args is not a list of strings in exec of user "u"',
    },
    {
      name: "a plugin whose environment is a mapping",
      config: kubeconfig({ user: { exec: { command: "x", env: { A: "hunter2" } } } }),
      says: 'env is not a list of names and values in exec of user "u"',
    },
    {
      name: "a proxy of no known kind",
      config: kubeconfig({ cluster: { "proxy-url": "ftp://hunter2@host" } }),
      says: 'proxy-url of cluster "c" is not the URL of a proxy',
    },
  ])("with $name is one error that names the file and the fix", async ({ config, says }) => {
    const root = await directory({ config });
    const error = await problem({ kubeconfig: join(root, "config") });
    expect(error.message).toContain(says);
    expect(error.message).toContain(root);
    expect(`${error.stack}${JSON.stringify(error.cause)}`).not.toContain("hunter2");
  });
});

describe("credential plugins", () => {
  const plugin = (body: string): string => `#!/bin/sh\necho run >> "$(dirname "$0")/runs"\n${body}\n`;
  const credential = (token: string): string => `echo '{"kind":"ExecCredential","status":{"token":"${token}"}}'`;

  async function withPlugin(script: string) {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "./plugin",
      env: [{ name: "GREETING", value: "hello" }],
      provideClusterInfo: true,
    };
    const root = await directory({ plugin: script, config: kubeconfig({ user: { exec } }) });
    await chmod(join(root, "plugin"), 0o755);
    const clock = fakeClock();
    return { root, clock, config: await loadConfig({ kubeconfig: join(root, "config"), clock }) };
  }

  test("run once for many calls, relative to their file, and get the cluster", async () => {
    const { config } = await withPlugin(
      plugin(
        `case "$KUBERNETES_EXEC_INFO" in *api:6443*) ;; *) exit 1;; esac\n${credential("$GREETING").replace("$GREETING", "'$GREETING'")}`,
      ),
    );
    const all = await Promise.all([config.credentials(now), config.credentials(now), config.credentials(now)]);
    expect(all.map((credentials) => credentials.headers)).toEqual(Array(3).fill({ authorization: "Bearer hello" }));
  });

  test("get the whole cluster: its authority from a file, and its extension", async () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "./plugin", provideClusterInfo: true };
    const root = await directory({
      "ca.crt": "ca",
      plugin: `#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/told"\n${credential("t")}\n`,
      config: kubeconfig({
        cluster: {
          "certificate-authority": "ca.crt",
          "tls-server-name": "api.test",
          "proxy-url": "http://proxy:3128",
          extensions: [null, { name: "other", extension: 1 }, { name: "client.authentication.k8s.io/exec", extension: { audience: "a" } }],
        },
        user: { exec },
      }),
    });
    await chmod(join(root, "plugin"), 0o755);
    await (await loadConfig({ kubeconfig: join(root, "config") })).credentials(now);
    expect(JSON.parse(await readFile(join(root, "told"), "utf8"))).toEqual({
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: {
          server: "https://api:6443",
          "certificate-authority-data": base64("ca"),
          "tls-server-name": "api.test",
          "proxy-url": "http://proxy:3128",
          config: { audience: "a" },
        },
      },
    });
  });

  test("run again when the server refuses their credentials", async () => {
    const { config } = await withPlugin(plugin(`n=$(wc -l < "$(dirname "$0")/runs"); ${credential("token-'$((n))'")}`));
    expect((await config.credentials(now)).headers).toEqual({ authorization: "Bearer token-1" });
    expect((await config.credentials(now)).headers).toEqual({ authorization: "Bearer token-1" });
    expect((await config.credentials({ renew: true })).headers).toEqual({ authorization: "Bearer token-2" });
  });

  test.for([
    { name: "fail", script: plugin("echo please log in >&2; exit 1"), says: "please log in" },
    { name: "fail without a word", script: plugin("exit 3"), says: "exit code 3" },
    { name: "print something else", script: plugin("echo '{hunter2'"), says: "did not print JSON" },
    // Taken for "no credentials", these made every call an anonymous one.
    ...[
      "null",
      "[]",
      "{}",
      '{"status":null}',
      '{"status":{}}',
      '{"status":{"token":""}}',
      '{"status":{"token":7}}',
      '{"status":{"token":{"hunter2":1}}}',
      '{"status":{"clientCertificateData":"hunter2"}}',
    ].map((text) => ({
      name: `print ${text}`,
      script: plugin(`echo '${text}'`),
      says: 'plugin" printed no credentials (status.token, or',
    })),
    { name: "print without end", script: plugin("exec cat /dev/zero"), says: "printed more than 1048576 characters" },
  ])("that $name are an error that names the user", async ({ script, says }) => {
    const { root, config } = await withPlugin(script);
    const error = await Promise.resolve(config.credentials(now)).catch((cause: unknown) => cause);
    expect(String(error)).toContain(`cannot use ${join(root, "config")}: no credentials for user "u": `);
    expect(String(error)).toContain(says);
    expect(String(error)).not.toContain("hunter2");
  });

  test("that read standard input find it empty", async () => {
    const { config } = await withPlugin(plugin(`cat > /dev/null; ${credential("t")}`));
    expect((await config.credentials(now)).headers).toEqual({ authorization: "Bearer t" });
  });

  test("that hang are ended after a minute, and the next call runs them again", async () => {
    const { root, clock, config } = await withPlugin(plugin(`echo $$ > "$(dirname "$0")/pid"; sleep 5 & exec sleep 1000`));
    for (let run = 1; run <= 2; run++) {
      await rm(join(root, "pid"), { force: true });
      const outcome = Promise.resolve(config.credentials(now)).catch((cause: unknown) => cause);
      const pid = await vi.waitFor(async () => {
        const text = (await readFile(join(root, "pid"), "utf8")).trim();
        expect(text).not.toBe("");
        return Number(text);
      }, TIMEOUT_MS);
      await clock.advance(59_999);
      process.kill(pid, 0); // throws when it is not running
      await clock.advance(1);
      expect(await outcome).toMatchObject({ name: "ConfigError", message: expect.stringContaining("it did not finish within 60 s") });
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), TIMEOUT_MS);
    }
  });

  test("run again shortly before their credentials expire", async () => {
    const { clock, config } = await withPlugin(
      plugin(
        `n=$(($(wc -l < "$(dirname "$0")/runs")))\necho '{"status":{"token":"token-'$n'","expirationTimestamp":"2026-01-01T00:'$n'0:00Z"}}'`,
      ),
    );
    const at = async (minutes: number): Promise<unknown> => {
      await clock.advance(Date.UTC(2026, 0, 1, 0, minutes) - clock.now());
      return (await config.credentials(now)).headers;
    };
    expect(await at(0)).toEqual({ authorization: "Bearer token-1" });
    expect(await at(8)).toEqual({ authorization: "Bearer token-1" });
    expect(await at(9)).toEqual({ authorization: "Bearer token-2" });
    expect(await at(11)).toEqual({ authorization: "Bearer token-2" });
  });

  test("that do not exist are an error with the install hint", async () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "treadle-no-such-plugin", installHint: "get it at example.dev" };
    const root = await directory({ config: kubeconfig({ user: { exec } }) });
    const config = await loadConfig({ kubeconfig: join(root, "config") });
    await expect(config.credentials(now)).rejects.toThrow(
      'the credential plugin "treadle-no-such-plugin" does not exist; get it at example.dev',
    );
  });
});

test("connect makes a working client from a kubeconfig", async () => {
  const keys = await selfSigned("one");
  const server = await startServer((request, response) => {
    response.end(JSON.stringify({ kind: "Widget", metadata: { name: request.headers.authorization } }));
  }, keys);
  const root = await directory({
    config: kubeconfig({ cluster: { server: server.url, "certificate-authority-data": base64(keys.cert) } }),
  });
  const client = await connect({ env: { KUBECONFIG: join(root, "config") } });
  onTestFinished(() => client.close());
  expect(await client.get(Widget, { name: "a", namespace: "ns" })).toEqual({ kind: "Widget", metadata: { name: "Bearer t" } });
});

test.for([
  { name: "connect in a pod", loads: [] },
  { name: "connect by a kubeconfig", loads: ["yaml"] },
])("$name loads no more than it needs", async ({ name, loads }) => {
  const keys = await selfSigned("one");
  const server = await startServer((_, response) => void response.end("{}"), keys);
  const cluster = { server: server.url, "certificate-authority-data": base64(keys.cert) };
  const root = await directory({ token: "t", "ca.crt": keys.cert, config: kubeconfig({ cluster, user: { token: "t" } }) });
  const pod = { HOME: "/nowhere", KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(server.port) };
  const env = name === "connect in a pod" ? pod : { KUBECONFIG: join(root, "config") };
  const script = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({ load(url, context, next) {
      for (const name of ["client-node", "js-yaml", "yaml"]) if (url.includes("/" + name + "/")) loaded.add(name);
      return next(url, context);
    } });
    const { connect } = await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)});
    const client = await connect({ env: ${JSON.stringify(env)}, serviceAccountDirectory: ${JSON.stringify(root)} });
    const version = await client.raw({ method: "GET", path: "/version", headers: {} });
    await client.close();
    console.log(JSON.stringify({ loaded: [...loaded], status: version.status }));`;
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@treadle/source", "--input-type=module", "-e", script]);
  expect(JSON.parse(stdout)).toEqual({ loaded: loads, status: 200 });
});
