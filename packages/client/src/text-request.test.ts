import type { Dispatcher } from "undici";
import { expect, test } from "vitest";
import { flatten, requestText } from "./text-request.ts";

/** A dispatcher that a test drives: it holds the handler of the last request, and records what was aborted. */
function driven() {
  const aborted: unknown[] = [];
  const controller = { abort: (reason: unknown) => void aborted.push(reason) } as unknown as Dispatcher.DispatchController;
  let handler: Dispatcher.DispatchHandler = {};
  const dispatcher = {
    dispatch(_options: unknown, given: Dispatcher.DispatchHandler) {
      handler = given;
      return true;
    },
  } as unknown as Dispatcher;
  const send = (signal?: AbortSignal) => requestText(dispatcher, { path: "/", method: "GET" }, signal);
  return {
    send,
    aborted,
    start: () => handler.onRequestStart?.(controller, {}),
    head: (status: number, headers: Record<string, string | string[]> = {}) => handler.onResponseStart?.(controller, status, headers),
    data: (bytes: Buffer) => handler.onResponseData?.(controller, bytes),
    end: () => handler.onResponseEnd?.(controller, {}),
    fail: (error: Error) => handler.onResponseError?.(controller, error),
  };
}

test.for([
  { name: "no chunk is an empty text", chunks: [], want: "" },
  { name: "one chunk is the text", chunks: [Buffer.from('{"a":"ä"}')], want: '{"a":"ä"}' },
  { name: "a character may be split between chunks", chunks: [Buffer.from([0xc3]), Buffer.from([0xa4, 0x0d, 0x0a])], want: "ä\r\n" },
  { name: "a byte order mark is removed", chunks: [Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])], want: "{}" },
  { name: "a byte order mark may be split", chunks: [Buffer.from([0xef]), Buffer.from([0xbb, 0xbf, 0x7b])], want: "{" },
  { name: "an invalid byte is replaced", chunks: [Buffer.from([0x61, 0xff])], want: "a\ufffd" },
])("a body: $name", async ({ chunks, want }, { expect }) => {
  const { send, start, head, data, end } = driven();
  const answer = send();
  start();
  head(200, { "content-type": "application/json" });
  for (const chunk of chunks) data(chunk);
  end();
  expect(await answer).toEqual({ status: 200, headers: { "content-type": "application/json" }, body: want });
});

test("an informational answer is not the answer", async () => {
  const { send, start, head, data, end } = driven();
  const answer = send();
  start();
  head(103, { link: "x" });
  head(404, { warning: ["a", "b"] });
  data(Buffer.from("none"));
  end();
  expect(await answer).toEqual({ status: 404, headers: { warning: "a, b" }, body: "none" });
});

test("a request that is sent again forgets the chunks of the first answer", async () => {
  const { send, start, head, data, end } = driven();
  const answer = send();
  start();
  head(200);
  data(Buffer.from("cut"));
  start();
  head(200);
  data(Buffer.from("whole"));
  end();
  expect((await answer).body).toBe("whole");
});

test("an error rejects, also after a part of the body", async () => {
  const { send, start, head, data, fail } = driven();
  const answer = send();
  start();
  head(200);
  data(Buffer.from("cut"));
  fail(new Error("socket hang up"));
  await expect(answer).rejects.toThrow("socket hang up");
});

test("a signal that is aborted before rejects with its reason, and nothing is sent", async () => {
  const { send, aborted } = driven();
  await expect(send(AbortSignal.abort("over"))).rejects.toBe("over");
  expect(aborted).toEqual([]);
});

test.for(["before it has a connection", "while it is answered"])("a signal that is aborted %s aborts the request", (when, { expect }) => {
  const controller = new AbortController();
  const { send, start, head, aborted } = driven();
  send(controller.signal).catch(() => undefined);
  if (when === "while it is answered") {
    start();
    head(200);
  }
  controller.abort("over");
  if (when === "before it has a connection") start();
  expect(aborted).toEqual(["over"]);
});

test("a signal that is aborted after the end does nothing", async () => {
  const controller = new AbortController();
  const { send, start, head, end, aborted } = driven();
  const answer = send(controller.signal);
  start();
  head(200);
  end();
  await answer;
  controller.abort();
  expect(aborted).toEqual([]);
});

test("a mistake in the options rejects", async () => {
  const dispatcher = {
    dispatch() {
      throw new TypeError("invalid path");
    },
  } as unknown as Dispatcher;
  await expect(requestText(dispatcher, { path: "x", method: "GET" }, undefined)).rejects.toThrow("invalid path");
});

test("headers that are texts are not copied, and others are joined or left out", () => {
  const plain = { a: "1" };
  expect(flatten(plain)).toBe(plain);
  expect(flatten({ a: "1", b: ["2", "3"], c: undefined })).toEqual({ a: "1", b: "2, 3" });
});
