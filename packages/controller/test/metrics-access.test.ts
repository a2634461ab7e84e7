/** Metrics over TLS, and only for those who may read them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeClock, fakeClock, type Transport } from "@treadle/apimachinery";
import { ClusterRole, ClusterRoleBinding } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { handler, step } from "@treadle/reconcile";
import { describe, expect, onTestFinished, test } from "vitest";
import { createManager, isManagerError, type Manager, type MetricsOptions } from "../src/index.ts";
import { selfSigned } from "./certificates.ts";
import { Widget } from "./widget.ts";

const operator = handler(Widget)
  .step(step(Widget, { name: "idle" }))
  .build();

interface Scraped {
  readonly manager: Manager;
  readonly clock: FakeClock;
  readonly files: { readonly certFile: string; readonly keyFile: string };
  readonly reviews: string[];
  readonly logs: string[];
  put(pair: { readonly cert: string; readonly key: string }): Promise<void>;
}

/** An operator whose metrics are served by a certificate in files, and a server that knows two tokens. */
async function scraped(options: Partial<MetricsOptions> = {}, intercept?: (transport: Transport) => Transport): Promise<Scraped> {
  const clock = fakeClock();
  const server = createApiServer({
    clock,
    resources: [Widget],
    authorization: "RBAC",
    tokens: { "token-of-prometheus": { user: "prometheus" }, "token-of-somebody": { user: "somebody" } },
  });
  const user = createClient({ transport: server.transport(), clock });
  const metadata = { name: "metrics-reader" };
  await user.create(ClusterRole, { metadata, rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] });
  await user.create(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metadata.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "prometheus" }],
  });
  const folder = await mkdtemp(join(tmpdir(), "treadle-metrics-"));
  const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  const put: Scraped["put"] = async ({ cert, key }) => {
    await Promise.all([writeFile(files.certFile, cert), writeFile(files.keyFile, key)]);
  };
  await put(await selfSigned("first"));
  const [reviews, logs]: [string[], string[]] = [[], []];
  const direct = server.transport();
  const counting: Transport = {
    ...direct,
    request(asked) {
      if (asked.path.endsWith("reviews")) reviews.push(asked.path.split("/").at(-1) ?? "");
      return direct.request(asked);
    },
  };
  const log = (_: object, text: string): void => void logs.push(text);
  const manager = createManager({
    client: createClient({ transport: intercept?.(counting) ?? counting, clock }),
    clock,
    host: "127.0.0.1",
    probes: false,
    metrics: { port: 0, tls: files, ...options },
    signals: false,
    log: { debug: log, info: log, warn: log, error: log },
  }).add(operator);
  onTestFinished(async () => {
    await manager.stop();
    await server.close();
    await rm(folder, { recursive: true });
  });
  return { manager, clock, files, reviews, logs, put };
}

/** `status subject-of-the-certificate`, and the body. */
async function get({ manager }: Scraped, token?: string, path = "/metrics"): Promise<readonly [string, string]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly [string, string]>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // Which certificate it is is looked at; whether it is trusted is not the question.
  request(`${manager.addresses.metrics?.url}${path}`, { headers, rejectUnauthorized: false, agent: false }, (response) => {
    const { socket } = response as unknown as { socket: import("node:tls").TLSSocket }; // An HTTPS request has a TLS socket.
    const subject = String(socket.getPeerCertificate().subject.CN);
    let body = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    response.on("end", () => resolve([`${response.statusCode} ${subject}`, body]));
  })
    .on("error", reject)
    .end();
  return await promise;
}

