import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import type { AllowAddress, ConnectionAddress, Lookup } from "../src/address-guard.ts";
import { isConnectionError } from "../src/connection-error.ts";
import { httpTransport } from "../src/http-transport.ts";
import type { HttpTransportOptions } from "../src/http-transport-options.ts";
import { selfSigned } from "./certificates.ts";
import { startServer } from "./http-server.ts";

const request = { method: "GET", path: "/", headers: {} } as const;

/** Resolves each name to these addresses, the next time to the next ones. */
function resolving(...answers: readonly (readonly string[])[]): Lookup {
  let call = 0;
  const lookup = (_name: string, _options: unknown, callback: (error: null, found: LookupAddress[]) => void): void => {
    const found = answers[Math.min(call++, answers.length - 1)] ?? [];
    callback(
      null,
      found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return lookup as never; // The guard asks for all addresses.
}

async function codeOf(options: HttpTransportOptions): Promise<string | number> {
  const transport = httpTransport(options);
  try {
    return (await transport.request(request)).status;
  } catch (error) {
    return isConnectionError(error) ? error.code : String(error);
  } finally {
    await transport.close();
  }
}

const onlyPrivate: AllowAddress = ({ address }) => address?.startsWith("10.") === true;

describe("a connection to an address that is not allowed is not opened", () => {
  test.for([
    { name: "a literal address", host: "127.0.0.1" },
    { name: "a name with that address", host: "api.test" },
  ])("$name", async ({ host }) => {
    const server = await startServer((_, response) => void response.end("{}"));
    const url = `http://${host}:${server.port}`;
    expect(await codeOf({ server: url, allowAddress: onlyPrivate, lookup: resolving(["127.0.0.1"]) })).toBe("ERR_ADDRESS_REFUSED");
    expect(server.connections()).toBe(0);
  });

  test("over TLS", async () => {
    const server = await startServer((_, response) => void response.end("{}"), await selfSigned("server"));
    const options = { server: `https://api.test:${server.port}`, allowAddress: onlyPrivate, lookup: resolving(["127.0.0.1"]) };
    expect(await codeOf(options)).toBe("ERR_ADDRESS_REFUSED");
    expect(server.connections()).toBe(0);
  });
});

test("a name that resolves to another address later is judged by the later address", async () => {
  const server = await startServer((_, response) => void response.setHeader("connection", "close").end("{}"));
  const seen: ConnectionAddress[] = [];
  const allowAddress: AllowAddress = (to) => {
    seen.push(to);
    return to.address === "127.0.0.1";
  };
  const transport = httpTransport({
    server: `http://API.test:${server.port}`,
    allowAddress,
    lookup: resolving(["127.0.0.1"], ["127.0.0.2"]),
  });
  expect((await transport.request(request)).status).toBe(200);
  await server.idle();
  await expect(transport.request(request)).rejects.toMatchObject({ code: "ERR_ADDRESS_REFUSED" });
  await transport.close();
  expect(seen.map(({ host, address, port }) => [host, address, port])).toEqual([
    ["api.test", "127.0.0.1", server.port],
    ["api.test", "127.0.0.2", server.port],
  ]);
});

test("of several addresses only those are tried that are allowed", async () => {
  const server = await startServer((_, response) => void response.end("{}"));
  const allowAddress: AllowAddress = ({ address }) => address === "127.0.0.1";
  const lookup = resolving(["::1", "127.0.0.2", "127.0.0.1"]);
  expect(await codeOf({ server: `http://api.test:${server.port}`, allowAddress, lookup })).toBe(200);
});

describe("a proxy whose address is not allowed is not called", () => {
  test.for(["http", "https", "socks5", "socks5h"])("by %s", async (protocol) => {
    const proxy = await startServer((_, response) => void response.end());
    for (const host of ["127.0.0.1", "proxy.test"]) {
      const proxyUrl = `${protocol}://${host}:${proxy.port}`;
      const allowAddress: AllowAddress = ({ address }) => address === undefined;
      const options = { server: "https://api.test", proxyUrl, allowAddress, lookup: resolving(["127.0.0.1"]) };
      expect(await codeOf(options)).toBe("ERR_ADDRESS_REFUSED");
    }
    expect(proxy.connections()).toBe(0);
  });

  test("a server behind a proxy is judged by its name, or by its address", async () => {
    const seen: ConnectionAddress[] = [];
    const allowAddress: AllowAddress = (to) => {
      seen.push(to);
      return false;
    };
    for (const server of ["https://api.test:6443", "https://[::ffff:127.0.0.1]"])
      expect(await codeOf({ server, proxyUrl: "http://127.0.0.1:1", allowAddress })).toBe("ERR_ADDRESS_REFUSED");
    expect(seen).toEqual([
      { host: "api.test", address: undefined, port: 6443 },
      { host: "::ffff:7f00:1", address: "::ffff:7f00:1", port: 443 },
    ]);
  });
});

test("an answer that is larger than the limit is an error", async () => {
  const server = await startServer((_, response) => void response.end("x".repeat(10_000)));
  const options = { server: `http://127.0.0.1:${server.port}`, maxResponseBytes: 1_000 };
  expect(await codeOf(options)).toBe("ERR_INVALID_RESPONSE");
  expect(await codeOf({ ...options, maxResponseBytes: 20_000 })).toBe(200);
});

test("several groups of an impersonation are sent as several headers", async () => {
  const sent: string[] = [];
  const server = await startServer((incoming, response) => {
    const { rawHeaders } = incoming;
    for (let i = 0; i < rawHeaders.length; i += 2)
      if (rawHeaders[i]?.toLowerCase() === "impersonate-group") sent.push(rawHeaders[i + 1] ?? "");
    response.end("{}");
  });
  const transport = httpTransport({ server: `http://127.0.0.1:${server.port}` });
  await transport.request({ ...request, headers: { "impersonate-user": "a", "impersonate-group": "dev team, ops" } });
  await transport.close();
  expect(sent).toEqual(["dev team", "ops"]);
});
