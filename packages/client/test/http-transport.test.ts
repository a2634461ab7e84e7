import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type http from "node:http";
import http2 from "node:http2";
import type net from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { inspect } from "node:util";
import { type Clock, fakeClock, kind } from "@treadle/apimachinery";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Credentials, createClient, fileCredentials, type HttpTransportOptions, httpTransport } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startServer } from "./http-server.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const ref = { name: "a", namespace: "ns" };
const added = (name: string) => ({ type: "ADDED", object: { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name } } });

function clientOf(options: HttpTransportOptions, clock?: Clock) {
  const client = createClient({ transport: httpTransport(options), ...(clock === undefined ? {} : { clock }), retry: false });
  onTestFinished(() => client.close());
  return client;
}

const answer =
  (body: (request: http.IncomingMessage) => object, status = 200): http.RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ kind: "Widget", ...body(request) }));
  };

async function read(events: AsyncIterable<unknown>): Promise<{ readonly events: readonly unknown[]; readonly error?: unknown }> {
  const seen: unknown[] = [];
  try {
    for await (const event of events) seen.push(event);
    return { events: seen };
  } catch (error) {
    return { events: seen, error };
  }
}

describe("calls", () => {
  test("use few connections, separate from those of watches", async () => {
    const server = await startServer((request, response) => {
      if (request.url?.includes("watch=true")) response.writeHead(200).write("\n");
      else response.end(JSON.stringify({ kind: "Widget", metadata: { name: "a" } }));
    });
    const client = clientOf({ server: server.url });
    const controller = new AbortController();
    const watches = await Promise.all(Array.from({ length: 40 }, () => client.watch(Widget, { signal: controller.signal })));
    const before = server.connections();
    for (let i = 0; i < 50; i++) await client.get(Widget, ref);
    expect(server.connections() - before).toBeLessThanOrEqual(2);
    expect(watches).toHaveLength(40);
    controller.abort();
  });

  test("keep the path of the server URL and send bodies whole", async () => {
    const seen: unknown[] = [];
    const server = await startServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        seen.push([request.method, request.url, request.headers["content-type"], JSON.parse(body)]);
        response.end(body);
      });
    });
    const client = clientOf({ server: `${server.url}/k8s/clusters/c-1/` });
    const body = { kind: "Widget", spec: { text: "ümläut 🧵".repeat(10_000) } };
    await client.patch(Widget, ref, { type: "merge", body });
    expect(seen).toEqual([
      ["PATCH", "/k8s/clusters/c-1/apis/example.dev/v1/namespaces/ns/widgets/a", "application/merge-patch+json", body],
    ]);
  });

  test("to a closed port name the address", async () => {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const { port } = listener.address() as net.AddressInfo; // it listens on TCP
    await new Promise((resolve) => listener.close(resolve));
    const error = await clientOf({ server: `http://127.0.0.1:${port}` })
      .list(Widget)
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ name: "ConnectionError", code: "ERR_UNREACHABLE" });
    expect(String(error)).toContain(`cannot list Widget: no connection to http://127.0.0.1:${port}: connect ECONNREFUSED`);
  });

  test("to an unknown host name the host", async () => {
    const error = await clientOf({ server: "https://does-not-exist.invalid" })
      .list(Widget)
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "ERR_UNREACHABLE", server: "https://does-not-exist.invalid" });
  });

  test("that are reset, cut or not answered in time have different codes", async () => {
    const server = await startServer((request, response) => {
      if (request.url?.endsWith("/reset")) (request.socket as net.Socket).resetAndDestroy();
      if (request.url?.endsWith("/cut")) {
        response.writeHead(200, { "content-length": "1000" }).write('{"metadata"');
        setImmediate(() => request.socket.destroy());
      }
    });
    const client = clientOf({ server: server.url, headersTimeoutMs: 200 });
    const codes = ["reset", "cut", "silence"].map((name) =>
      client.get(Widget, { name, namespace: "ns" }).catch((cause: { code: string }) => cause.code),
    );
    expect(await Promise.all(codes)).toEqual(["ERR_CONNECTION_LOST", "ERR_CONNECTION_LOST", "ERR_TIMEOUT"]);
  });

  test("to a server without HTTP are an error that does not quote the answer", async () => {
    const listener = createServer((socket) => void socket.end("220 hunter2 SMTP\r\n"));
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void listener.close());
    const { port } = listener.address() as net.AddressInfo; // it listens on TCP
    const error = await clientOf({ server: `http://127.0.0.1:${port}` })
      .list(Widget)
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "ERR_INVALID_RESPONSE" });
    expect(inspect(error, { depth: 5, showHidden: true })).not.toContain("hunter2");
  });

  test("are ended by their signal, on the connection as well", async () => {
    let closed: Promise<unknown> | undefined;
    const arrived = Promise.withResolvers<void>();
    const server = await startServer((request) => {
      closed = new Promise((resolve) => request.socket.once("close", resolve));
      arrived.resolve();
    });
    const controller = new AbortController();
    const call = clientOf({ server: server.url }).get(Widget, ref, { signal: controller.signal });
    await arrived.promise;
    const reason = new Error("boom");
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await closed;
  });

  test("after close fail at once, and calls in progress finish", async () => {
    const arrived = Promise.withResolvers<http.ServerResponse>();
    const server = await startServer((_, response) => arrived.resolve(response));
    const client = clientOf({ server: server.url });
    const call = client.get(Widget, ref);
    const response = await arrived.promise;
    const closed = client.close();
    response.end(JSON.stringify({ kind: "Widget", metadata: { name: "a" } }));
    await expect(call).resolves.toEqual({ kind: "Widget", metadata: { name: "a" } });
    await closed;
    await expect(client.get(Widget, ref)).rejects.toMatchObject({ code: "ERR_CLOSED" });
  });
});

