import { expect, test, vi } from "vitest";

/** As where two versions of a dependency are installed. */
test("an error of one copy of the package is recognised by another copy", async () => {
  const one = await import("./index.ts");
  const ofOne = await import("@treadle/apimachinery");
  vi.resetModules();
  const two = await import("./index.ts");
  const ofTwo = await import("@treadle/apimachinery");
  expect(two.ConnectionError).not.toBe(one.ConnectionError);
  expect(ofTwo.ApiError).not.toBe(ofOne.ApiError);
  const connection = new one.ConnectionError({ code: "ERR_TLS", message: "boom" });
  const config = new one.ConfigError({ source: "x", problem: "y", fix: "z" });
  const api = new ofOne.ApiError({ message: "boom", status: 410, continueToken: "t" });
  expect([two.isConnectionError(connection), two.isConfigError(config), ofTwo.isExpired(api)]).toEqual([true, true, true]);
  expect([two.isConnectionError(config), two.isConfigError(api), ofTwo.isApiError(connection)]).toEqual([false, false, false]);
  // And by what works with them: a rest that another copy's client says is expired.
  const list = async (_: unknown, { continue: token }: { readonly continue?: string }) => {
    if (token === "first") throw api;
    return { metadata: { continue: token === undefined ? "first" : "" }, items: [] };
  };
  const Widget = ofOne.kind({ group: "example.dev", version: "v1", kind: "Widget" });
  let pages = 0;
  for await (const _ of two.pages({ list } as never, Widget)) pages++;
  expect(pages).toBe(2);
});
