/**
 * What a client reads while the server of a webhook fails, over sockets: on the server in memory, and with TREADLE_TEST_KUBECONFIG on a
 * real one.
 */
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { isApiError } from "@treadle/apimachinery";
import { ConfigMap, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import { makeCertificates } from "@treadle/apiserver/unstable/certificates";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type WebhookManifest, webhookManifests, webhooks } from "../src/index.ts";
import { newNames, useCluster } from "./cluster.ts";

const names = newNames();
const cluster = useCluster(names);
const NAME = names.namespace;

interface Failure {
  readonly name: string;
  /** What the server answers; none: it does not listen. */
  readonly answer?: (response: ServerResponse) => unknown;
  /** The name in its certificate. @defaultValue its address */
  readonly host?: string;
  /** Whether another CA is registered. */
  readonly isStranger?: boolean;
  /** The end of the error that a client reads. */
  readonly text: string;
}

const accepted = (response: ServerResponse): unknown => response.writeHead(200, { "content-type": "application/json" }).end("{}");

const FAILURES: readonly Failure[] = [
  { name: "refuses connections", text: `failed to call webhook: POST: dial tcp ADDRESS: connect: connection refused` },
  { name: "never answers", answer: () => undefined, text: "failed to call webhook: POST: context deadline exceeded" },
  {
    name: "answers 500",
    answer: (response) => response.writeHead(500, { "content-type": "text/plain" }).end("boom"),
    text: 'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
  },
  {
    name: "answers 503",
    answer: (response) => response.writeHead(503).end(),
    text: "failed to call webhook: the server is currently unable to handle the request",
  },
  {
    name: "answers garbage",
    answer: (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
    text: "failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type",
  },
  {
    name: "answers nothing",
    answer: (response) => response.writeHead(200, { "content-type": "application/json" }).end(),
    text: "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
  },
  { name: "answers no review", answer: accepted, text: "received invalid webhook response: webhook response was absent" },
  {
    name: "breaks off",
    answer: (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write("{", () => response.destroy());
    },
    text: "failed to call webhook: unexpected error when reading response body. Please retry. Original error: unexpected EOF",
  },
  {
    name: "has a certificate of another CA",
    answer: accepted,
    isStranger: true,
    text: "failed to call webhook: POST: tls: failed to verify certificate: x509: certificate signed by unknown authority",
  },
  {
    name: "has a certificate for another name",
    answer: accepted,
    host: "other.example.com",
    text: "failed to call webhook: POST: tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
  },
];
const POLICIES = ["Fail", "Ignore"] as const;

interface Running {
  readonly address: string;
  readonly caBundle: string;
}

const running: Running[] = [];
const servers: Server[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  const entries: object[] = [];
  for (const [index, failure] of FAILURES.entries()) {
    const { address, caBundle } = await serve(failure);
    running.push({ address, caBundle });
    for (const failurePolicy of POLICIES)
      entries.push(...entriesOf({ address, caBundle }, `${index}-${failurePolicy.toLowerCase()}`, failurePolicy));
  }
  await cluster.admin.create(ValidatingWebhookConfiguration, { metadata: { name: NAME }, webhooks: entries } as never); // of the manifests
  // A server needs a moment until it knows new configurations.
  await vi.waitUntil(async () => (await create("0-fail")).includes("failed calling webhook"), { timeout: 30_000 });
});
afterAll(async () => {
  await cluster.admin.delete(ValidatingWebhookConfiguration, { name: NAME });
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** The entry that the manifests have for a webhook, with the CA that an operator would inject. */
function entriesOf({ address, caBundle }: Running, label: string, failurePolicy: "Fail" | "Ignore"): readonly object[] {
  const reviewed = webhooks(ConfigMap, {
    name: `w${label}`,
    failurePolicy,
    timeoutSeconds: 1,
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": names.namespace } },
    objectSelector: { matchLabels: { failure: label } },
    problems: () => [],
  });
  const manifests: readonly WebhookManifest[] = webhookManifests([reviewed], { name: NAME, namespace: "ops", url: `https://${address}` });
  expect(manifests.some(({ kind }) => kind === MutatingWebhookConfiguration.kind)).toBe(false);
  const found = manifests.find(({ kind }) => kind === ValidatingWebhookConfiguration.kind) as unknown as {
    readonly webhooks: readonly { readonly clientConfig: object }[]; // what the manifests of one webhook with problems have
  };
  return found.webhooks.map((entry) => ({ ...entry, clientConfig: { ...entry.clientConfig, caBundle } }));
}

async function serve({ answer, host = "127.0.0.1", isStranger = false }: Failure): Promise<Running> {
  const { caPem, server: pair } = await makeCertificates([host]);
  const registered = isStranger ? (await makeCertificates([host])).caPem : caPem;
  const server: Server =
    answer === undefined
      ? createSocketServer()
      : createServer({ key: pair.keyPem, cert: pair.certPem }, (request, response) => {
          request.resume();
          request.once("end", () => void answer(response));
        });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // API servers break off.
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  if (answer === undefined) await new Promise((resolve) => void server.close(resolve));
  else servers.push(server);
  return { address: `127.0.0.1:${port}`, caBundle: Buffer.from(registered).toString("base64") };
}

/** Creates a ConfigMap in a dry run. Returns `accepted`, or status and message. */
async function create(failure: string): Promise<string> {
  try {
    await cluster.admin.create(ConfigMap, { metadata: { name: "a", namespace: names.namespace, labels: { failure } } }, { dryRun: true });
    return "accepted";
  } catch (error) {
    if (isApiError(error)) return `${error.status} ${error.message}`;
    throw error;
  }
}

describe("while the server of a webhook", () => {
  test.for(FAILURES.map((failure, index) => ({ ...failure, index })))("$name, failurePolicy decides", async ({ text, index }) => {
    const address = running[index]?.address ?? "";
    const refused = await create(`${index}-fail`);
    expect(refused).toMatch(/^500 /);
    expect(refused).toContain(`Internal error occurred: failed calling webhook "`);
    const called = /Post "[^"]*"/.exec(refused)?.[0] ?? "";
    const shown = refused.replace(called, "POST").replaceAll(address, "ADDRESS");
    expect(shown).toContain(text);
    expect(called === "" || called.startsWith(`Post "https://${address}/validate/`)).toBe(true);
    expect(await create(`${index}-ignore`)).toBe("accepted");
  });
});