describe("watches", () => {
  test("that are refused release their connections, whether their answers end or not", async () => {
    let requests = 0;
    const server = await startServer((_, response) => {
      requests++;
      response.writeHead(503, { "retry-after": "0" }).write("x".repeat(200_000));
    });
    const transport = httpTransport({ server: server.url });
    const client = createClient({ transport });
    await expect(client.watch(Widget)).rejects.toMatchObject({ status: 503 });
    await server.idle();
    expect(requests).toBe(11);
    await client.close();
  });

  test("join characters that are split between packets, and end when the server ends", async () => {
    const line = Buffer.from(`${JSON.stringify(added("ü🧵"))}\n`);
    const server = await startServer((_, response) => {
      response.socket?.setNoDelay(true);
      const rest = [...line];
      const writeNext = (): void => {
        const byte = rest.shift();
        if (byte === undefined) return void response.end();
        response.write(Buffer.from([byte]));
        setImmediate(writeNext);
      };
      writeNext();
    });
    expect(await read(await clientOf({ server: server.url }).watch(Widget))).toEqual({ events: [added("ü🧵")] });
  });

  test.for([
    { name: "reset", code: "ERR_CONNECTION_LOST", end: (socket: net.Socket) => socket.resetAndDestroy() },
    { name: "closed in the middle", code: "ERR_CONNECTION_LOST", end: (socket: net.Socket) => socket.destroy() },
  ])("that are $name give the events before, then the error", async ({ code, end }) => {
    const server = await startServer((_, response) => void response.write(`${JSON.stringify(added("a"))}\n`));
    const events = (await clientOf({ server: server.url }).watch(Widget))[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: added("a") });
    for (const socket of server.sockets) end(socket);
    await expect(events.next()).rejects.toMatchObject({ name: "ConnectionError", code, server: server.url });
  });

  test.for(["abort", "break", "close"])("close their connections on %s", async (how) => {
    const closed = Promise.withResolvers<void>();
    const server = await startServer((request, response) => {
      request.socket.once("close", () => closed.resolve());
      response.write(`${JSON.stringify(added("a"))}\n`);
    });
    const client = clientOf({ server: server.url });
    const controller = new AbortController();
    const reading = (async () => {
      for await (const _ of await client.watch(Widget, { signal: controller.signal })) {
        if (how === "break") break;
        if (how === "abort") controller.abort(new Error("boom"));
        else void client.close();
      }
    })();
    if (how === "break") await reading;
    else await expect(reading).rejects.toMatchObject(how === "abort" ? { message: "boom" } : { code: "ERR_CLOSED" });
    await closed.promise;
  });

  test("that are not read may be aborted or broken without harm", async () => {
    const server = await startServer((request, response) => {
      if (request.url?.includes("watch=true")) response.write("\n");
      else response.end(JSON.stringify({ kind: "Widget", metadata: { name: "a" } }));
    });
    const client = clientOf({ server: server.url });
    const controller = new AbortController();
    await client.watch(Widget, { signal: controller.signal });
    controller.abort();
    await server.idle();
    await client.watch(Widget);
    for (const socket of server.sockets) socket.resetAndDestroy();
    await server.idle();
    // An "error" event that nobody hears would end the process in one of these turns.
    expect(await client.get(Widget, ref)).toEqual({ kind: "Widget", metadata: { name: "a" } });
  });

  test("may be silent for longer than a call", async () => {
    const server = await startServer((_, response) => {
      response.write("\n");
      setTimeout(() => response.end(`${JSON.stringify(added("late"))}\n`), 1500);
    });
    const client = clientOf({ server: server.url, headersTimeoutMs: 200 });
    expect(await read(await client.watch(Widget))).toEqual({ events: [added("late")] });
  });
});

