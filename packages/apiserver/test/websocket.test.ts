/** Watches over WebSocket, with the client of Node and with raw bytes. */
import { EventEmitter } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { ADMINISTRATOR } from "../src/authorization/identity.ts";
import { serveWebSockets } from "../src/front/websocket.ts";
import { type ApiServer, createApiServer, serveHttp, serveHttps } from "../src/index.ts";
import { CONFIG_MAPS, configMap } from "./harness.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

const WATCH = `${CONFIG_MAPS}?watch=true`;
const ORIGIN = { headers: { origin: "http://localhost" } };

interface Stage {
  readonly server: ApiServer;
  readonly url: string;
  create(name: string): Promise<void>;
}

async function stage(options: Parameters<typeof createApiServer>[0] = {}): Promise<Stage> {
  const server = createApiServer(options);
  const front = await serveHttp(server);
  open.push(server, front);
  const { request } = server.transport();
  const create = async (name: string): Promise<void> => {
    await request({
      method: "POST",
      path: CONFIG_MAPS,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(configMap(name)),
    });
  };
  return { server, url: front.url.replace("http", "ws"), create };
}

interface Message {
  readonly text: string;
  readonly isBinary: boolean;
}

class Client {
  readonly messages: Message[] = [];
  /** `open`, `close CODE`, or `refused STATUS BODY`. */
  readonly ended: Promise<string>;
  readonly opened: Promise<void>;
  readonly ws: WebSocket;

  constructor(ws: WebSocket) {
    this.ws = ws;
    this.opened = new Promise((resolve) => ws.once("open", () => resolve()));
    ws.on("message", (data, isBinary) => this.messages.push({ text: (data as Buffer).toString("latin1"), isBinary }));
    ws.on("error", () => {});
    this.ended = new Promise((resolve) => {
      ws.once("close", (code) => resolve(`close ${code}`));
      ws.once("unexpected-response", (_, response) => {
        let body = "";
        response.on("data", (data: Buffer) => {
          body += data.toString();
        });
        response.on("end", () => resolve(`refused ${response.statusCode} ${body}`));
      });
    });
  }
}

test("each event is one text message with JSON", async () => {
  const { server, url, create } = await stage();
  await create("a");
  const client = new Client(new WebSocket(url + WATCH, ORIGIN));
  await client.opened;
  await create("b");
  await expect.poll(() => client.messages.length).toBe(2);
  expect(client.messages.map(({ text, isBinary }) => [JSON.parse(text).object.metadata.name, text.at(-1), isBinary])).toEqual([
    ["a", "\n", false],
    ["b", "\n", false],
  ]);
  client.ws.close();
  await expect.poll(() => server.watchCount).toBe(0);
});

test("events in protobuf are binary messages without their length", async () => {
  const { url, create } = await stage();
  await create("a");
  const headers = { ...ORIGIN.headers, accept: "application/vnd.kubernetes.protobuf;stream=watch" };
  const client = new Client(new WebSocket(url + WATCH, { headers }));
  await expect.poll(() => client.messages.length).toBe(1);
  const [{ text, isBinary } = { text: "", isBinary: false }] = client.messages;
  expect([text.startsWith("\n\u0005ADDED"), isBinary]).toEqual([true, true]);
});

test("the timeout of a watch closes the connection with 1000", async () => {
  const { url } = await stage();
  const client = new Client(new WebSocket(`${url}${WATCH}&timeoutSeconds=1`, ORIGIN));
  expect(await client.ended).toBe("close 1000");
});

test("an expired version is an event with an error, and the end", async () => {
  const { server, url, create } = await stage({ historyLimit: 1 });
  for (const name of ["a", "b", "c"]) await create(name);
  server.compact();
  const client = new Client(new WebSocket(`${url}${WATCH}&resourceVersion=1`, ORIGIN));
  expect(await client.ended).toBe("close 1000");
  expect(client.messages.map(({ text }) => JSON.parse(text))).toMatchObject([{ type: "ERROR", object: { code: 410 } }]);
});

test("the server answers pings and ignores messages", async () => {
  const { url, create } = await stage();
  const client = new Client(new WebSocket(url + WATCH, ORIGIN));
  await client.opened;
  client.ws.send("hello");
  client.ws.send(Buffer.from([1, 2, 3]));
  const pong = new Promise((resolve) => client.ws.once("pong", (data) => resolve(data.toString())));
  client.ws.ping("hi");
  expect(await pong).toBe("hi");
  await create("a");
  await expect.poll(() => client.messages.length).toBe(1);
});

