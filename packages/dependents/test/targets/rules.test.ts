/** What a kubeconfig that another person wrote must not do. Each rule has a listener on loopback that must not be called. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer, type HttpsFront, serveHttps } from "@treadle/apiserver";
import { isConnectionError } from "@treadle/client";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isTargetError, serviceAccount, targets, type TargetsOptions, user } from "../../src/targets/index.ts";
import { connected, kubeconfig, kubeconfigOf, secretWith, servicesOf, tenant } from "./fixture.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A listener that records requests and connections. */
async function listen(
  answer: RequestListener = (_, response) => void response.end("{}"),
): Promise<{ readonly port: number; readonly calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.authorization ?? "anonymous"}`);
    answer(request, response);
  });
  server.on("connection", () => calls.push("connection"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => void (server.closeAllConnections(), server.close(resolve))));
  return { port: (server.address() as AddressInfo).port, calls };
}

async function serve(): Promise<HttpsFront> {
  const front = await serveHttps(createApiServer(), { auth: { token: "admin" } });
  ends.push(() => front.close());
  return front;
}

/** Reads an object of the target. Returns the error. */
async function failureOf(options: TargetsOptions, text: string): Promise<Error> {
  const services = servicesOf();
  ends.push(async () => services[Symbol.asyncDispose]());
  const { connection } = connected(targets(options).target({ kubeconfig }), services, { secret: secretWith(text) });
  return connection.client.get(ConfigMap, { name: "a", namespace: "default" }, { retry: false }).then(
    () => new Error("it answered"),
    (error: unknown) => error as Error,
  );
}

/** Identifies the target of `tenant()`. */
function identify(text: string, options: TargetsOptions = {}): { readonly type: string; readonly message?: string } {
  return targets(options).target({ kubeconfig }).definition.identify(tenant(), secretWith(text));
}

describe("a kubeconfig is refused, and nothing is sent, for", () => {
  const server = "https://SERVER";
  const pem = encoded("-----BEGIN CERTIFICATE-----");
  test.for([
    { feature: "exec", cluster: { server }, user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "touch" } } },
    { feature: "auth-provider", cluster: { server }, user: { "auth-provider": { name: "oidc" } } },
    { feature: "certificate-authority", cluster: { server, "certificate-authority": "/etc/hostname" }, user: {} },
    { feature: "client-certificate", cluster: { server }, user: { "client-certificate": "/etc/hostname", "client-key-data": pem } },
    { feature: "client-key", cluster: { server }, user: { "client-key": "/etc/hostname", "client-certificate-data": pem } },
    { feature: "tokenFile", cluster: { server }, user: { tokenFile: "/etc/hostname" } },
    { feature: "proxy-url", cluster: { server: "https://api.example.com", "proxy-url": "http://SERVER" }, user: {} },
    { feature: "as", cluster: { server }, user: { as: "admin" } },
    { feature: "as-uid", cluster: { server }, user: { as: "admin", "as-uid": "1" } },
    { feature: "as-groups", cluster: { server }, user: { as: "admin", "as-groups": ["system:masters"] } },
    { feature: "as-user-extra", cluster: { server }, user: { as: "admin", "as-user-extra": { a: ["b"] } } },
    { feature: "http:", cluster: { server: "http://SERVER" }, user: {} },
    { feature: "insecure-skip-tls-verify", cluster: { server, "insecure-skip-tls-verify": true }, user: {} },
  ] as const)("$feature, unless the code allows it", async ({ feature, cluster, user: fields }) => {
    const { port, calls } = await listen();
    const text = kubeconfigOf(cluster, fields).replaceAll("SERVER", `127.0.0.1:${port}`);
    await expect(failureOf({ servers: ["127.0.0.1"] }, text)).rejects.toThrow(feature);
    expect(calls).toEqual([]);
    const allow = feature.startsWith("as-") ? (["as", feature] as const) : ([feature] as const);
    expect(identify(text, { allow }).type).toBe("known");
  });

  test("a feature of a context that is not the current one is not used", () => {
    const text = JSON.stringify({
      clusters: [{ name: "c", cluster: { server } }],
      users: [
        { name: "u", user: {} },
        { name: "v", user: { exec: { command: "touch" } } },
      ],
      contexts: [
        { name: "x", context: { cluster: "c", user: "u" } },
        { name: "y", context: { cluster: "c", user: "v" } },
      ],
      "current-context": "x",
    });
    expect(identify(text).type).toBe("known");
  });
});

describe("a refusal shows nothing of the Secret", () => {
  test.for([
    { name: "a text that is not YAML", text: "top-secret: [" },
    { name: "a text that is not a kubeconfig", text: "top-secret" },
    { name: "a context that does not exist", text: JSON.stringify({ "current-context": "top-secret" }) },
    {
      name: "a cluster that does not exist",
      text: JSON.stringify({ contexts: [{ name: "top-secret", context: { cluster: "top-secret" } }], "current-context": "top-secret" }),
    },
    { name: "a server that is not a URL", text: kubeconfigOf({ server: "top-secret" }) },
    { name: "a proxy that is not a URL", text: kubeconfigOf({ server: "https://a.test", "proxy-url": "top-secret" }) },
    { name: "a certificate that is not PEM", text: kubeconfigOf({ server: "https://a.test", "certificate-authority-data": "top-secret" }) },
    { name: "a token of a wrong type", text: kubeconfigOf({ server: "https://a.test" }, { token: { "top-secret": 1 } }) },
    { name: "an empty text", text: "" },
    { name: "a text that is too long", text: `top-secret${" ".repeat(300 * 1024)}` },
  ])("$name", ({ text }) => {
    const { type, message } = identify(text);
    expect(type).toBe("refused");
    expect(message).not.toContain("top-secret");
    expect(message).toContain("Secret team/remote");
  });
});

describe("nothing is sent to", () => {
  test.for([
    { name: "a loopback address", host: "127.0.0.1" },
    { name: "a name that resolves to a loopback address", host: "localhost" },
    { name: "an IPv4-mapped address", host: "[::ffff:127.0.0.1]" },
    { name: "an address in another notation", host: "0x7f.1" },
    { name: "an address as one number", host: "2130706433" },
    { name: "the unspecified address", host: "0.0.0.0" },
    { name: "the unspecified IPv6 address", host: "[::]" },
  ])("$name", async ({ host }) => {
    const { port, calls } = await listen();
    const error = await failureOf({ allow: ["http:"] }, kubeconfigOf({ server: `http://${host}:${port}` }));
    expect(isConnectionError(error) && error.code).toBe("ERR_ADDRESS_REFUSED");
    expect(isTargetError(error)).toBe(true);
    expect(calls).toEqual([]);
  });

  test("an address that servers does not list, and a listed one is reached", async () => {
    const [listed, other] = [await listen(), await listen()];
    const options = { allow: ["http:"], servers: [`127.0.0.1:${listed.port}`] } as const;
    await failureOf(options, kubeconfigOf({ server: `http://127.0.0.1:${other.port}` }));
    await failureOf(options, kubeconfigOf({ server: `http://127.0.0.1:${listed.port}` }));
    expect(other.calls).toEqual([]);
    expect(listed.calls).toContain("GET /api/v1/namespaces/default/configmaps/a anonymous");
  });

  test.for(["http", "socks5"])("a %s proxy on loopback", async (protocol) => {
    const { port, calls } = await listen();
    for (const host of ["127.0.0.1", "localhost"]) {
      const text = kubeconfigOf({ server: "https://api.example.com", "proxy-url": `${protocol}://${host}:${port}` });
      const error = await failureOf({ allow: ["proxy-url"] }, text);
      expect(isConnectionError(error) && error.code).toBe("ERR_ADDRESS_REFUSED");
    }
    expect(calls).toEqual([]);
  });

  test("a loopback server behind a proxy that is allowed", async () => {
    const proxy = await listen();
    const text = kubeconfigOf({ server: "https://127.0.0.2", "proxy-url": `http://127.0.0.1:${proxy.port}` });
    await failureOf({ allow: ["proxy-url"], servers: ["127.0.0.1"] }, text);
    expect(proxy.calls).toEqual([]);
  });

  test("the place that a redirect names", async () => {
    const other = await listen();
    const redirecting = await listen((_, response) => void response.writeHead(302, { location: `http://127.0.0.1:${other.port}/` }).end());
    const error = await failureOf(
      { allow: ["http:"], servers: ["127.0.0.1"] },
      kubeconfigOf({ server: `http://127.0.0.1:${redirecting.port}` }),
    );
    expect(error.message).toContain("answered 302");
    expect(error.message).not.toContain(String(other.port));
    expect(other.calls).toEqual([]);
  });
});

