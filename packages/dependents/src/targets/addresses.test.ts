import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf, canonical, isRefused, REFUSED_RANGES, rangeOf } from "./addresses.ts";

describe("an address is refused by default", () => {
  test.for([
    { name: "loopback", address: "127.0.0.1" },
    { name: "all of 127.0.0.0/8", address: "127.255.1.2" },
    { name: "unspecified", address: "0.0.0.0" },
    { name: "link-local, with the metadata service", address: "169.254.169.254" },
    { name: "the wire server of Azure", address: "168.63.129.16" },
    { name: "the metadata service of Alibaba Cloud", address: "100.100.100.200" },
    { name: "multicast", address: "224.0.0.1" },
    { name: "broadcast", address: "255.255.255.255" },
    { name: "IPv6 loopback", address: "::1" },
    { name: "IPv6 loopback in full", address: "0:0:0:0:0:0:0:1" },
    { name: "IPv6 unspecified", address: "::" },
    { name: "IPv6 link-local", address: "fe80::1" },
    { name: "IPv6 link-local with a zone", address: "fe80::1%eth0" },
    { name: "IPv6 multicast", address: "ff02::1" },
    { name: "IPv4-mapped loopback", address: "::ffff:127.0.0.1" },
    { name: "IPv4-mapped loopback in hexadecimal", address: "::ffff:7f00:1" },
    { name: "IPv4-compatible loopback", address: "::127.0.0.1" },
    { name: "IPv4-translated loopback", address: "::ffff:0:127.0.0.1" },
    { name: "NAT64 of link-local", address: "64:ff9b::a9fe:a9fe" },
    { name: "NAT64 of the local network", address: "64:ff9b:1::a00:1" },
    { name: "6to4 of loopback", address: "2002:7f00:1::" },
    { name: "Teredo of loopback", address: "2001:0:1:2::80ff:fffe" },
    { name: "ISATAP of loopback", address: "2001:db8::5efe:7f00:1" },
    { name: "the metadata service of AWS", address: "fd00:ec2::254" },
    { name: "a text that is not an address", address: "localhost" },
  ])("$name", ({ address }) => {
    expect(isRefused(address)).toBe(true);
  });
});

test.for(["10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:db8::1", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "172.16.0.1"])(
  "the address %s is allowed by default",
  (address) => {
    expect(isRefused(address)).toBe(false);
  },
);

/** An IPv4 address in one of the refused ranges. */
const refusedV4 = fc.constantFrom(...REFUSED_RANGES.filter(({ family }) => family === "ipv4")).chain(({ address, bits }) =>
  fc.nat(0xffffffff).map((random) => {
    const base = address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
    const free = 2 ** (32 - bits);
    const value = base + (random % free);
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256);
  }),
);

const hex = (bytes: readonly number[]): readonly string[] =>
  Array.from({ length: bytes.length / 2 }, (_, i) => (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16));

/** All IPv6 forms that lead to an IPv4 address, with any other bits. */
const forms: readonly ((v4: readonly number[], rest: readonly number[]) => readonly number[])[] = [
  (v4) => [...Array<number>(10).fill(0), 0xff, 0xff, ...v4],
  (v4) => [...Array<number>(12).fill(0), ...v4],
  (v4) => [...Array<number>(8).fill(0), 0xff, 0xff, 0, 0, ...v4],
  (v4) => [0, 0x64, 0xff, 0x9b, ...Array<number>(8).fill(0), ...v4],
  (v4, rest) => [0x20, 0x02, ...v4, ...rest.slice(0, 10)],
  (v4, rest) => [0x20, 0x01, 0, 0, ...rest.slice(0, 8), ...v4.map((byte) => byte ^ 0xff)],
  (v4, rest) => [0x20, 0x01, 0, 0, ...v4, ...rest.slice(0, 8)],
  (v4, rest) => [...rest.slice(0, 8), 0, 0, 0x5e, 0xfe, ...v4],
  (v4, rest) => [...rest.slice(0, 8), 2, 0, 0x5e, 0xfe, ...v4],
  (v4, rest) => [0, 0x64, 0xff, 0x9b, 0, 1, ...rest.slice(0, 6), ...v4],
];

/** The notations of an IPv6 address. */
const notations: readonly ((bytes: readonly number[]) => string)[] = [
  (bytes) => hex(bytes).join(":"),
  (bytes) => hex(bytes).join(":").toUpperCase(),
  (bytes) =>
    hex(bytes)
      .map((group) => group.padStart(4, "0"))
      .join(":"),
  (bytes) => `${hex(bytes.slice(0, 12)).join(":")}:${bytes.slice(12).join(".")}`,
  (bytes) => new URL(`http://[${hex(bytes).join(":")}]`).hostname.slice(1, -1),
];

// Invariant: a refused IPv4 address is refused in each IPv6 form that leads to it, and in each notation of that form.
test("no form of an address bypasses the refusal", () => {
  fc.assert(
    fc.property(
      refusedV4,
      fc.array(fc.nat(255), { minLength: 10, maxLength: 10 }),
      fc.constantFrom(...forms),
      fc.constantFrom(...notations),
      (v4, rest, form, notation) => {
        expect(isRefused(v4.join("."))).toBe(true);
        expect(isRefused(notation(form(v4, rest)))).toBe(true);
      },
    ),
    { numRuns: 2_000 },
  );
});

// Invariant: bytes do not depend on the notation.
test("an IPv6 address has the same bytes in each notation", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(255), { minLength: 16, maxLength: 16 }), fc.constantFrom(...notations), (bytes, notation) => {
      expect(bytesOf(notation(bytes))).toEqual(bytes);
    }),
  );
});

test("an IPv4-mapped address is the IPv4 address, and a zone is left out", () => {
  expect([canonical("::ffff:a00:1"), canonical("fe80::1%2"), canonical("10.0.0.1")]).toEqual(["10.0.0.1", "fe80::1", "10.0.0.1"]);
});

test.for(["10.0.0.0/33", "10.0.0", "::1/129", "fe80::1%eth0", "10.0.0.0/8/8", "10.0.0.0/x", "a"])("%s is not a range", (text) => {
  expect(rangeOf(text)).toBeUndefined();
});