test.for([
  { text: "a list", path: CONFIG_MAPS, answer: /^refused 200 .*"ConfigMapList"/ },
  { text: "an object that does not exist", path: `${CONFIG_MAPS}/nope`, answer: /^refused 404 .*"NotFound"/ },
  { text: "a version that is not readable", path: `${WATCH}&resourceVersion=abc`, answer: /^refused 500 .*invalid syntax/ },
  { text: "a watch without an origin", path: WATCH, headers: {}, answer: /^refused 403 $/ },
  { text: "a watch with two protocols", path: WATCH, protocols: ["a", "b"], answer: /^refused 400 $/ },
])("$text is answered as a request", async ({ path, headers, protocols = [], answer }) => {
  const { server, url } = await stage();
  const client = new Client(new WebSocket(url + path, [...protocols], headers === undefined ? ORIGIN : { headers }));
  expect(await client.ended).toMatch(answer);
  await expect.poll(() => server.watchCount).toBe(0);
});

test("one protocol is confirmed, whatever it is", async () => {
  const { url } = await stage();
  const client = new Client(new WebSocket(url + WATCH, ["base64.binary.k8s.io"], ORIGIN));
  await client.opened;
  expect(client.ws.protocol).toBe("base64.binary.k8s.io");
});

test("a token as a protocol authenticates, and is not confirmed", async () => {
  const server = createApiServer({ tokens: { s3cret: { user: "anna" } } });
  const front = await serveHttps(server, { auth: {} });
  open.push(server, front);
  const url = front.url.replace("https", "wss") + WATCH;
  const tokenOf = (token: string): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(token).toString("base64url")}`;
  const known = new Client(new WebSocket(url, [tokenOf("s3cret"), "binary.k8s.io"], { ...ORIGIN, ca: front.caPem }));
  await known.opened;
  expect(known.ws.protocol).toBe("binary.k8s.io");
  for (const protocols of [[tokenOf("other"), "binary.k8s.io"], [tokenOf("s3cret")], []]) {
    const client = new Client(new WebSocket(url, protocols, { ...ORIGIN, ca: front.caPem }));
    expect(await client.ended).toMatch(/^refused 401 .*Unauthorized/);
  }
});

test("closing the front ends its connections", async () => {
  const { url } = await stage();
  const client = new Client(new WebSocket(url + WATCH, ORIGIN));
  await client.opened;
  await open.pop()?.close();
  expect(await client.ended).toBe("close 1006");
});

const HANDSHAKE = [
  `GET ${WATCH} HTTP/1.1`,
  "host: x",
  "origin: http://x",
  "connection: Upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
];

test.for([
  { text: "without a key", lines: [], after: "" },
  { text: "of an unknown version", lines: ["sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-version: 8"], after: "" },
  { text: "with a frame without a mask", lines: ["sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA=="], after: "\x81\x05hello" },
  { text: "and a close", lines: ["sec-websocket-key: any"], after: "\x88\x80\0\0\0\0" },
])("a handshake $text ends, and leaves no watch", async ({ lines, after }) => {
  const { server, url } = await stage();
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  socket.resume();
  socket.write(`${[...HANDSHAKE, ...lines].join("\r\n")}\r\n\r\n`);
  socket.write(Buffer.from(after, "latin1"));
  await closed;
  await expect.poll(() => server.watchCount).toBe(0);
});

test("a client that stops reading loses its watch", async () => {
  const { server, url } = await stage({ watchBuffer: 5 });
  const client = new Client(new WebSocket(url + WATCH, ORIGIN));
  await client.opened;
  client.ws.pause();
  const { request } = server.transport();
  const data = { text: "x".repeat(500_000) };
  for (let nth = 0; server.watchCount > 0 && nth < 200; nth++)
    await request({
      method: "POST",
      path: CONFIG_MAPS,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(configMap(`m-${nth}`, { data })),
    });
  expect(server.watchCount).toBe(0);
  client.ws.terminate();
});

test("a client that sends pings and reads no pongs is not read", async () => {
  const server = createApiServer();
  open.push(server);
  const http = new EventEmitter();
  serveWebSockets(server, http as Server, () => ADMINISTRATOR);
  const headers = { ...ORIGIN.headers, upgrade: "websocket", "sec-websocket-key": "key", "sec-websocket-version": "13" };
  // It never accepts what is written.
  const socket = new Duplex({ read: () => {}, write: () => {} });
  http.emit("upgrade", { method: "GET", url: WATCH, headers } as unknown as IncomingMessage, socket, Buffer.alloc(0));
  await expect.poll(() => server.watchCount).toBe(1);
  const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
  const pings = Buffer.concat(Array.from({ length: 10_000 }, () => ping));
  for (let nth = 0; nth < 20; nth++) socket.push(pings);
  await expect.poll(() => socket.isPaused()).toBe(true);
  expect(socket.writableLength).toBeLessThan(100_000);
  socket.destroy();
  await expect.poll(() => server.watchCount).toBe(0);
});

test("a close of the client is answered with 1000, whatever its code is", async () => {
  const { url } = await stage();
  const client = new Client(new WebSocket(url + WATCH, ORIGIN));
  await client.opened;
  client.ws.close(4001, "enough");
  expect(await client.ended).toBe("close 1000");
});
