/** What the fronts add to answers, as a real server does: headers, a final line break, indentation, compression, and HTTP/2. */
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { request as plainRequest } from "node:http";
import { afterEach, expect, test } from "vitest";
import { createApiServer, type HttpFront, type HttpsFront, serveHttp, serveHttps } from "../src/index.ts";
import { CONFIG_MAPS, configMap } from "./harness.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function http(): Promise<HttpFront> {
  const server = createApiServer();
  const front = await serveHttp(server);
  open.push(server, front);
  return front;
}

const ONE = "/api/v1/namespaces/default";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** A request with exactly these headers. */
function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    plainRequest(url, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    })
      .on("error", reject)
      .end();
  });
}

test("each answer has an id of the audit log, which is the client's if it sent one", async () => {
  const { url } = await http();
  const { headers } = await get(url + ONE);
  expect(headers).toMatchObject({ "audit-id": expect.stringMatching(/^[-0-9a-f]{36}$/), "cache-control": "no-cache, private" });
  expect((await get(url + ONE, { "audit-id": "mine" })).headers["audit-id"]).toBe("mine");
  expect((await get(`${url}/nope`)).headers["audit-id"]).toMatch(/^[-0-9a-f]{36}$/);
});

test.for([
  { path: ONE, headers: {}, end: "}\n", indented: false },
  { path: "/api/v1/namespaces/nope", headers: {}, end: "}\n", indented: false },
  { path: "/apis", headers: {}, end: "}\n", indented: false },
  { path: ONE, headers: { "user-agent": "curl/8.0" }, end: "\n}", indented: true },
  { path: `${ONE}?pretty=true`, headers: {}, end: "\n}", indented: true },
  { path: `${ONE}?pretty=false`, headers: { "user-agent": "curl/8.0" }, end: "}\n", indented: false },
  { path: ONE, headers: { accept: "text/html" }, end: "}", indented: false },
  { path: "/version", headers: {}, end: "\n}", indented: true },
  { path: "/", headers: {}, end: "\n}", indented: true },
  { path: "/openapi/v3/api/v1", headers: { "user-agent": "curl/8.0" }, end: "}", indented: false },
])("$path with the headers $headers ends with $end", async ({ path, headers, end, indented }) => {
  const { url } = await http();
  const text = (await get(url + path, headers)).body.toString();
  expect(text.slice(-end.length)).toBe(end);
  expect(text.includes("\n  ")).toBe(indented);
});

test("texts and documents have the headers of a real server", async () => {
  const { url } = await http();
  expect((await get(`${url}/readyz`)).headers).toMatchObject({ "x-content-type-options": "nosniff" });
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  expect((await get(`${url}/apis`, { accept })).headers).toMatchObject({
    "content-type": accept,
    "cache-control": "public",
    vary: "Accept",
  });
  expect((await get(`${url}/readyz/ping`)).headers).not.toHaveProperty("x-content-type-options");
  expect(JSON.parse((await get(`${url}/version`)).body.toString())).toMatchObject({ emulationMinor: "36", minCompatibilityMinor: "35" });
});

test("an answer over 128 KiB is compressed for a client that accepts gzip", async () => {
  const { url } = await http();
  const created = await fetch(url + CONFIG_MAPS, {
    method: "POST",
    body: JSON.stringify(configMap("big", { data: { text: "x".repeat(200_000) } })),
    headers: { "content-type": "application/json" },
  });
  expect(created.headers.get("content-encoding")).toBe("gzip");
  expect(await created.json()).toMatchObject({ metadata: { name: "big" } });
  const path = `${url}${CONFIG_MAPS}/big`;
  const packed = await get(path, { "accept-encoding": "br, gzip" });
  expect(packed.headers).toMatchObject({
    "content-encoding": "gzip",
    vary: "Accept-Encoding",
    "content-length": String(packed.body.length),
  });
  expect(packed.body.length).toBeLessThan(2_000);
  for (const encoding of ["", "br", "gzip;q=0.5", "GZIP"]) {
    const { headers, body } = await get(path, encoding === "" ? {} : { "accept-encoding": encoding });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(body.length).toBeGreaterThan(200_000);
  }
  expect((await get(url + ONE, { "accept-encoding": "gzip" })).headers["content-encoding"]).toBeUndefined();
});