describe("the environment of the operator", () => {
  beforeEach(() => {
    vi.unstubAllEnvs();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test("gives no proxy, no credential and no trust to a target", async () => {
    const [proxy, front] = [await listen(), await serve()];
    vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv("KUBECONFIG", "/dev/null");
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const options = { servers: ["127.0.0.1"] };
    const anonymous = await failureOf(options, kubeconfigOf({ server: front.url, "certificate-authority-data": encoded(front.caPem) }, {}));
    expect(anonymous).toMatchObject({ status: 401 });
    const untrusted = await failureOf(options, kubeconfigOf({ server: front.url }));
    expect(untrusted).toMatchObject({ code: "ERR_TLS" });
    expect(proxy.calls).toEqual([]);
  });
});

describe("an error of a target shows", () => {
  test("of an answer that is not a Status only the HTTP code", async () => {
    const { port } = await listen(
      (_, response) => void response.writeHead(403, { "content-type": "text/plain" }).end("instance credentials"),
    );
    const error = await failureOf({ allow: ["http:"], servers: ["127.0.0.1"] }, kubeconfigOf({ server: `http://127.0.0.1:${port}` }));
    expect(error.message).toContain("answered 403");
    expect(JSON.stringify([error.message, error])).not.toContain("instance");
  });

  test("of a success that is not an object only the HTTP code", async () => {
    const { port } = await listen(
      (_, response) => void response.writeHead(200, { "content-type": "x/instance" }).end("instance credentials"),
    );
    const error = await failureOf({ allow: ["http:"], servers: ["127.0.0.1"] }, kubeconfigOf({ server: `http://127.0.0.1:${port}` }));
    expect(error.message).toContain("200");
    expect(JSON.stringify([error.message, error])).not.toContain("instance");
  });

  test("no address of a server that refuses connections", async () => {
    const front = await serve();
    const port = new URL(front.url).port;
    await front.close();
    const error = await failureOf({ servers: ["127.0.0.1"] }, kubeconfigOf({ server: front.url }));
    expect(error).toMatchObject({ code: "ERR_UNREACHABLE", server: "the target cluster" });
    expect(error.cause).toBeUndefined();
    expect(error.message).toContain("ECONNREFUSED");
    expect(error.message).not.toMatch(new RegExp(`127\\.0\\.0\\.1|${port}`));
  });

  test("no names of a certificate", async () => {
    const front = await serve();
    const text = kubeconfigOf({
      server: front.url,
      "certificate-authority-data": encoded(front.caPem),
      "tls-server-name": "hidden.example.com",
    });
    const error = await failureOf({ servers: ["127.0.0.1"] }, text);
    expect(error).toMatchObject({ code: "ERR_TLS" });
    expect(error.cause).toBeUndefined();
    expect(error.message).not.toMatch(/hidden|localhost|kubernetes\.default/);
  });

  test("that the authority is wrong", async () => {
    const [front, other] = [await serve(), await serve()];
    const text = kubeconfigOf({ server: front.url, "certificate-authority-data": encoded(other.caPem) });
    expect(await failureOf({ servers: ["127.0.0.1"] }, text)).toMatchObject({ code: "ERR_TLS" });
  });
});

describe("a Secret", () => {
  test("in another namespace is refused unless the code lists the namespace", () => {
    const read = { ...kubeconfig, ref: () => ({ name: "remote", namespace: "other" }) };
    const text = kubeconfigOf({ server: "https://a.test" });
    const secret = { ...secretWith(text), metadata: { name: "remote", namespace: "other" } };
    const type = (secretNamespaces: readonly string[]): string =>
      targets().target({ kubeconfig: read, secretNamespaces }).definition.identify(tenant(), secret).type;
    expect([type([]), type(["third"]), type(["other"])]).toEqual(["refused", "refused", "known"]);
  });

  test("that does not exist makes the target unreachable", () => {
    expect(targets().target({ kubeconfig }).definition.identify(tenant(), undefined)).toMatchObject({ reason: "TargetUnreachable" });
  });

  test("that an owner does not name never leads to the cluster of the operator", () => {
    const read = { ...kubeconfig, ref: () => undefined };
    const target = targets({ defaultServiceAccount: "default" }).target({ kubeconfig: read });
    expect(target.definition.identify(tenant(), undefined)).toMatchObject({ type: "refused", reason: "TargetRefused" });
  });

  test.for([
    { name: "kubeconfig", data: { kubeconfig: "K", value: "x", other: "x" }, key: undefined },
    { name: "value", data: { value: "K", other: "x" }, key: undefined },
    { name: "the only key", data: { config: "K" }, key: undefined },
    { name: "the key that the code names", data: { kubeconfig: "x", a: "K" }, key: "a" },
  ])("has the kubeconfig in $name", ({ data, key }) => {
    const text = kubeconfigOf({ server: "https://a.test" });
    const filled = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, value === "K" ? text : value]));
    const target = targets().target({ kubeconfig, ...(key === undefined ? {} : { key }) });
    expect(target.definition.identify(tenant(), secretWith("", filled)).type).toBe("known");
  });

  test.for([
    { name: "several keys and none of the usual ones", data: { a: "x", b: "x" }, key: undefined },
    { name: "no data", data: {}, key: undefined },
    { name: "no such key", data: { kubeconfig: "x" }, key: "constructor" },
  ])("with $name is refused", ({ data, key }) => {
    const target = targets().target({ kubeconfig, ...(key === undefined ? {} : { key }) });
    expect(target.definition.identify(tenant(), secretWith("", data as Record<string, string>))).toMatchObject({ reason: "TargetRefused" });
  });
});

