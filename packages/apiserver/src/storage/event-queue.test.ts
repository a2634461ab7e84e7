import { expect, test } from "vitest";
import { EventQueue, readInto } from "./event-queue.ts";

async function all(queue: AsyncIterable<string>): Promise<readonly string[]> {
  const chunks: string[] = [];
  for await (const chunk of queue) chunks.push(chunk);
  return chunks;
}

test("chunks before the end of a queue are read, later ones are not", async () => {
  let ends = 0;
  const queue = new EventQueue(10);
  queue.onEnd(() => ends++);
  queue.push("a");
  queue.pushAll(["b", "c"]);
  queue.end();
  queue.push("d");
  queue.end();
  expect(await all(queue)).toEqual(["a", "b", "c"]);
  expect(ends).toBe(1);
  queue.onEnd(() => ends++);
  expect(ends).toBe(2);
});

test("a waiting reader gets a chunk, and the end", async () => {
  const queue = new EventQueue(10);
  const reading = all(queue);
  await Promise.resolve();
  queue.push("a");
  await Promise.resolve();
  queue.end();
  expect(await reading).toEqual(["a"]);
});

test("a queue ends when its reader stops", async () => {
  let hasEnded = false;
  const queue = new EventQueue(10);
  queue.onEnd(() => (hasEnded = true));
  queue.pushAll(["a", "b"]);
  for await (const chunk of queue) if (chunk === "a") break;
  expect(hasEnded).toBe(true);
});

test("a queue ends above its limit, except for the initial chunks", async () => {
  const queue = new EventQueue(2);
  queue.pushAll(["a", "b", "c", "d"]);
  expect(queue.hasEnded).toBe(false);
  queue.push("e");
  expect(queue.hasEnded).toBe(true);
  expect(await all(queue)).toEqual([]);
});

test("a sink gets the waiting chunks at once, and later ones when they are pushed", async () => {
  const seen: string[] = [];
  const queue = new EventQueue(10);
  queue.push("a");
  const reading = readInto(queue, (chunk) => void seen.push(chunk));
  expect(seen).toEqual(["a"]);
  queue.push("b");
  expect(seen).toEqual(["a", "b"]);
  queue.end();
  await reading;
});

test("a busy sink gets the next chunk when its promise resolves", async () => {
  const seen: string[] = [];
  const queue = new EventQueue(10);
  const { promise, resolve } = Promise.withResolvers<void>();
  const reading = readInto(queue, (chunk) => {
    seen.push(chunk);
    return chunk === "a" ? promise : undefined;
  });
  queue.push("a");
  queue.push("b");
  queue.end();
  expect(seen).toEqual(["a"]);
  resolve();
  await reading;
  expect(seen).toEqual(["a", "b"]);
});

test("a queue above its limit ends while its sink is busy", async () => {
  const queue = new EventQueue(2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const reading = readInto(queue, () => promise);
  for (const chunk of ["a", "b", "c", "d"]) queue.push(chunk);
  expect(queue.hasEnded).toBe(true);
  resolve();
  await reading;
});

test("a sink that fails ends its queue, and push does not fail", async () => {
  const queue = new EventQueue(10);
  const reading = readInto(queue, () => {
    throw new Error("boom");
  });
  queue.push("a");
  expect(queue.hasEnded).toBe(true);
  await expect(reading).rejects.toThrow("boom");
});

test("a stream that is not a queue is read into a sink", async () => {
  const seen: string[] = [];
  const stream = async function* (): AsyncIterable<string> {
    yield "a";
    yield "b";
  };
  await readInto(stream(), (chunk) => {
    seen.push(chunk);
    return Promise.resolve();
  });
  expect(seen).toEqual(["a", "b"]);
});
