import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { AnswerSizes } from "./answer-sizes.ts";

const KIB = 1024;
const request = (path: string): ApiRequest => ({ method: "GET", path, headers: {} });
const page = (size: number, token: string): ApiResponse => ({
  status: 200,
  headers: {},
  body: `{"metadata":{${token === "" ? "" : `"continue":"${token}"`}},"items":["${"x".repeat(size)}"]}`,
});

test("a list whose pages have no end is an error, also with empty pages", () => {
  const sizes = new AnswerSizes(1_000 * KIB);
  sizes.counted(request("/api/v1/pods?limit=250"), page(0, "a"));
  const pages = (): void => {
    for (let i = 0; i < 100; i++) sizes.counted(request(`/api/v1/pods?limit=${250 - i}&continue=t${i}`), page(0, `t${i + 1}`));
  };
  expect(pages).toThrow("sends too much in answer to a list");
});

test("a list below the limit begins from zero each time, and beside another one", () => {
  const sizes = new AnswerSizes(1_000 * KIB);
  for (let i = 0; i < 10; i++)
    for (const kind of ["pods", "services"]) {
      sizes.counted(request(`/api/v1/${kind}?limit=250`), page(400 * KIB, "a"));
      sizes.counted(request(`/api/v1/${kind}?limit=250&continue=a`), page(400 * KIB, ""));
    }
});

test("a watch without end is an error, and one below the limit is passed on", async () => {
  async function* chunks(): AsyncGenerator<string> {
    for (let i = 0; i < 10; i++) yield "x".repeat(KIB);
  }
  const read = async (max: number): Promise<number> => {
    const { stream } = new AnswerSizes(max).counted(request("/api/v1/pods?watch=true"), {
      status: 200,
      headers: {},
      stream: chunks(),
    });
    let size = 0;
    for await (const chunk of stream ?? []) size += chunk.length;
    return size;
  };
  expect(await read(10 * KIB)).toBe(10 * KIB);
  await expect(read(9 * KIB)).rejects.toThrow("sends too much in answer to a watch");
});
