/** What goes wrong around an operator on real sockets: the error names the culprit, and nothing is lost when it is mended. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeClock } from "@treadle/apimachinery";
import { ServiceAccount } from "@treadle/apimachinery/kinds";
import { createApiServer, type HttpsFront, serveHttps, type ApiServer } from "@treadle/apiserver";
import { createClient, fileCredentials, httpTransport, requestToken } from "@treadle/client";
import { handler, step } from "@treadle/reconcile";
import { expect, onTestFinished, test } from "vitest";
import { createManager, type Manager } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { startWorld, Widget, widget } from "./world.ts";

const HOUR_MS = 3_600_000;

const size = handler(Widget)
  .step(
    step(Widget, {
      name: "size",
      do: ({ object, status }) => {
        status.seen = object.spec.size;
      },
    }),
  )
  .build();

interface Setting {
  readonly server: ApiServer;
  readonly front: HttpsFront;
  readonly logged: string[];
  /** The operator, with these credentials. */
  operator(given: {
    readonly ca: string;
    readonly token?: string;
    readonly cacheSyncTimeoutMs?: number;
  }): Promise<{ readonly manager: Manager; readonly folder: string }>;
}

/** A server with TLS that wants a token, by its own clock. */
async function setUp(server: ApiServer): Promise<Setting> {
  const front = await serveHttps(server, { auth: { token: "the administrator's" } });
  const logged: string[] = [];
  onTestFinished(async () => {
    await front.close();
    await server.close();
  });
  return {
    server,
    front,
    logged,
    async operator({ ca, token = "the administrator's", cacheSyncTimeoutMs = 60_000 }) {
      const folder = await mkdtemp(join(tmpdir(), "treadle-trouble-"));
      await Promise.all([writeFile(join(folder, "ca.crt"), ca), writeFile(join(folder, "token"), token)]);
      const credentials = fileCredentials({ caFile: join(folder, "ca.crt"), tokenFile: join(folder, "token") });
      const note = (_data: object, text: string): void => void logged.push(text);
      const manager = createManager({
        client: (wish) => createClient({ transport: httpTransport({ server: front.url, credentials }), ...wish }),
        probes: false,
        metrics: false,
        signals: false,
        cacheSyncTimeoutMs,
        log: { debug: () => {}, info: () => {}, warn: note, error: note },
      }).add(size);
      onTestFinished(async () => {
        await manager.stop();
        await rm(folder, { recursive: true });
      });
      return { manager, folder };
    },
  };
}

test("a wrong CA ends the start, and the error names its file", async () => {
  const { front, operator } = await setUp(createApiServer({ resources: [Widget] }));
  const other = await selfSigned("another");
  const { manager, folder } = await operator({ ca: other.cert, cacheSyncTimeoutMs: 3_000 });
  const error: unknown = await manager.start().catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: "ERR_CACHE_SYNC" });
  expect(String(error)).toContain(`no trusted connection to ${front.url}`);
  expect(String(error)).toContain(`is not signed by the authority from ${join(folder, "ca.crt")}`);
});

test("an unknown token ends the start, and the log names the cause", async () => {
  const { front, logged, operator } = await setUp(createApiServer({ resources: [Widget] }));
  const { manager } = await operator({ ca: front.caPem, token: "hunter2", cacheSyncTimeoutMs: 3_000 });
  await expect(manager.start()).rejects.toMatchObject({ code: "ERR_CACHE_SYNC" });
  const culprit = `${front.url} does not accept the credentials that it was sent: they are wrong, expired, or those of another cluster`;
  expect(logged.join("\n")).toContain(culprit);
  expect(logged.join("\n")).not.toContain("hunter2");
});

test("a token that expires is logged, and with a new one the missed changes are reconciled", async () => {
  // The front of the server says the real time.
  const clock = fakeClock(Date.now() - 2 * HOUR_MS);
  const server = createApiServer({ resources: [Widget], clock });
  const { front, logged, operator } = await setUp(server);
  const user = createClient({ transport: server.transport() });
  await user.create(ServiceAccount, { metadata: { namespace: "default", name: "operator" } });
  const issue = async (): Promise<string> =>
    (await requestToken(user, { namespace: "default", name: "operator" }, { expirationSeconds: 3_600 })).token;
  const { manager, folder } = await operator({ ca: front.caPem, token: await issue() });
  await user.create(Widget, widget("a", { size: 1 }));
  const seen = async (name: string): Promise<number | undefined> => (await user.get(Widget, { namespace: "default", name }))?.status?.seen;
  await manager.start();
  await expect.poll(() => seen("a")).toBe(1);
  await clock.advance(2 * HOUR_MS);
  await user.create(Widget, widget("b", { size: 2 }));
  const culprit = `the token from ${join(folder, "token")} expired at `;
  await expect.poll(() => logged.some((line) => line.includes(culprit))).toBe(true);
  expect(await seen("b")).toBeUndefined();
  await writeFile(join(folder, "token"), await issue());
  await expect.poll(() => seen("b")).toBe(2);
  expect(logged.join()).not.toContain("eyJ");
});

test("a port of metrics that is in use names the option, and nothing is left running", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { readonly port: number }; // it listens on TCP
  const world = await startWorld({ handlers: [size], start: false, metrics: { port }, host: "127.0.0.1" });
  await expect(world.manager.start()).rejects.toMatchObject({
    code: "ERR_LISTEN",
    message: expect.stringContaining("metrics: { port } or TREADLE_METRICS_PORT") as string,
  });
  expect(world.lists).toEqual([]);
});
