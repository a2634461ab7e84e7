import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { watched } from "../../test/watched-source.ts";
import type { GrpcOptions } from "../wire/connect.ts";
import { address, type AddressOptions, addressSource, socket, socketSource } from "./servers.ts";

const boom = new Error("boom");
const TLS = { ca: "the CA", cert: "the certificate", key: "the key" };
const never = new AbortController().signal;

/** Connects nothing, and notes what it was asked for. */
function noted(): { readonly calls: unknown[]; readonly reach: (target: string, options: GrpcOptions) => Promise<never> } {
  const calls: unknown[] = [];
  return {
    calls,
    reach: (target, { plugin, protocol, tls }) => {
      calls.push([target, { plugin, protocol, ...(tls === undefined ? {} : { tls }) }]);
      return Promise.reject(boom);
    },
  };
}

test("a socket is offered at once, and reached when it is there", async () => {
  const home = await mkdtemp(join(tmpdir(), "treadle-socket-"));
  const path = join(home, "pg.sock");
  const { calls, reach } = noted();
  const { news, origin, env } = watched(socketSource(path, { priority: 1 }, reach));
  expect(news()).toEqual(["offer pg"]);
  const { connect, ...shown } = origin("pg");
  expect(shown).toEqual({ name: "pg", title: `socket ${path}`, revision: `socket ${path}`, priority: 1, isServer: true });
  await expect(connect(env, never)).rejects.toMatchObject({ code: "Away", message: expect.stringContaining("there is no such socket") });
  await writeFile(path, "");
  await expect(connect(env, never)).rejects.toMatchObject({ code: "Away", message: expect.stringContaining("it is not a socket") });
  await rm(path);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await expect(connect(env, never)).rejects.toMatchObject({ code: "NotStarted", cause: boom });
  expect(calls).toEqual([[`unix:${path}`, { plugin: "pg", protocol: "grpc/1 over unix" }]]);
  await new Promise((resolve) => server.close(resolve));
  await rm(home, { recursive: true });
});

test("an address with certificates from files asks for them at each connection", async () => {
  const { calls, reach } = noted();
  let turn = 0;
  const tls: AddressOptions["tls"] = () => ({ ...TLS, key: `key ${++turn}` });
  const { origin, env } = watched(addressSource("pg.svc:9000", { name: "pg", tls, serverName: "pg" }, reach));
  for (const key of ["key 1", "key 2"]) {
    await expect(origin("pg").connect(env, never)).rejects.toMatchObject({ cause: boom });
    const want = { plugin: "pg", protocol: "grpc/1 over tls", tls: { ...TLS, key, serverName: "pg" } };
    expect(calls.pop()).toEqual(["pg.svc:9000", want]);
  }
});

test("an address whose certificates are incomplete is not reached, not even without TLS", async () => {
  const { calls, reach } = noted();
  const { origin, env } = watched(addressSource("localhost:9000", { name: "pg", tls: () => ({ ca: "x" }) }, reach));
  await expect(origin("pg").connect(env, never)).rejects.toThrow(/mutual TLS needs all of them/);
  expect(calls).toEqual([]);
});

test.for(["127.0.0.1:9000", "127.9.8.7:1", "[::1]:9000", "localhost:65535", "LOCALHOST:80"])("the address %s needs no TLS", (hostPort) => {
  expect(address(hostPort, { name: "pg" }).title).toBe(`address ${hostPort}`);
});

const REFUSED: readonly (readonly [string, Partial<AddressOptions>, RegExp])[] = [
  ["pg.svc:9000", {}, /set the option tls/],
  ["128.0.0.1:9000", {}, /set the option tls/],
  ["[::2]:9000", {}, /set the option tls/],
  ["127.0.0.1.evil.example:9000", {}, /set the option tls/],
  ["localhost.evil.example:9000", {}, /set the option tls/],
  ["pg.svc:9000", { tls: { ca: "x" } }, /ca, cert and key/],
  ["localhost:9000", { name: "" }, /option name/],
  ["localhost", {}, /host:port/],
  ["localhost:0", {}, /host:port/],
  ["localhost:65536", {}, /host:port/],
  [":9000", {}, /host:port/],
  ["::1:9000", {}, /host:port/],
  ["[x]:9000", {}, /host:port/],
  ["http://localhost:9000", {}, /host:port/],
  ["me:pw@localhost:9000", {}, /host:port/],
];

test.for(REFUSED)("the address %s with %j is refused", ([hostPort, options, want]) => {
  expect(() => address(hostPort, { name: "pg", ...options })).toThrow(want);
});

test("an empty path of a socket is refused", () => {
  expect(() => socket("")).toThrow(TypeError);
});
