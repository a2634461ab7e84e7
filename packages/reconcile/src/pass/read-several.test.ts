import { describe, expect, test } from "vitest";
import { readSeveral } from "./read-several.ts";

const refs = ["a", "b", "c"].map((name) => ({ name }));

describe("a read of several objects", () => {
  test("returns without a promise when no request is needed", () => {
    const values = readSeveral(refs, AbortSignal.timeout(1_000), {
      known: ({ name }) => ({ value: name === "b" ? undefined : name }),
      get: () => expect.unreachable(),
    });
    expect(values).toEqual(["a", undefined, "c"]);
  });

  test("requests what is not known, ten at once, and keeps the order", async () => {
    const many = Array.from({ length: 35 }, (_, i) => ({ name: String(i) }));
    let running = 0;
    let most = 0;
    const values = await readSeveral(many, AbortSignal.timeout(10_000), {
      known: ({ name }) => (name === "3" ? { value: "known" } : undefined),
      async get({ name }) {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        return name;
      },
    });
    expect(values).toEqual(many.map(({ name }) => (name === "3" ? "known" : name)));
    expect(most).toBe(10);
  });

  test("fails with the first error, and begins no request after the signal", async () => {
    const boom = new Error("boom");
    const reader = { known: () => undefined, get: () => Promise.reject(boom) };
    await expect(readSeveral(refs, AbortSignal.timeout(10_000), reader)).rejects.toBe(boom);
    const asked: string[] = [];
    const aborted = readSeveral(refs, AbortSignal.abort(boom), { known: () => undefined, get: ({ name }) => asked.push(name) });
    await expect(aborted).rejects.toBe(boom);
    expect(asked).toEqual([]);
  });
});
