import { Agent, createServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { fakeClock, TurnBudget } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { CallError } from "../call.ts";
import { type Endpoint, webhookListener } from "./listener.ts";
import { ByteBudget } from "./request-body.ts";
import { NO_METRICS } from "./webhook-metrics.ts";

const PATH = "/validate/web.example.com/websites";
const REVIEW = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "u-1", operation: "CREATE", name: "a", namespace: "ns", userInfo: { username: "jane" }, object: { spec: {} } },
};

interface Line {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

interface Given {
  readonly answer?: Endpoint["answer"];
  readonly maxBytes?: number;
  readonly allBytes?: number;
  readonly isList?: boolean;
}

async function listening({ answer = async (review) => ({ review }), maxBytes = 1_000, allBytes = 10_000, isList = false }: Given) {
  const lines: Line[] = [];
  const counted: string[] = [];
  const clock = fakeClock();
  const note = (level: string) => (fields: object, message: string) => void lines.push({ level, fields: { ...fields }, message });
  const listener = webhookListener({
    endpoints: new Map([[PATH, { body: { maxBytes, budget: new ByteBudget(allBytes), isList }, answer }]]),
    metrics: {
      ...NO_METRICS,
      began: (path) => (status) => void counted.push(`${status} ${path}`),
    },
    turns: new TurnBudget({ maxMs: 8 }),
    clock,
    log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
  });
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (path: string, headers: Readonly<Record<string, string | number>> = {}, method = "POST") =>
    request({ port, host: "127.0.0.1", path, method, agent, headers: { "content-type": "application/json", ...headers } });
  const send = async (path: string, body: string, headers?: Readonly<Record<string, string | number>>, method?: string) => {
    const sent = open(path, headers, method);
    const answered = new Promise<IncomingMessage>((resolve, reject) => void sent.once("response", resolve).once("error", reject));
    sent.end(body);
    const response = await answered;
    return { status: response.statusCode, text: await text(response), type: response.headers["content-type"] };
  };
  const connection = () => connect(port, "127.0.0.1").on("error", () => {});
  return { send, open, connection, clock, lines, counted };
}

const LONG_ANSWER = { response: { convertedObjects: Array.from({ length: 100 }, () => "x".repeat(500_000)) } };
const RAW = (text: string): string =>
  `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

test("a review is answered as JSON, with the timeout of the API server in the query", async () => {
  const { send, counted } = await listening({});
  const { status, text: answer, type } = await send(`${PATH}?timeout=5s`, JSON.stringify(REVIEW));
  expect([status, type, JSON.parse(answer)]).toEqual([200, "application/json", { review: REVIEW }]);
  expect(counted).toEqual([`200 ${PATH}`]);
});

test.for<[string, number | undefined]>([
  ["?timeout=5s", 5_000],
  ["?timeout=soon", undefined],
  ["", undefined],
])("an answer to the query %j has %s ms", async ([query, want]) => {
  const { send } = await listening({ answer: async (_, __, timeoutMs) => ({ timeoutMs }) });
  const { text: answer } = await send(`${PATH}${query}`, JSON.stringify(REVIEW));
  expect((JSON.parse(answer) as { readonly timeoutMs?: number }).timeoutMs).toBe(want);
});

const body = JSON.stringify(REVIEW);

test.for([
  ["no body", PATH, "", {}, 400, "the request has no body: send a review as JSON (ERR_INVALID_REVIEW)"],
  ["a body that is not JSON", PATH, "{", {}, 400, "the body is not JSON (ERR_INVALID_REVIEW)"],
  [
    "another content type",
    PATH,
    body,
    { "content-type": "text/plain" },
    400,
    "the content type is not application/json (ERR_INVALID_REVIEW)",
  ],
  ["an unknown path", "/validate/other", body, {}, 404, "no webhook has this path (ERR_UNKNOWN_PATH)"],
  ["a name of JavaScript as path", "/constructor", body, {}, 404, "no webhook has this path (ERR_UNKNOWN_PATH)"],
  ["a body that is too long", PATH, `"${"x".repeat(5_000)}"`, {}, 413, "the body has more than 1000 bytes (ERR_BODY_TOO_LONG)"],
  [
    "one without a length",
    PATH,
    `"${"x".repeat(5_000)}"`,
    { "transfer-encoding": "chunked" },
    413,
    "the body has more than 1000 bytes (ERR_BODY_TOO_LONG)",
  ],
] as const)("%s is refused, and the server answers the next request", async ([, path, given, headers, status, message]) => {
  const { send, lines } = await listening({});
  expect(await send(path, given, headers)).toMatchObject({ status, text: `${message}\n` });
  expect((await send(PATH, body)).status).toBe(200);
  expect(lines.filter(({ level }) => level !== "debug")).toEqual([]);
});

test("another method is refused", async () => {
  const { send } = await listening({});
  expect(await send(PATH, "", {}, "PUT")).toMatchObject({ status: 405, text: "use POST\n" });
});

test.for<[string, unknown, string]>([
  ["an error", new Error("no answer, password=hunter2"), "the webhook failed: the log of the operator has the error (ERR_WEBHOOK_FAILED)"],
  ["no error at all", undefined, "the webhook failed: the log of the operator has the error (ERR_WEBHOOK_FAILED)"],
])("an answer that fails with %s is a 500 with a code, logged once with the user and the object", async ([, thrown, message]) => {
  const { send, lines, counted } = await listening({ answer: () => Promise.reject(thrown) });
  expect(await send(PATH, body)).toMatchObject({ status: 500, text: `${message}\n` });
  expect(lines).toMatchObject([
    { level: "error", fields: { webhook: PATH, user: "jane", object: "ns/a", uid: "u-1", operation: "CREATE" } },
  ]);
  expect(JSON.stringify(lines)).not.toContain("hunter2");
  expect(counted).toEqual([`500 ${PATH}`]);
});

test("a function that threw was logged where it was called, so its 500 is not logged again", async () => {
  const failure = new CallError(500, "ERR_FUNCTION_FAILED", "cannot check Website ns/a: problems failed", { cause: new Error("boom") });
  const { send, lines } = await listening({ answer: () => Promise.reject(failure) });
  expect(await send(PATH, body)).toMatchObject({
    status: 500,
    text: "cannot check Website ns/a: problems failed (ERR_FUNCTION_FAILED)\n",
  });
  expect(lines).toEqual([]);
});

test("a review whose client has left is aborted", async () => {
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<unknown>();
  const { open, send, counted, lines } = await listening({
    answer: async (_, signal) => {
      begun.resolve();
      await new Promise((resolve) => void signal.addEventListener("abort", resolve));
      aborted.resolve(signal.reason);
      throw signal.reason;
    },
  });
  const sent = open(PATH);
  sent.on("error", () => {});
  sent.end(body);
  await begun.promise;
  sent.destroy();
  await expect(aborted.promise).resolves.toMatchObject({ message: "the client of the review has left" });
  expect((await send("/other", body)).status).toBe(404);
  expect(counted).toEqual([`499 ${PATH}`]);
  expect(lines).toEqual([]);
});

test("a client that leaves before the answer to its earlier request ends all its requests", async () => {
  const begun = Promise.withResolvers<void>();
  const { connection, counted } = await listening({
    isList: true,
    answer: async (review, signal) => {
      if (Array.isArray(review)) return LONG_ANSWER;
      begun.resolve();
      return await new Promise((_, reject) => void signal.addEventListener("abort", () => reject(signal.reason as Error)));
    },
  });
  const socket = connection();
  socket.write(RAW("{}") + RAW("[]"));
  await begun.promise;
  await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  await expect.poll(() => counted).toEqual([`499 ${PATH}`, `499 ${PATH}`]);
});

test("a client that does not read its answer is cut off", async () => {
  const { connection, clock, counted } = await listening({ isList: true, answer: () => Promise.resolve(LONG_ANSWER) });
  const socket = connection().pause();
  socket.write(RAW("{}"));
  await expect.poll(() => clock.nextDue()).toBeDefined();
  await clock.advance(34_999);
  expect(counted).toEqual([]);
  await clock.advance(1);
  await expect.poll(() => counted).toEqual([`499 ${PATH}`]);
  expect(clock.nextDue(), "no timer is left").toBeUndefined();
  socket.destroy();
});

test("a refusal closes a connection whose body was not read to its end", async () => {
  const { connection } = await listening({ isList: true, maxBytes: 10_000_000, allBytes: 10_000_000 });
  const socket = connection();
  const answer = text(socket);
  socket.write(RAW(`{"request":{"objects":[{"a":}${" ".repeat(1_000_000)}`).slice(0, 500_000));
  expect(await answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n[^]*the body is not JSON/);
});

test("a client that leaves while it sends takes no bytes from others", async () => {
  const { open, send } = await listening({ allBytes: 1_000 });
  const received = open(PATH, { "content-length": 900 });
  received.on("error", () => {});
  await new Promise<void>((resolve) => void received.write(`"${"x".repeat(800)}`, () => resolve()));
  received.destroy();
  await expect.poll(async () => (await send(PATH, body)).status).toBe(200);
});

test("all bodies in progress have one limit: the review above it gets 503, and the others are answered", async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const { send, lines } = await listening({
    allBytes: body.length + 10,
    answer: async () => {
      begun.resolve();
      await gate.promise;
      return {};
    },
  });
  const first = send(PATH, body);
  await begun.promise;
  expect(await send(PATH, body)).toMatchObject({
    status: 503,
    text: `the reviews in progress have more than ${body.length + 10} bytes together: try again later, or raise maxBytes of webhookServer (ERR_TOO_MANY_BYTES)\n`,
  });
  expect(lines).toMatchObject([{ level: "warn", fields: { code: "ERR_TOO_MANY_BYTES" } }]);
  gate.resolve();
  expect((await first).status).toBe(200);
  expect((await send(PATH, body)).status).toBe(200);
});

test("a long list is answered while other requests are", async () => {
  const objects = Array.from({ length: 2_000 }, (_, at) => ({
    kind: "Website",
    metadata: { name: `w${at}` },
    spec: { text: "x".repeat(500) },
  }));
  const { send } = await listening({
    maxBytes: 10_000_000,
    allBytes: 10_000_000,
    isList: true,
    answer: async (review) => {
      const { uid, objects: convertedObjects } = (review as { readonly request: { readonly uid: string; readonly objects: unknown } })
        .request;
      return { kind: "ConversionReview", response: { uid, convertedObjects } };
    },
  });
  const long = JSON.stringify({ kind: "ConversionReview", request: { uid: "u", desiredAPIVersion: "v1", objects } });
  const { status, text: answer } = await send(PATH, long);
  expect(status).toBe(200);
  expect(JSON.parse(answer)).toEqual({ kind: "ConversionReview", response: { uid: "u", convertedObjects: objects } });
});