describe("over TLS", () => {
  test("metrics are served with the certificate in the files, and with a renewed one without a restart", async () => {
    const world = await scraped();
    await world.manager.start();
    expect(world.manager.addresses.metrics?.url).toMatch(/^https:/);
    expect((await get(world))[0]).toBe("200 first");
    await world.put(await selfSigned("second"));
    await world.clock.advance(10_000);
    await expect.poll(async () => (await get(world))[0], { timeout: 20_000 }).toBe("200 second");
    expect((await get(world))[1]).toContain("certwatcher_read_certificate_total 2");
  });

  test("an invalid certificate leaves the previous one in service, and is logged once", async () => {
    const world = await scraped();
    await world.manager.start();
    await world.put({ cert: "half", key: "of it" });
    const warnings = (): number => world.logs.filter((text) => text.includes("the previous one is served")).length;
    await world.clock.advance(10_000);
    await expect.poll(warnings, { timeout: 20_000 }).toBe(1);
    const errors = async (): Promise<number> => Number(/certificate_errors_total (\d+)/.exec((await get(world))[1])?.[1]);
    for (let looks = 1; (await errors()) < 2 && looks < 1000; looks++) await world.clock.advance(10_000);
    expect(warnings()).toBe(1);
    expect((await get(world))[0]).toBe("200 first");
  });

  test("files that are missing end the start with an error that names them", async () => {
    const { manager } = await scraped({ tls: { certFile: "/nonexistent/tls.crt", keyFile: "/nonexistent/tls.key" } });
    const error: unknown = await manager.start().catch((thrown: unknown) => thrown);
    expect(isManagerError(error) && error.code).toBe("ERR_CERTIFICATE");
    expect(String(error)).toContain("/nonexistent/tls.crt");
  });

  test("a key of another certificate is refused at the start", async () => {
    const world = await scraped();
    await world.put({ cert: (await selfSigned("a")).cert, key: (await selfSigned("b")).key });
    await expect(world.manager.start()).rejects.toMatchObject({ code: "ERR_CERTIFICATE" });
  });
});

describe("with authorize", () => {
  test("only a known token of a user with the right gets them; verdicts are cached for a minute", async () => {
    const world = await scraped({ authorize: true });
    await world.manager.start();
    expect((await get(world))[0]).toBe("401 first");
    expect((await get(world, "made-up"))[0]).toBe("401 first");
    expect(await get(world, "token-of-somebody")).toEqual(["403 first", "get of /metrics is not allowed\n"]);
    expect((await get(world, "token-of-prometheus"))[1]).toContain("controller_runtime_reconcile_total");
    expect((await get(world, "token-of-prometheus", "/other"))[0]).toBe("404 first");
    const asked = world.reviews.length;
    expect(asked).toBe(5);
    await get(world, "token-of-prometheus");
    expect(world.reviews).toHaveLength(asked);
    await world.clock.advance(60_000);
    expect((await get(world, "token-of-prometheus"))[0]).toBe("200 first");
    expect(world.reviews).toHaveLength(asked + 2);
  });

  test("no token gets them while the server refuses reviews; the log names the missing right, and no token", async () => {
    const world = await scraped({ authorize: true }, (transport) => ({
      ...transport,
      request: async (asked) =>
        asked.path.endsWith("tokenreviews") ? { status: 403, headers: {}, body: "{}" } : await transport.request(asked),
    }));
    await world.manager.start();
    expect((await get(world, "token-of-prometheus"))[0]).toBe("503 first");
    expect(world.logs.join("\n")).toContain("allow create of tokenreviews.authentication.k8s.io");
    expect(world.logs.join("\n")).not.toContain("token-of-prometheus");
  });

  test.for<{ readonly options: MetricsOptions; readonly host?: string }>([
    { options: { authorize: true } },
    { options: { authorize: true, host: "0.0.0.0" }, host: "127.0.0.1" },
  ])("tokens in the clear are refused: %j", ({ options, host }) => {
    expect(() => createManager({ metrics: options, ...(host === undefined ? {} : { host }) })).toThrow(/tokens sent in the clear/);
  });
});

test("tls without one of its files is refused", () => {
  // @ts-expect-error a key is missing
  expect(() => createManager({ metrics: { tls: { certFile: "a" } } })).toThrow(/certFile and keyFile/);
});
