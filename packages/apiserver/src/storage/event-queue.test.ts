import { expect, test } from "vitest";
import { EventQueue } from "./event-queue.ts";

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
