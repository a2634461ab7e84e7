/**
 * IP addresses that connections to targets must not reach: this machine, the link, metadata services of clouds, and groups. An IPv6 address
 * that leads to an IPv4 address is judged as that one.
 */
import { BlockList, isIP } from "node:net";

/** A range of addresses. */
export interface Range {
  readonly address: string;
  readonly bits: number;
  readonly family: "ipv4" | "ipv6";
}

/** The ranges that are refused by default. */
export const REFUSED_RANGES: readonly Range[] = [
  "0.0.0.0/8", // unspecified, "this network" (RFC 791)
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, and the metadata service of most clouds
  "168.63.129.16/32", // the wire server of Azure
  "100.100.100.200/32", // the metadata service of Alibaba Cloud
  "192.0.0.192/32", // the metadata service of Oracle Cloud
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
  "::/128", // unspecified
  "::1/128", // loopback
  "fe80::/10", // link-local
  "ff00::/8", // multicast
  "64:ff9b:1::/48", // NAT64 of the local network (RFC 8215), whose addresses cannot be read
  "fd00:ec2::254/128", // the metadata service of AWS
  "fd20:ce::254/128", // the metadata service of Google Cloud
].map((text) => rangeOf(text) as Range);

/** Returns the range in `text`: a CIDR, or an address; `undefined` for another text. */
export function rangeOf(text: string): Range | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || more.length > 0) return undefined;
  const [family, most] = version === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
  if (bits === undefined) return { address, bits: most, family };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? { address, bits: Number(bits), family } : undefined;
}

/** Returns the IPv4 address of an IPv4-mapped address, which is the same destination; any other address as it is, without its zone. */
export function canonical(address: string): string {
  const [plain = ""] = address.split("%");
  const bytes = bytesOf(plain);
  return bytes !== undefined && bytes.length === 16 && hasPrefix(bytes, MAPPED) ? dotted(bytes, 12) : plain;
}

/** Returns whether `range` contains `address`, which is canonical. */
export function contains(range: Range, address: string): boolean {
  if (isIP(address) !== (range.family === "ipv4" ? 4 : 6)) return false;
  const list = new BlockList();
  list.addSubnet(range.address, range.bits, range.family);
  return list.check(address, range.family);
}

/** Returns whether connections to `address` are refused by default. An address that cannot be parsed is refused. */
export function isRefused(address: string): boolean {
  const plain = canonical(address);
  if (isIP(plain) === 0) return true;
  return REFUSED.check(plain, isIP(plain) === 4 ? "ipv4" : "ipv6") || embedded(plain).some((inner) => REFUSED.check(inner, "ipv4"));
}

/** Returns whether `range` lies in a range that is refused by default, so that its author means those addresses. */
export function isWithinRefused(range: Range): boolean {
  return REFUSED_RANGES.some(
    (refused) => refused.family === range.family && refused.bits <= range.bits && contains(refused, range.address),
  );
}

const REFUSED: BlockList = new BlockList();
for (const { address, bits, family } of REFUSED_RANGES) REFUSED.addSubnet(address, bits, family);

const MAPPED: readonly number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** Prefixes of IPv6 addresses that contain an IPv4 address, with the place of it. */
const EMBEDDINGS: readonly { readonly prefix: readonly number[]; readonly at: number; readonly isInverted?: boolean }[] = [
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 }, // NAT64 (RFC 6052)
  { prefix: [0x20, 0x02], at: 2 }, // 6to4 (RFC 3056)
  { prefix: [0x20, 0x01, 0, 0], at: 12, isInverted: true }, // the client of Teredo (RFC 4380)
  { prefix: [0x20, 0x01, 0, 0], at: 4 }, // the server of Teredo
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], at: 12 }, // IPv4-compatible (RFC 4291, deprecated)
  { prefix: [0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0], at: 12 }, // IPv4-translated (RFC 2765)
];

/** The IPv4 addresses in an IPv6 address. */
function embedded(address: string): readonly string[] {
  const bytes = bytesOf(address);
  if (bytes === undefined || bytes.length !== 16) return [];
  const found = EMBEDDINGS.filter(({ prefix }) => hasPrefix(bytes, prefix)).map(({ at, isInverted = false }) =>
    dotted(isInverted ? bytes.map((byte) => byte ^ 0xff) : bytes, at),
  );
  // ISATAP (RFC 5214): any network, then 0000:5efe or 0200:5efe.
  const isIsatap = (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  return isIsatap ? [...found, dotted(bytes, 12)] : found;
}

function hasPrefix(bytes: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}

function dotted(bytes: readonly number[], at: number): string {
  return bytes.slice(at, at + 4).join(".");
}

/** The bytes of an address: 4 or 16; `undefined` for another text. */
export function bytesOf(address: string): readonly number[] | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  if (version === 4) return address.split(".").map(Number);
  // URL writes each IPv6 address in one form, without an IPv4 address at its end.
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = text.split("::");
  const groups = (part: string | undefined): readonly string[] => (part === undefined || part === "" ? [] : part.split(":"));
  const gap = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: gap }, () => "0"), ...groups(tail)];
  return all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}
