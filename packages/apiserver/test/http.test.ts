import { connect, type Socket } from "node:net";
import { request as httpsRequest } from "node:https";
import { afterEach, describe, expect, test } from "vitest";
import {
  type ApiServer,
  createApiServer,
  type HttpFront,
  type HttpsFront,
  type HttpsOptions,
  serveHttp,
  serveHttps,
} from "../src/index.ts";
import { CONFIG_MAPS, configMap, widgetCrd, WIDGETS } from "./harness.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function front(
  options: Parameters<typeof createApiServer>[0] = {},
): Promise<{ readonly server: ApiServer; readonly http: HttpFront }> {
  const server = createApiServer(options);
  const http = await serveHttp(server);
  open.push(server, http);
  return { server, http };
}

async function post(url: string, body: unknown): Promise<Response> {
  return fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
}

/** Resolves when the claim is true in a turn of the event loop. The timeout of the test limits it. */
async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await new Promise((resolve) => setImmediate(resolve));
}

describe("over HTTP", () => {
  test("a client writes and reads objects over HTTP", async () => {
    const { http } = await front();
    const created = await post(http.url + CONFIG_MAPS, configMap("a", { data: { text: "grüße" } }));
    expect(created.status).toBe(201);
    const read = await fetch(`${http.url}${CONFIG_MAPS}/a`);
    expect(read.headers.get("content-type")).toBe("application/json");
    expect(await read.json()).toMatchObject({ data: { text: "grüße" }, metadata: { managedFields: [{ manager: "node" }] } });
  });

  test.for(["?watch=true", "?%77atch=true", "?w%61tch=1"])("a watch with %s ends with its client", async (query) => {
    const { http, server } = await front();
    const controller = new AbortController();
    await fetch(http.url + CONFIG_MAPS + query, { signal: controller.signal });
    expect(server.watchCount).toBe(1);
    controller.abort();
    await until(() => server.watchCount === 0);
  });

  test("a HEAD request for a watch gets the headers, ends, and leaves no watch", async () => {
    const { http, server } = await front();
    server.install(widgetCrd());
    expect((await fetch(`${http.url}${CONFIG_MAPS}`, { method: "HEAD" })).status).toBe(405);
    const response = await fetch(`${http.url}${WIDGETS}?watch=true`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
    await until(() => server.watchCount === 0);
  });

  test("a watch delivers each change at once, and ends with its client", async () => {
    const { http, server } = await front();
    const controller = new AbortController();
    const response = await fetch(`${http.url}${CONFIG_MAPS}?watch=true`, { signal: controller.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await post(http.url + CONFIG_MAPS, configMap("a"));
    expect((await reader?.read())?.value).toMatch(/^\{"type":"ADDED","object":\{.*"name":"a".*\}\}\n$/);
    expect(server.watchCount).toBe(1);
    controller.abort();
    await reader?.read().catch(() => undefined);
    await until(() => server.watchCount === 0);
  });

  test("a client that disconnects leaves no watch behind", async () => {
    const { http, server } = await front();
    const { port } = new URL(http.url);
    const socket = await new Promise<Socket>((resolve) => {
      const made = connect(Number(port), "127.0.0.1", () => resolve(made));
    });
    socket.write(`GET ${CONFIG_MAPS}?watch=true HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until(() => server.watchCount === 1);
    socket.resetAndDestroy();
    await until(() => server.watchCount === 0);
  });

  test("a client that stops reading loses its watch, and the server does not run out of memory", async () => {
    const { http, server } = await front({ watchBuffer: 5 });
    const { port } = new URL(http.url);
    const socket = connect(Number(port), "127.0.0.1");
    open.push({ close: async () => void socket.destroy() });
    socket.pause();
    socket.write(`GET ${CONFIG_MAPS}?watch=true HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until(() => server.watchCount === 1);
    const data = { big: "x".repeat(500_000) };
    for (let i = 0; i < 200 && server.watchCount === 1; i++) {
      await server.handle({ method: "POST", path: CONFIG_MAPS, headers: {}, body: JSON.stringify(configMap(`cm-${i}`, { data })) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(server.watchCount).toBe(0);
  });

  /** Resolves with all that a connection gets for these requests, when it contains the texts. */
  async function answers(http: HttpFront, requests: string, ...texts: readonly string[]): Promise<string> {
    const socket = connect(Number(new URL(http.url).port), "127.0.0.1");
    let got = "";
    socket.on("data", (chunk) => (got += chunk.toString()));
    socket.write(requests);
    await until(() => texts.every((text) => got.includes(text)));
    socket.destroy();
    return got;
  }
  const WATCH = `${CONFIG_MAPS}?watch=true&timeoutSeconds=1`;

  test("watchers in different encodings get the same event, each in its own", async () => {
    const { http, server } = await front();
    const watching = (accept: string): Promise<string> =>
      answers(http, `GET ${WATCH} HTTP/1.1\r\nhost: x\r\naccept: ${accept}\r\n\r\n`, "grü", "\r\n0\r\n\r\n");
    const reading = [watching("application/json"), watching("application/json"), watching("application/vnd.kubernetes.protobuf")];
    await until(() => server.watchCount === 3);
    await post(http.url + CONFIG_MAPS, configMap("a", { data: { text: "grü" } }));
    const [first, second, binary] = await Promise.all(reading);
    const bodyOf = (text = ""): string => text.slice(text.indexOf("\r\n\r\n") + 4);
    expect(bodyOf(first)).toBe(bodyOf(second));
    const [size = "", line = ""] = bodyOf(first).split("\r\n");
    expect(Number.parseInt(size, 16)).toBe(Buffer.byteLength(line));
    expect(JSON.parse(line)).toMatchObject({ type: "ADDED", object: { data: { text: "grü" } } });
    expect(binary).toContain("k8s\0");
  });

  test("a client of HTTP/1.0 gets a watch without the lengths of chunks", async () => {
    const { http, server } = await front();
    const reading = answers(http, `GET ${WATCH} HTTP/1.0\r\n\r\n`, "ADDED");
    await until(() => server.watchCount === 1);
    await post(http.url + CONFIG_MAPS, configMap("a"));
    expect((await reading).split("\r\n\r\n")[1]).toMatch(/^\{"type":"ADDED".*\}\n$/);
  });

  test("a watch that was requested before the answer to an earlier request follows that answer", async () => {
    const { http, server } = await front();
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
    const reading = answers(http, get(WATCH) + get(WATCH) + get("/version"), "gitVersion");
    await until(() => server.watchCount === 2);
    await post(http.url + CONFIG_MAPS, configMap("a"));
    const parts = (await reading).split("HTTP/1.1 200 OK").slice(1);
    expect(parts.map((part) => part.split('"type":"ADDED"').length - 1)).toEqual([1, 1, 0]);
    for (const part of parts.slice(0, 2)) expect(part.endsWith("\r\n0\r\n\r\n")).toBe(true);
  });

  test("a body over the limit is refused before it is read, an unknown method gets 405", async () => {
    const { http } = await front();
    const big = await post(http.url + CONFIG_MAPS, configMap("a", { data: { x: "x".repeat(3 * 1024 * 1024) } })).catch(() => undefined);
    // The server may close the connection while the client still sends.
    if (big !== undefined) expect(big.status).toBe(413);
    const odd = await fetch(`${http.url}${CONFIG_MAPS}`, { method: "OPTIONS" });
    expect(odd.status).toBe(405);
    expect(await odd.json()).toMatchObject({ kind: "Status", reason: "MethodNotAllowed" });
    expect((await fetch(`${http.url}/absent`, { method: "OPTIONS" })).status).toBe(404);
    expect((await fetch(`${http.url}/healthz`, { method: "HEAD" })).status).toBe(200);
  });

  test("closing the front ends its watches, but not the server", async () => {
    const { http, server } = await front();
    const response = await fetch(`${http.url}${CONFIG_MAPS}?watch=true`);
    await http.close();
    await response.text().catch(() => undefined);
    await until(() => server.watchCount === 0);
    expect((await server.handle({ method: "GET", path: "/healthz", headers: {} })).status).toBe(200);
  });

  test("a port in use is an error", async () => {
    const { http, server } = await front();
    await expect(serveHttp(server, { port: Number(new URL(http.url).port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("over HTTPS", () => {
  async function secure(auth: HttpsOptions["auth"]): Promise<HttpsFront> {
    const server = createApiServer();
    const made = await serveHttps(server, auth === undefined ? {} : { auth });
    open.push(server, made);
    return made;
  }

  function get(url: string, options: object): Promise<{ readonly status: number; readonly body: string }> {
    return new Promise((resolve, reject) => {
      const request = httpsRequest(url, options, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (body += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      });
      request.on("error", reject);
      request.end();
    });
  }

  test("the server's certificate is trusted only with its authority", async () => {
    const made = await secure(undefined);
    expect((await get(`${made.url}/api/v1/namespaces`, { ca: made.caPem })).status).toBe(200);
    await expect(get(`${made.url}/api/v1/namespaces`, {})).rejects.toThrow(/certificate/);
  });

  test("a token or a client certificate authenticates, a request without one gets 401", async () => {
    const made = await secure({ token: "secret", clientCertificate: true });
    const ca = made.caPem;
    const url = `${made.url}/api/v1/namespaces`;
    const refused = await get(url, { ca });
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.body)).toMatchObject({ reason: "Unauthorized", message: "Unauthorized", code: 401 });
    expect((await get(url, { ca, headers: { authorization: "Bearer wrong!" } })).status).toBe(401);
    expect((await get(url, { ca, headers: { authorization: "Bearer secret" } })).status).toBe(200);
    expect((await get(url, { ca, cert: made.client.certPem, key: made.client.keyPem })).status).toBe(200);
    expect((await get(`${made.url}/healthz`, { ca })).status).toBe(200);
  });

  test("the kubeconfig contains the address, the authority and the credentials", async () => {
    const made = await secure({ token: "secret" });
    const config = JSON.parse(made.kubeconfig());
    expect(config.clusters[0].cluster.server).toBe(made.url);
    expect(Buffer.from(config.clusters[0].cluster["certificate-authority-data"], "base64").toString()).toBe(made.caPem);
    expect(config.users[0].user).toEqual({ token: "secret" });
  });
});