describe("a user in the step state", () => {
  const secret = secretWith(kubeconfigOf({ server: "https://a.test" }));
  const stored = (options: object, as: { readonly user: string } | undefined) =>
    targets()
      .target({ kubeconfig, ...options })
      .definition.identify(tenant(), secret, { as }).type;

  test("follows the rules for the users of owners", () => {
    const as = () => serviceAccount("web");
    expect(stored({ as }, { user: "system:serviceaccount:team:web" })).toBe("known");
    expect(stored({ as }, { user: "system:serviceaccount:ops:admin" })).toBe("refused");
    expect(stored({ as }, { user: "system:admin" })).toBe("refused");
  });

  test("is used although the function of the author throws", () => {
    const broken = (): never => {
      throw new TypeError("spec.account is missing");
    };
    const { definition } = targets().target({ kubeconfig, as: broken });
    const secret = secretWith(kubeconfigOf({ server: "https://a.test" }));
    const stored = { as: { user: "system:serviceaccount:team:web" } };
    expect(definition.identify(tenant(), secret, stored)).toMatchObject({ type: "known", as: stored.as });
    expect(() => definition.identify(tenant(), secret)).toThrow("spec.account is missing");
    expect(definition.identify(tenant(), secret, { as: { user: "system:admin" } })).toMatchObject({ type: "refused" });
  });

  test("cannot be left out where the code impersonates", () => {
    expect(stored({}, undefined)).toBe("known");
    expect(stored({ as: () => serviceAccount("web") }, undefined)).toBe("refused");
  });
});

describe("the same identity", () => {
  const text = kubeconfigOf({ server: "https://a.test" });
  const digest = (options: Parameters<ReturnType<typeof targets>["target"]>[0], secret = secretWith(text)): string => {
    const identity = targets().target(options).definition.identify(tenant(), secret);
    return identity.type === "known" ? identity.digest : identity.message;
  };
  test("has one digest, and each other user, group or credential another one", () => {
    const as = () => user("a");
    const digests = [
      digest({ kubeconfig }),
      digest({ kubeconfig, as }),
      digest({ kubeconfig, as, groups: () => ["g"] }),
      digest({ kubeconfig, as: () => serviceAccount("a") }),
      digest({ kubeconfig }, secretWith(kubeconfigOf({ server: "https://a.test" }, { token: "other" }))),
      digest({ kubeconfig }, secretWith(kubeconfigOf({ server: "https://b.test" }))),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digest({ kubeconfig })).toBe(digests[0]);
  });
});

function encoded(pem: string): string {
  return Buffer.from(pem).toString("base64");
}
