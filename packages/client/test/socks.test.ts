import { connect, createServer, type Socket } from "node:net";
import { kind } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { createClient, httpTransport } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startServer } from "./http-server.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });

interface Proxy {
  readonly port: number;
  /** Where clients asked to be connected to. */
  readonly targets: string[];
}

/** A SOCKS 5 proxy on the loopback which connects everybody to `port`, whatever host is asked for; or answers with `reply`. */
async function startProxy(
  port: number,
  { password, reply = 0 }: { readonly password?: string; readonly reply?: number } = {},
): Promise<Proxy> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    let state: "greeting" | "password" | "request" = "greeting";
    socket.on("data", function read(data: Buffer) {
      if (state === "greeting") {
        const method = password === undefined ? 0 : data.subarray(2).includes(2) ? 2 : 255;
        state = method === 2 ? "password" : "request";
        socket.write(Buffer.from([5, method]));
      } else if (state === "password") {
        const userLength = data[1] ?? 0;
        const given = data.subarray(3 + userLength).toString();
        state = "request";
        socket.write(Buffer.from([1, given === password ? 0 : 1]));
      } else {
        socket.off("data", read);
        const isName = data[3] === 3;
        targets.push(isName ? data.subarray(5, 5 + (data[4] ?? 0)).toString() : data.subarray(4, -2).toString("hex"));
        const answer = Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
        // In two parts, as a network may.
        socket.write(answer.subarray(0, 3));
        if (reply !== 0) return void socket.end(answer.subarray(3));
        const to = connect(port, "127.0.0.1", () => {
          socket.write(answer.subarray(3));
          socket.pipe(to).pipe(socket);
        });
        sockets.add(to.on("error", () => {}));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as { readonly port: number }).port, targets }; // it listens on TCP
}

async function setUp(given: { readonly password?: string; readonly reply?: number } = {}, userInfo = "", host = "api.test") {
  const keys = await selfSigned("one");
  const server = await startServer((request, response) => {
    if (request.url?.includes("watch=true")) response.write(`${JSON.stringify({ type: "ADDED", object: { metadata: {} } })}\n`);
    else response.end(JSON.stringify({ kind: "Widget", authorization: request.headers.authorization }));
  }, keys);
  const proxy = await startProxy(server.port, given);
  const transport = httpTransport({
    server: `https://${host}:${server.port}`,
    credentials: { ca: keys.cert, headers: { authorization: "Bearer t" } },
    proxyUrl: `socks5://${userInfo}127.0.0.1:${proxy.port}`,
  });
  const client = createClient({ transport, retry: false });
  onTestFinished(() => client.close());
  return { client, server, proxy };
}

const ref = { name: "a", namespace: "ns" };

test("calls and watches go through a SOCKS proxy, by the server's name and with its certificate checked", async () => {
  const { client, proxy } = await setUp();
  for (let i = 0; i < 20; i++) expect(await client.get(Widget, ref)).toMatchObject({ authorization: "Bearer t" });
  const controller = new AbortController();
  for await (const event of await client.watch(Widget, { signal: controller.signal })) {
    expect(event.type).toBe("ADDED");
    break;
  }
  // At most two for calls, and one for the watch.
  expect(new Set(proxy.targets)).toEqual(new Set(["api.test"]));
  expect(proxy.targets.length).toBeLessThanOrEqual(3);
  const other = await setUp({}, "", "other.test");
  await expect(other.client.get(Widget, ref)).rejects.toMatchObject({ code: "ERR_TLS" });
});

test("a SOCKS proxy gets addresses as addresses", async () => {
  const v4 = await setUp({}, "", "127.0.0.1");
  await v4.client.get(Widget, ref);
  expect(v4.proxy.targets).toEqual(["7f000001"]);
  const v6 = await setUp({}, "", "[fd00::1:2]");
  await v6.client.get(Widget, ref).catch(() => undefined);
  expect(v6.proxy.targets).toEqual(["fd000000000000000000000000010002"]);
});

test("a SOCKS proxy gets the password of its URL", async () => {
  const { client } = await setUp({ password: "p:w" }, "me:p%3Aw@");
  expect(await client.get(Widget, ref)).toBeDefined();
});

test.for([
  { name: "a wrong password", given: { password: "right" }, userInfo: "me:hunter2@", says: "does not accept the user name and password" },
  { name: "no password", given: { password: "right" }, userInfo: "", says: "requires a user name and a password" },
  { name: "a refusal", given: { reply: 2 }, userInfo: "", says: "its rules do not allow it" },
])("$name of a SOCKS proxy is a connection that was never opened", async ({ given, userInfo, says }) => {
  const { client, server } = await setUp(given, userInfo);
  const error = await client.get(Widget, ref).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "ERR_UNREACHABLE", isOutcomeUnknown: false });
  expect(String(error)).toContain(says);
  expect(String(error)).not.toContain("hunter2");
  expect(String(error).match(/127\.0\.0\.1/g), "each address is named once").toHaveLength(1);
  expect(server.connections()).toBe(0);
});

test("an error tells whether a SOCKS proxy has another protocol, hangs or does not exist", async () => {
  const page = await startServer((_, response) => response.end("hello"));
  const silent = createServer((socket) => socket.on("error", () => {}).resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const silentPort = (silent.address() as { readonly port: number }).port; // it listens on TCP
  const errorOf = async (port: number): Promise<string> => {
    const client = createClient({
      transport: httpTransport({ server: "https://api.test", proxyUrl: `socks5://127.0.0.1:${port}`, connectTimeoutMs: 200 }),
      retry: false,
    });
    onTestFinished(() => client.close());
    return String(await client.get(Widget, ref).catch((cause: unknown) => cause));
  };
  expect(await errorOf(page.port)).toContain("cannot get Widget ns/a: no connection through the SOCKS proxy 127.0.0.1:");
  expect(await errorOf(silentPort)).toContain("it did not connect within 200 ms");
  await new Promise((resolve) => silent.close(resolve));
  expect(await errorOf(silentPort)).toContain("ECONNREFUSED");
});
