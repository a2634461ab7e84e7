import fc from "fast-check";
import { expect, test } from "vitest";
import { serverRule } from "./servers.ts";

interface Row {
  readonly name: string;
  readonly servers?: readonly string[];
  readonly to: { readonly host: string; readonly address?: string; readonly port?: number };
  readonly want: boolean;
}

const rows: readonly Row[] = [
  { name: "without servers, a private address is allowed", to: { host: "10.0.0.1" }, want: true },
  { name: "without servers, loopback is refused", to: { host: "127.0.0.1" }, want: false },
  { name: "without servers, a name is judged by its address", to: { host: "api.example.com", address: "127.0.0.1" }, want: false },
  {
    name: "a name in servers allows a private address",
    servers: ["*.clusters.example.com"],
    to: { host: "a.clusters.example.com", address: "10.0.0.1" },
    want: true,
  },
  {
    name: "a name in servers does not allow loopback",
    servers: ["*.clusters.example.com"],
    to: { host: "a.clusters.example.com", address: "127.0.0.1" },
    want: false,
  },
  {
    name: "a pattern does not match its domain",
    servers: ["*.clusters.example.com"],
    to: { host: "clusters.example.com", address: "10.0.0.1" },
    want: false,
  },
  {
    name: "a pattern does not match a name with the same end",
    servers: ["*.example.com"],
    to: { host: "evilexample.com", address: "10.0.0.1" },
    want: false,
  },
  {
    name: "a dot at the end of a name has no effect",
    servers: ["a.example.com"],
    to: { host: "a.example.com.", address: "10.0.0.1" },
    want: true,
  },
  {
    name: "with servers, other names are refused",
    servers: ["a.example.com"],
    to: { host: "b.example.com", address: "8.8.8.8" },
    want: false,
  },
  { name: "with servers, other addresses are refused", servers: ["10.0.0.0/8"], to: { host: "8.8.8.8" }, want: false },
  { name: "a CIDR allows its addresses", servers: ["10.0.0.0/8"], to: { host: "10.1.2.3" }, want: true },
  { name: "a CIDR allows any name with its addresses", servers: ["10.0.0.0/8"], to: { host: "x.test", address: "10.1.2.3" }, want: true },
  { name: "a CIDR allows the mapped form of its addresses", servers: ["10.0.0.0/8"], to: { host: "::ffff:a00:1" }, want: true },
  { name: "an IPv6 CIDR allows its addresses", servers: ["fd00::/8"], to: { host: "fd12::1" }, want: true },
  { name: "a wide CIDR does not allow loopback", servers: ["0.0.0.0/0"], to: { host: "127.0.0.1" }, want: false },
  { name: "a wide CIDR does not allow a metadata service", servers: ["168.0.0.0/8"], to: { host: "168.63.129.16" }, want: false },
  { name: "a listed loopback address is allowed", servers: ["127.0.0.1"], to: { host: "127.0.0.1" }, want: true },
  { name: "a listed mapped loopback address is allowed", servers: ["::ffff:127.0.0.1"], to: { host: "127.0.0.1" }, want: true },
  { name: "a listed address is not its neighbour", servers: ["127.0.0.1"], to: { host: "127.0.0.2" }, want: false },
  { name: "a listed port is allowed", servers: ["127.0.0.1:6443"], to: { host: "127.0.0.1", port: 6443 }, want: true },
  { name: "another port is refused", servers: ["127.0.0.1:6443"], to: { host: "127.0.0.1", port: 8443 }, want: false },
  { name: "an IPv6 address with a port is allowed", servers: ["[::1]:6443"], to: { host: "::1", port: 6443 }, want: true },
  { name: "a name with another port is refused", servers: ["a.test:6443"], to: { host: "a.test", address: "10.0.0.1" }, want: false },
];

test.for(rows)("$name", ({ servers, to, want }) => {
  const { host, address = host, port = 443 } = to;
  expect(serverRule(servers)({ host, address, port })).toBe(want);
});

test("a name that a proxy resolves is judged by the names in servers", () => {
  const rule = serverRule(["*.example.com", "10.0.0.0/8"]);
  const at = (host: string): boolean => rule({ host, address: undefined, port: 443 });
  expect([at("a.example.com"), at("a.test")]).toEqual([true, false]);
});

test.for(["", "*", "*.*.a", "a b", "http://a", "10.0.0.0/99", "1.2.3", "0x7f.1", "2130706433", "[::1", "a:b:c"])(
  "servers with %o is a mistake in the code",
  (entry) => {
    expect(() => serverRule([entry])).toThrow(TypeError);
  },
);

/** The notations of an IPv4 address that URLs accept: 1 to 4 parts, each decimal, octal or hexadecimal. */
const notation = fc.record({
  bytes: fc.tuple(fc.constantFrom(127, 0, 224, 240), fc.nat(255), fc.nat(255), fc.nat(255)),
  parts: fc.integer({ min: 1, max: 4 }),
  bases: fc.tuple(fc.constantFrom(8, 10, 16), fc.constantFrom(8, 10, 16), fc.constantFrom(8, 10, 16), fc.constantFrom(8, 10, 16)),
  dot: fc.constantFrom("", "."),
});

type Notation = typeof notation extends fc.Arbitrary<infer V> ? V : never;

function written({ bytes, parts, bases, dot }: Notation): string {
  const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
  const numbers = [...bytes.slice(0, parts - 1), last];
  const text = (value: number, base: number): string =>
    base === 10 ? String(value) : base === 8 ? `0${value.toString(8)}` : `0x${value.toString(16)}`;
  return numbers.map((value, i) => text(value, bases[i] ?? 10)).join(".") + dot;
}

// Invariant: however a URL names a refused address, the host that connections get is that address, and it is refused.
test("no notation of a host in a URL bypasses the refusal", () => {
  const rule = serverRule(["10.0.0.0/8", "*.example.com"]);
  fc.assert(
    fc.property(notation, (given) => {
      const host = new URL(`https://${written(given)}:6443`).hostname;
      expect(host).toBe(given.bytes.join("."));
      expect(serverRule(undefined)({ host, address: host, port: 6443 })).toBe(false);
      expect(rule({ host, address: host, port: 6443 })).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});
