import { createApiServer } from "@treadle/apiserver";
import { expect, test } from "vitest";
import { FILE, type Schema, tableOf } from "../merge-keys/table.ts";

test("the keys of lists are those that the OpenAPI of the server has now", async () => {
  const transport = createApiServer().transport();
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await transport.request({ method: "GET", path, headers: { accept: "application/json" } });
    expect(status, path).toBe(200);
    return JSON.parse(body ?? "");
  };
  const { paths } = (await get("/openapi/v3")) as { readonly paths: Readonly<Record<string, unknown>> };
  const stable = Object.keys(paths).filter((path) => /^(api|apis\/[^/]+)\/v\d+$/.test(path));
  const documents = await Promise.all(stable.map(async (path) => (await get(`/openapi/v3/${path}`)) as Document));
  const { kinds, types } = tableOf(documents.map(({ components }) => components.schemas));
  const { KINDS, TYPES } = (await import(FILE)) as { readonly KINDS: object; readonly TYPES: object };
  // The server in memory has most kinds of the real one, and their schemas.
  expect(Object.keys(kinds).length).toBeGreaterThan(12);
  expect(KINDS).toMatchObject(kinds);
  expect(TYPES).toMatchObject(types);
});

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