describe("TLS", () => {
  test("accepts the given authority, and refuses an unknown one with server and cause", async () => {
    const keys = await selfSigned("one");
    const server = await startServer(
      answer(() => ({ ok: true })),
      keys,
    );
    await expect(clientOf({ server: server.url, credentials: { ca: keys.cert } }).get(Widget, ref)).resolves.toMatchObject({ ok: true });
    await expect(clientOf({ server: server.url, isInsecure: true }).get(Widget, ref)).resolves.toMatchObject({ ok: true });
    await expect(
      clientOf({ server: server.url, credentials: { ca: keys.cert }, serverName: "api.test" }).get(Widget, ref),
    ).resolves.toMatchObject({ ok: true });
    for (const options of [{}, { credentials: { ca: keys.cert }, serverName: "other.test" }]) {
      const error = await clientOf({ server: server.url, ...options })
        .get(Widget, ref)
        .catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: "ERR_TLS", isOutcomeUnknown: false });
      expect(String(error)).toContain(`cannot get Widget ns/a: no trusted connection to ${server.url}`);
    }
  });

  test("sends the token, and no token over http", async () => {
    const keys = await selfSigned("one");
    const tell = answer((request) => ({ authorization: request.headers.authorization ?? null }));
    const credentials: Credentials = { ca: keys.cert, headers: { authorization: "Bearer t" } };
    const secure = await startServer(tell, keys);
    const plain = await startServer(tell);
    expect(await clientOf({ server: secure.url, credentials }).get(Widget, ref)).toMatchObject({ authorization: "Bearer t" });
    expect(await clientOf({ server: plain.url, credentials }).get(Widget, ref)).toMatchObject({ authorization: null });
  });

  test("sends the client certificate", async () => {
    const [keys, user] = await Promise.all([selfSigned("server"), selfSigned("jane")]);
    const tell = answer((request) => ({ name: (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? null }));
    const server = await startServer(tell, { ...keys, ca: user.cert, requestCert: true, rejectUnauthorized: false });
    expect(await clientOf({ server: server.url, credentials: { ca: keys.cert, ...user } }).get(Widget, ref)).toMatchObject({
      name: "jane",
    });
  });

  test("uses HTTP/2 when it is enabled, and HTTP/1.1 otherwise", async () => {
    const keys = await selfSigned("one");
    const server = http2.createSecureServer({ ...keys, allowHTTP1: true }, (request, response) => {
      request.resume();
      const event = added(request.httpVersion);
      if (request.url.includes("watch=true")) response.write(`${JSON.stringify(event)}\n`);
      else response.end(JSON.stringify({ kind: "Widget", ...event }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `https://127.0.0.1:${(server.address() as net.AddressInfo).port}`; // it listens on TCP
    for (const [isOn, version] of [
      [true, "2.0"],
      [false, "1.1"],
    ] as const) {
      const client = clientOf({ server: url, credentials: { ca: keys.cert }, http2: isOn });
      expect(await client.get(Widget, ref)).toMatchObject(added(version));
      const controller = new AbortController();
      const events = (await client.watch(Widget, { signal: controller.signal }))[Symbol.asyncIterator]();
      expect(await events.next()).toEqual({ done: false, value: added(version) });
      const reason = new Error("boom");
      controller.abort(reason);
      await expect(events.next()).rejects.toBe(reason);
    }
  });
});

describe("credentials that change", () => {
  async function files() {
    const directory = await mkdtemp(join(tmpdir(), "treadle-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    return { tokenFile: join(directory, "token"), caFile: join(directory, "ca.crt") };
  }
  const tell = answer((request) => ({ authorization: request.headers.authorization }));

  test("a token file is read again after a minute, and the connections stay", async () => {
    const keys = await selfSigned("one");
    const server = await startServer(tell, keys);
    const paths = await files();
    writeFileSync(paths.tokenFile, "one\n");
    writeFileSync(paths.caFile, keys.cert);
    const clock = fakeClock();
    const client = clientOf({ server: server.url, credentials: fileCredentials(paths, clock) }, clock);
    expect(await client.get(Widget, ref)).toMatchObject({ authorization: "Bearer one" });
    writeFileSync(paths.tokenFile, "two\n");
    await clock.advance(59_999);
    expect(await client.get(Widget, ref)).toMatchObject({ authorization: "Bearer one" });
    await clock.advance(1);
    expect(await client.get(Widget, ref)).toMatchObject({ authorization: "Bearer two" });
    await rm(paths.tokenFile);
    await clock.advance(60_000);
    expect(await client.get(Widget, ref)).toMatchObject({ authorization: "Bearer two" });
    expect(server.connections()).toBe(1);
  });

  test("a new authority is used for new connections", async () => {
    const [one, two] = await Promise.all([selfSigned("one"), selfSigned("two")]);
    const server = await startServer(tell, one);
    const paths = await files();
    writeFileSync(paths.tokenFile, "t");
    writeFileSync(paths.caFile, one.cert);
    const clock = fakeClock();
    const client = clientOf({ server: server.url, credentials: fileCredentials(paths, clock) }, clock);
    await client.get(Widget, ref);
    server.setKeys(two);
    writeFileSync(paths.caFile, two.cert);
    await clock.advance(60_000);
    await client.get(Widget, ref);
    expect(server.connections()).toBe(2);
  });

  test("an authority that was replaced together with the server's certificate is read again by the first call that fails", async () => {
    const [one, two] = await Promise.all([selfSigned("one"), selfSigned("two")]);
    const server = await startServer(tell, one);
    const paths = await files();
    writeFileSync(paths.tokenFile, "t");
    writeFileSync(paths.caFile, one.cert);
    const clock = fakeClock();
    const client = clientOf({ server: server.url, credentials: fileCredentials(paths, clock), clock }, clock);
    await client.get(Widget, ref);
    writeFileSync(paths.caFile, two.cert);
    server.setKeys(two);
    for (const socket of server.sockets) socket.destroy();
    await server.idle();
    expect(
      await Promise.all([
        client.get(Widget, ref),
        client.update(Widget, { apiVersion: "example.dev/v1", kind: "Widget", metadata: ref }),
        client.watch(Widget),
      ]),
    ).toHaveLength(3);
  });

  test("failed handshakes read the credentials again every 5 s at most", async () => {
    const [one, two] = await Promise.all([selfSigned("one"), selfSigned("two")]);
    const server = await startServer(tell, one);
    const reads: boolean[] = [];
    const credentials = ({ renew }: { renew: boolean }): Credentials => {
      if (renew) reads.push(renew);
      if (renew && reads.length === 3) throw new Error("the file is missing");
      return { ca: reads.length < 4 ? two.cert : one.cert };
    };
    const clock = fakeClock();
    const client = clientOf({ server: server.url, credentials, clock }, clock);
    const fails = async (): Promise<void> => {
      const calls = Array.from({ length: 5 }, () => client.get(Widget, ref).catch((cause: unknown) => cause));
      for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "ERR_TLS" });
    };
    await fails();
    await clock.advance(4_999);
    await fails();
    expect(reads).toHaveLength(1);
    await clock.advance(1);
    await fails();
    await clock.advance(5_000);
    await fails();
    expect(reads, "the third one fails, and the error is still that of the handshake").toHaveLength(3);
    await clock.advance(5_000);
    expect(await Promise.all([client.get(Widget, ref), client.get(Widget, ref)])).toHaveLength(2);
    expect(reads).toHaveLength(4);
  });

  test("an authority and a token that were both replaced are renewed in one call", async () => {
    const [one, two] = await Promise.all([selfSigned("one"), selfSigned("two")]);
    const server = await startServer((request, response) => {
      const isRefused = request.headers.authorization !== "Bearer 2";
      answer(() => (isRefused ? { kind: "Status", message: "Unauthorized" } : {}), isRefused ? 401 : 200)(request, response);
    }, two);
    let renewals = 0;
    const credentials = ({ renew }: { renew: boolean }): Credentials => {
      if (renew) renewals++;
      return { ca: renewals === 0 ? one.cert : two.cert, headers: { authorization: `Bearer ${renewals}` } };
    };
    expect(await clientOf({ server: server.url, credentials }).get(Widget, ref)).toBeDefined();
    expect(renewals).toBe(2);
  });

  test("a renewed client certificate is used for new calls, and a watch keeps the old one", async () => {
    const [keys, old, renewed] = await Promise.all([selfSigned("server"), selfSigned("old"), selfSigned("renewed")]);
    const name = (request: http.IncomingMessage): string => (request.socket as TLSSocket).getPeerCertificate().subject.CN as string; // one name
    const server = await startServer(
      (request, response) => {
        if (request.url?.includes("watch=true")) response.write(`${JSON.stringify(added(name(request)))}\n`);
        else answer(() => ({ name: name(request) }))(request, response);
      },
      { ...keys, ca: [old.cert, renewed.cert], requestCert: true },
    );
    const paths = await files();
    const pair = { certFile: paths.tokenFile, keyFile: `${paths.tokenFile}.key`, caFile: paths.caFile };
    const write = ({ cert, key }: { readonly cert: string; readonly key: string }): void => {
      writeFileSync(pair.certFile, cert);
      writeFileSync(pair.keyFile, key);
    };
    writeFileSync(pair.caFile, keys.cert);
    write(old);
    const clock = fakeClock();
    const client = clientOf({ server: server.url, credentials: fileCredentials(pair, clock) }, clock);
    expect(await client.get(Widget, ref)).toMatchObject({ name: "old" });
    const events = (await client.watch(Widget))[Symbol.asyncIterator]();
    write(renewed);
    await clock.advance(60_000);
    expect(await client.get(Widget, ref)).toMatchObject({ name: "renewed" });
    expect(await events.next()).toEqual({ done: false, value: added("old") });
  });

  test("watches with a former authority continue, and end with the client", async () => {
    const [one, two] = await Promise.all([selfSigned("one"), selfSigned("two")]);
    const server = await startServer((request, response) => {
      if (request.url?.includes("watch=true")) response.write(`${JSON.stringify(added("a"))}\n`);
      else response.end('{"kind":"Widget"}');
    }, one);
    let ca = one.cert;
    const client = clientOf({ server: server.url, credentials: () => ({ ca }) });
    const events = (await client.watch(Widget))[Symbol.asyncIterator]();
    server.setKeys(two);
    ca = two.cert;
    await client.get(Widget, ref);
    expect(await events.next()).toEqual({ done: false, value: added("a") });
    const ended = expect(events.next()).rejects.toMatchObject({ code: "ERR_CLOSED" });
    await client.close();
    await ended;
  });

  test("a token that is refused for many simultaneous calls is renewed once", async () => {
    const keys = await selfSigned("one");
    const waiting: (() => void)[] = [];
    const server = await startServer((request, response) => {
      if (request.headers.authorization === "Bearer 1") return answer(() => ({}))(request, response);
      // One refusal is sent when all have come, the others after somebody has renewed.
      waiting.push(() => answer(() => ({ kind: "Status" }), 401)(request, response));
      if (waiting.length === 10) waiting.pop()?.();
    }, keys);
    let token = 0;
    const credentials = async ({ renew }: { renew: boolean }): Promise<Credentials> => {
      if (renew) token++;
      return { ca: keys.cert, headers: { authorization: `Bearer ${token}` } };
    };
    const client = clientOf({ server: server.url, credentials });
    const calls = Array.from({ length: 10 }, () => client.get(Widget, ref));
    await Promise.race(calls);
    for (const refuse of waiting.splice(0)) refuse();
    await Promise.all(calls);
    expect(token).toBe(1);
  });

  test("a refused token is renewed once, for a write as well", async () => {
    const keys = await selfSigned("one");
    let requests = 0;
    const server = await startServer((request, response) => {
      requests++;
      const isRefused = request.headers.authorization !== "Bearer new";
      answer(() => (isRefused ? { kind: "Status", message: "Unauthorized" } : {}), isRefused ? 401 : 200)(request, response);
    }, keys);
    const asked: boolean[] = [];
    const credentials = ({ renew }: { renew: boolean }): Credentials => {
      asked.push(renew);
      return { ca: keys.cert, headers: { authorization: renew ? "Bearer new" : "Bearer old" } };
    };
    await clientOf({ server: server.url, credentials }).create(Widget, { apiVersion: "example.dev/v1", kind: "Widget", metadata: ref });
    expect([requests, asked]).toEqual([2, [false, true]]);
    const fixed = clientOf({ server: server.url, credentials: { ca: keys.cert, headers: { authorization: "Bearer hunter2" } } });
    const error = await fixed.get(Widget, ref).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "ERR_UNAUTHORIZED", message: expect.stringMatching(/^cannot get Widget ns\/a: Unauthorized/) });
    expect(requests).toBe(3);
  });

  test.for(["get", "watch"] as const)("that cannot be renewed leave no open connection: %s", async (verb) => {
    const server = await startServer((request, response) => {
      response.writeHead(401).write("x".repeat(1_000_000));
      if (!request.url?.includes("watch=true")) response.end();
    });
    const credentials = ({ renew }: { renew: boolean }): Credentials => {
      if (renew) throw new Error("the plugin failed");
      return {};
    };
    const client = clientOf({ server: server.url, credentials });
    for (let i = 0; i < 40; i++) {
      const call = verb === "get" ? client.get(Widget, ref) : client.watch(Widget);
      await expect(call).rejects.toMatchObject({ code: "ERR_CREDENTIALS" });
    }
    // A call's connection is kept for the next one, a watch's is of no more use.
    if (verb === "get") await client.close();
    await server.idle();
  });

  test("in the URL of the server are neither sent nor shown", async () => {
    const error = await clientOf({ server: "http://user:hunter2@127.0.0.1:1/path?hunter2" })
      .get(Widget, ref)
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "ERR_UNREACHABLE", server: "http://127.0.0.1:1/path" });
    expect(inspect(error, { depth: 5, showHidden: true })).not.toContain("hunter2");
    expect(() => httpTransport({ server: "https://user:hunter2#@host:x" })).toThrow(/the server "https:\/\/host:x" is not a URL/);
  });

  test("in a missing file are an error that names the file", async () => {
    const client = clientOf({ server: "https://127.0.0.1:1", credentials: fileCredentials({ tokenFile: "/does/not/exist" }) });
    const error = await client.get(Widget, ref).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "ERR_CREDENTIALS", isOutcomeUnknown: false });
    expect(String(error)).toContain("/does/not/exist");
  });
});

test.for(["", "10.0.0.1:443", "ftp://host", "https://"])("the server URL %j is refused", (server) => {
  expect(() => httpTransport({ server })).toThrow(/is not a URL that starts with http/);
});

test("importing the package loads neither undici nor client-node", async () => {
  const { execFileSync } = await import("node:child_process");
  const script = `
    import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({ load(url, context, next) { seen.push(url); return next(url, context); } });
    await import(${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)});
    console.log(JSON.stringify(seen.filter((url) => /undici|client-node/.test(url))));`;
  const output = execFileSync(process.execPath, ["--conditions=@treadle/source", "--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect(JSON.parse(output)).toEqual([]);
  expect(readFileSync(new URL("../src/index.ts", import.meta.url), "utf8")).not.toContain("undici");
});
