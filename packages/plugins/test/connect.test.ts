import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials, type UntypedHandleCall } from "@grpc/grpc-js";
import { fakeClock } from "@treadle/apimachinery";
import { expect, onTestFinished, test, vi } from "vitest";
import { newCertificate } from "../src/wire/certificate.ts";
import { connectGrpc, type GrpcConnection, type GrpcOptions } from "../src/wire/connect.ts";
import { loadProtos } from "../src/wire/protos.ts";
import { DESCRIPTION, PLAN } from "./fixture-plugin.ts";

const signal = new AbortController().signal;

interface Served {
  readonly health?: string;
  readonly stdio?: readonly object[];
  /** The bytes of the plan. @defaultValue a valid one */
  readonly plan?: Buffer;
  readonly hasCapability?: boolean;
  readonly at?: string;
  readonly credentials?: ServerCredentials;
}

/** A server in this process, and its target. */
async function served({ health = "SERVING", stdio, plan, hasCapability = true, at, credentials }: Served = {}) {
  const protos = await loadProtos();
  const server = new Server();
  const unary = (value: unknown) => ((_: unknown, done: (error: null, value: unknown) => void) => done(null, value)) as UntypedHandleCall;
  server.addService(protos.health, { Check: unary({ status: health }) });
  const serialize = plan === undefined ? {} : { responseSerialize: () => plan };
  const capability = { ...protos.capability, Plan: { ...protos.capability["Plan"], ...serialize } } as typeof protos.capability;
  if (hasCapability) server.addService(capability, { Describe: unary(DESCRIPTION), Plan: unary(PLAN) });
  const stream = (call: { write(data: object): void }) => void stdio?.forEach((data) => call.write(data));
  if (stdio !== undefined) server.addService(protos.stdio, { StreamStdio: stream as unknown as UntypedHandleCall });
  const folder = await mkdtemp(join(tmpdir(), "treadle-test-"));
  onTestFinished(() => {
    server.forceShutdown();
    return rm(folder, { recursive: true, force: true });
  });
  const address = at ?? `unix:${folder}/s`;
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(address, credentials ?? ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { server, target: address.replace(/:0$/, `:${port}`) };
}

async function connected(
  target: string,
  { tls, clock = fakeClock() }: { tls?: GrpcOptions["tls"]; clock?: ReturnType<typeof fakeClock> } = {},
) {
  const connection = await connectGrpc(target, { plugin: "pg", protocol: "grpc/1", clock, hide: String, tls }, signal);
  onTestFinished(() => connection.close());
  return connection;
}

const planOf = (connection: GrpcConnection) =>
  connection.plan({ type: "t", version: "", owner: { apiVersion: "v1", kind: "A" } as never, parameters: {}, live: [] }, signal);

test("a server is described, plans and is healthy, and no timer is left", async () => {
  const clock = fakeClock();
  const connection = await connected((await served()).target, { clock });
  expect(await connection.describe(signal)).toMatchObject({ name: "fixture" });
  expect(await planOf(connection)).toMatchObject({ type: "dependents" });
  expect(clock.nextDue()).toBeUndefined();
});

/** A field of a message: its tag, and its bytes. */
const field = (tag: number, ...bytes: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(bytes);
  const { length } = body;
  const size = [length & 127, (length >> 7) & 127, (length >> 14) & 127, length >> 21];
  return Buffer.concat([Buffer.from([tag, ...size.map((byte, i) => (i < 3 ? byte | 128 : byte))]), body]);
};

test.for([
  { name: "objects", plan: (fields: Buffer) => field(0x12, fields), tag: 0x0a },
  { name: "problems", plan: (fields: Buffer) => field(0x0a, fields), tag: 0x0a },
  { name: "attributes", plan: (fields: Buffer) => field(0x12, field(0x0a, field(0x22, fields))), tag: 0x22 },
  { name: "answers", plan: (fields: Buffer) => fields, tag: 0x1a },
])("a plan with two million empty $name does not block the operator", async ({ plan, tag }) => {
  const fields = Buffer.alloc(4_000_000).fill(Buffer.from([tag, 0]));
  const connection = await connected((await served({ plan: plan(fields) })).target);
  const before = process.cpuUsage();
  await expect(planOf(connection)).rejects.toMatchObject({
    code: "InvalidAnswer",
    message: expect.stringContaining("it has more than 20000 fields; give fewer objects") as string,
  });
  // Decoding them takes a minute.
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

test("a connection ends when the server ends, without a call", async () => {
  const { server, target } = await served();
  const connection = await connected(target);
  server.forceShutdown();
  expect(await connection.ended).toBe("the connection was lost");
  await expect(planOf(connection)).rejects.toMatchObject({ code: "Away", retry: "never" });
});

test("a connection that the host closes has ended", async () => {
  const connection = await connected((await served()).target);
  await connection.close();
  expect(await connection.ended).toBe("the host closed the connection");
});

test("a server is reached again at once after a failure", async () => {
  const { server, target } = await served();
  await connected(target);
  server.forceShutdown();
  await expect(connected(target)).rejects.toMatchObject({ code: "Away" });
  await served({ at: target });
  expect(await connected(target)).toMatchObject({ protocol: "grpc/1" });
});

test("connections share one timer of gRPC and the definitions of the protocol", async () => {
  const intervals = vi.spyOn(globalThis, "setInterval");
  onTestFinished(() => intervals.mockRestore());
  const { target } = await served();
  for (let i = 0; i < 3; i++) await connected(target);
  // The server has timers as well, of 24 days.
  expect(intervals.mock.calls.filter(([, ms = 0]) => ms < 60_000).length).toBeLessThanOrEqual(1);
  expect(await loadProtos()).toBe(await loadProtos());
});

test("a path without a server is away", async () => {
  await expect(connected("unix:/nowhere/s")).rejects.toMatchObject({ code: "Away", message: expect.stringContaining("/nowhere/s") });
});

test("a server that is no gRPC server is away", async () => {
  const server = createServer((_, response) => response.end("hello"));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await expect(connected(`127.0.0.1:${port}`)).rejects.toMatchObject({ code: "Away" });
});

test("a server that does not serve yet is away", async () => {
  await expect(connected((await served({ health: "NOT_SERVING" })).target)).rejects.toMatchObject({
    code: "Away",
    message: expect.stringContaining("NOT_SERVING"),
  });
});

test("a server without the service is refused with the name of the service", async () => {
  const connection = await connected((await served({ hasCapability: false })).target);
  await expect(connection.describe(signal)).rejects.toMatchObject({
    code: "NotStarted",
    message: expect.stringContaining("treadle.capability.v1.Capability"),
  });
});

test.for([
  { name: "bytes that are no message", plan: Buffer.from([0x0a, 0xff, 0xff]) },
  { name: "an empty message", plan: Buffer.alloc(0) },
])("an answer of $name is not valid", async ({ plan }) => {
  await expect(planOf(await connected((await served({ plan })).target))).rejects.toMatchObject({ code: "InvalidAnswer" });
});

test("a server is reached without the proxy of the environment", async () => {
  process.env["grpc_proxy"] = "http://127.0.0.1:1";
  onTestFinished(() => void delete process.env["grpc_proxy"]);
  expect(await connected((await served({ at: "127.0.0.1:0" })).target)).toMatchObject({ protocol: "grpc/1" });
});

test("what a program writes is read by its channel, and a server without it is no failure", async () => {
  const sent = [
    { channel: "STDOUT", data: Buffer.from("out") },
    { channel: "STDERR", data: Buffer.from("err") },
  ];
  const seen: string[] = [];
  const connection = await connected((await served({ stdio: sent })).target);
  connection.readStdio((data, channel) => seen.push(`${channel} ${Buffer.from(data).toString()}`));
  await expect.poll(() => seen).toEqual(["STDOUT out", "STDERR err"]);
  const other = await connected((await served()).target);
  other.readStdio(() => undefined);
  await other.check(signal);
});

test("mutual TLS needs the certificates of both sides", async () => {
  const [server, host, other] = await Promise.all([newCertificate(), newCertificate(), newCertificate()]);
  const pair = { private_key: Buffer.from(server.key), cert_chain: Buffer.from(server.cert) };
  const credentials = ServerCredentials.createSsl(Buffer.from(host.cert), [pair], true);
  const { target } = await served({ credentials, at: "127.0.0.1:0" });
  const tls = { ca: server.cert, ...host, serverName: "localhost" };
  expect(await connected(target, { tls })).toMatchObject({ protocol: "grpc/1" });
  await expect(connected(target, { tls: { ...tls, ca: other.cert } })).rejects.toMatchObject({ code: "Away" });
  await expect(connected(target, { tls: { ...tls, ...other } })).rejects.toMatchObject({ code: "Away" });
  await expect(connected(target, { tls: { ...tls, serverName: "example.com" } })).rejects.toMatchObject({ code: "Away" });
  await expect(connected(target)).rejects.toMatchObject({ code: "Away" });
});