test("a request that offers HTTP/2 without TLS is answered as HTTP/1.1", async () => {
  const { url } = await http();
  const body = JSON.stringify(configMap("a"));
  const socket = connectTcp(Number(new URL(url).port), "127.0.0.1");
  const offer = "host: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n";
  const head = `POST ${CONFIG_MAPS} HTTP/1.1\r\n${offer}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.write(head + body.slice(0, 10));
  let text = "";
  socket.on("data", (data) => {
    text += data.toString();
  });
  setImmediate(() => socket.write(body.slice(10)));
  await expect.poll(() => text).toMatch(/^HTTP\/1\.1 201 Created\r\n[\s\S]*"name":"a"/);
  socket.write(`GET ${CONFIG_MAPS}/a HTTP/1.1\r\nhost: x\r\n\r\n`);
  await expect.poll(() => text).toMatch(/HTTP\/1\.1 200 OK/);
  socket.destroy();
});

async function https(): Promise<{ readonly front: HttpsFront; readonly server: ReturnType<typeof createApiServer> }> {
  const server = createApiServer();
  const front = await serveHttps(server, { auth: { clientCertificate: true } });
  open.push(server, front);
  return { front, server };
}

test("a client of HTTP/2 writes, reads and watches over one connection", async () => {
  const { front, server } = await https();
  const session = connectHttp2(front.url, { ca: front.caPem, cert: front.client.certPem, key: front.client.keyPem });
  const send = (headers: Record<string, string>, body = "") =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const stream = session.request(headers);
      let [status, text] = [0, ""];
      stream.on("response", (given) => {
        status = given[":status"] ?? 0;
      });
      stream.on("data", (data: Buffer) => {
        text += data.toString();
      });
      stream.on("end", () => resolve({ status, text }));
      stream.on("error", reject);
      if (headers[":method"] !== undefined) stream.end(body);
    });
  const watch = session.request({ ":path": `${CONFIG_MAPS}?watch=true` });
  let events = "";
  watch.on("data", (data: Buffer) => {
    events += data.toString();
  });
  const json = JSON.stringify(configMap("a"));
  expect(await send({ ":path": CONFIG_MAPS, ":method": "POST", "content-type": "application/json" }, json)).toMatchObject({ status: 201 });
  expect(await send({ ":path": `${CONFIG_MAPS}/a` })).toMatchObject({ status: 200, text: expect.stringContaining('"name":"a"') });
  expect(await send({ ":path": "/nope" })).toMatchObject({ status: 404 });
  const tooBig = { ":path": CONFIG_MAPS, ":method": "POST", "content-length": "4000000" };
  expect(await send(tooBig).catch(() => ({ status: 413 }))).toMatchObject({ status: 413 });
  await expect.poll(() => events).toContain('"ADDED"');
  expect(server.watchCount).toBe(1);
  watch.close();
  await expect.poll(() => server.watchCount).toBe(0);
  session.close();
});

test("a connection of HTTP/2 has 100 watches at once, and each gets an event", async () => {
  const { front, server } = await https();
  const session = connectHttp2(front.url, { ca: front.caPem, cert: front.client.certPem, key: front.client.keyPem });
  const settings = new Promise((resolve) => session.once("remoteSettings", resolve));
  const events = Array.from({ length: 100 }, () => "");
  const streams = events.map((_, i) => {
    const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=true` });
    stream.on("data", (data: Buffer) => (events[i] += data.toString()));
    return stream;
  });
  await expect.poll(() => server.watchCount).toBe(100);
  expect(await settings).toMatchObject({ maxConcurrentStreams: 100, initialWindowSize: 262_144 });
  const headers = { "content-type": "application/json" };
  await server.transport().request({ method: "POST", path: CONFIG_MAPS, headers, body: JSON.stringify(configMap("a")) });
  await expect.poll(() => events.filter((text) => text.includes('"ADDED"')).length).toBe(100);
  for (const stream of streams) stream.close();
  await expect.poll(() => server.watchCount).toBe(0);
  session.close();
});

test("a client of HTTP/2 without credentials gets 401", async () => {
  const { front } = await https();
  const session = connectHttp2(front.url, { ca: front.caPem });
  const stream = session.request({ ":path": ONE });
  const status = await new Promise((resolve) => stream.on("response", (headers) => resolve(headers[":status"])));
  expect(status).toBe(401);
  session.close();
});

test("closing the front ends connections of HTTP/2", async () => {
  const { front } = await https();
  const session = connectHttp2(front.url, { ca: front.caPem, cert: front.client.certPem, key: front.client.keyPem });
  session.on("error", () => {});
  const stream = session.request({ ":path": `${CONFIG_MAPS}?watch=true` });
  stream.on("error", () => {});
  await new Promise((resolve) => stream.on("response", resolve));
  const closed = new Promise((resolve) => session.on("close", resolve));
  await front.close();
  await closed;
});

const DOCUMENT = "/openapi/v3/api/v1";

test.for([
  { range: "bytes=0-9", status: 206, part: (text: string) => text.slice(0, 10) },
  { range: "bytes=-5", status: 206, part: (text: string) => text.slice(-5) },
  { range: "bytes=5-", status: 206, part: (text: string) => text.slice(5) },
  { range: "bytes=0-1,4-5", status: 200, part: (text: string) => text },
  { range: "bytes=9-3", status: 416, part: () => "invalid range\n" },
  { range: "bytes=99999999-", status: 416, part: () => "invalid range: failed to overlap\n" },
])("a document of OpenAPI is sent with $range as $status", async ({ range, status, part }) => {
  const { url } = await http();
  const whole = (await get(url + DOCUMENT)).body.toString();
  const answer = await get(url + DOCUMENT, { range });
  expect([answer.status, answer.body.toString()]).toEqual([status, part(whole)]);
});

test("a range of a document that has changed meanwhile is the whole document", async () => {
  const { url } = await http();
  const { headers, body } = await get(url + DOCUMENT);
  const answer = await get(url + DOCUMENT, { range: "bytes=0-9", "if-range": '"older"' });
  expect([answer.status, answer.body.length]).toEqual([200, body.length]);
  expect((await get(url + DOCUMENT, { range: "bytes=0-9", "if-range": String(headers["etag"]) })).status).toBe(206);
});

test("a document of OpenAPI that the client has is not sent again", async () => {
  const { url } = await http();
  for (const path of [DOCUMENT, "/openapi/v2"]) {
    const { headers } = await get(url + path);
    expect(headers).toMatchObject({ "accept-ranges": "bytes", etag: expect.stringMatching(/^"[0-9A-F]+"$/) });
    const again = await get(url + path, { "if-none-match": String(headers["etag"]) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  }
});

test("a document of OpenAPI at its hash may be kept for a year, and another hash leads to it", async () => {
  const { url } = await http();
  const hash = String((await get(url + DOCUMENT)).headers["etag"]).slice(1, -1);
  expect((await get(`${url}${DOCUMENT}?hash=${hash}`)).headers).toMatchObject({ "cache-control": "public, immutable" });
  const other = await get(`${url}${DOCUMENT}?hash=OTHER`);
  expect([other.status, other.headers["location"]]).toEqual([301, `${DOCUMENT}?hash=${hash}`]);
});

test("/openapi/v2 is compressed for a client that accepts gzip, and a format that it does not have is refused", async () => {
  const { url } = await http();
  expect((await get(`${url}/openapi/v2`, { "accept-encoding": "gzip" })).headers["content-encoding"]).toBe("gzip");
  expect((await get(`${url}/openapi/v2`, { "accept-encoding": "gzip;q=0" })).headers["content-encoding"]).toBeUndefined();
  expect((await get(`${url}/openapi/v2`, { accept: "text/html" })).status).toBe(406);
});

test("GET / lists each group, version and check", async () => {
  const { url } = await http();
  const { paths } = JSON.parse((await get(`${url}/`)).body.toString()) as { readonly paths: readonly string[] };
  expect(paths).toEqual(
    expect.arrayContaining(["/apis/apps", "/apis/apps/v1", "/healthz/ping", "/metrics", "/openapi/v3", "/readyz/etcd"]),
  );
  expect(paths).toEqual(paths.toSorted());
});
