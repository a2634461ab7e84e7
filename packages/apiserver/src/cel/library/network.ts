/** Kubernetes' libraries `url`, `ip` and `cidr`. */
import type { Library } from "../overloads.ts";
import { CelError, Dict, List, Opaque, quoted } from "../values.ts";

/** An address as a number; IPv4 has 32 bits. */
class Ip extends Opaque {
  readonly typeName = "net.IP";
  readonly bits: 32 | 128;
  readonly value: bigint;
  constructor(bits: 32 | 128, value: bigint) {
    super();
    this.bits = bits;
    this.value = value;
  }
  equals(other: Opaque): boolean {
    return other instanceof Ip && other.bits === this.bits && other.value === this.value;
  }
  override toString(): string {
    return this.bits === 32 ? ipv4Text(this.value) : ipv6Text(this.value);
  }
}

class Cidr extends Opaque {
  readonly typeName = "net.CIDR";
  readonly address: Ip;
  readonly prefix: number;
  constructor(address: Ip, prefix: number) {
    super();
    this.address = address;
    this.prefix = prefix;
  }
  equals(other: Opaque): boolean {
    return other instanceof Cidr && other.prefix === this.prefix && other.address.equals(this.address);
  }
  get masked(): Ip {
    const shift = BigInt(this.address.bits - this.prefix);
    return new Ip(this.address.bits, (this.address.value >> shift) << shift);
  }
  contains(address: Ip): boolean {
    const shift = BigInt(this.address.bits - this.prefix);
    return address.bits === this.address.bits && address.value >> shift === this.address.value >> shift;
  }
  override toString(): string {
    return `${this.address.toString()}/${this.prefix}`;
  }
}

class Url extends Opaque {
  readonly typeName = "kubernetes.URL";
  readonly parts: UrlParts;
  constructor(parts: UrlParts) {
    super();
    this.parts = parts;
  }
  equals(other: Opaque): boolean {
    return other instanceof Url && JSON.stringify(other.parts) === JSON.stringify(this.parts);
  }
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

export const network: Library = {
  ip: { "string -> net.IP": toIp, ".net.CIDR -> net.IP": (cidr: Cidr) => cidr.address },
  isIP: { "string -> bool": (text: string) => parseIp(text) instanceof Ip },
  family: { ".net.IP -> int": (ip: Ip) => (ip.bits === 32 ? 4n : 6n) },
  "ip.isCanonical": { "string -> bool": (text: string) => toIp(text).toString() === text },
  isUnspecified: { ".net.IP -> bool": (ip: Ip) => ip.value === 0n },
  isLoopback: { ".net.IP -> bool": (ip: Ip) => (ip.bits === 32 ? ip.value >> 24n === 127n : ip.value === 1n) },
  isLinkLocalMulticast: { ".net.IP -> bool": isLinkLocalMulticast },
  isLinkLocalUnicast: { ".net.IP -> bool": isLinkLocalUnicast },
  isGlobalUnicast: { ".net.IP -> bool": isGlobalUnicast },
  cidr: { "string -> net.CIDR": toCidr },
  isCIDR: { "string -> bool": (text: string) => parseCidr(text) instanceof Cidr },
  containsIP: {
    ".net.CIDR, string -> bool": (cidr: Cidr, text: string) => cidr.contains(toIp(text)),
    ".net.CIDR, net.IP -> bool": (cidr: Cidr, ip: Ip) => cidr.contains(ip),
  },
  containsCIDR: {
    ".net.CIDR, string -> bool": (cidr: Cidr, text: string) => containsCidr(cidr, toCidr(text)),
    ".net.CIDR, net.CIDR -> bool": containsCidr,
  },
  prefixLength: { ".net.CIDR -> int": (cidr: Cidr) => BigInt(cidr.prefix) },
  masked: { ".net.CIDR -> net.CIDR": (cidr: Cidr) => new Cidr(cidr.masked, cidr.prefix) },
  string: { "net.IP -> string": String, "net.CIDR -> string": String },
  url: { "string -> kubernetes.URL": toUrl },
  isURL: { "string -> bool": (text: string) => typeof parseUrl(text) !== "string" },
  getScheme: { ".kubernetes.URL -> string": (url: Url) => url.parts.scheme },
  getHost: { ".kubernetes.URL -> string": (url: Url) => url.parts.host },
  getHostname: { ".kubernetes.URL -> string": (url: Url) => url.parts.host.replace(/:\d*$/, "").replace(/^\[(.*)\]$/, "$1") },
  getPort: { ".kubernetes.URL -> string": (url: Url) => /:(\d*)$/.exec(url.parts.host)?.[1] ?? "" },
  getEscapedPath: { ".kubernetes.URL -> string": (url: Url) => escapePath(url.parts.path) },
  getQuery: { ".kubernetes.URL -> map(string, list(string))": (url: Url) => queryOf(url.parts.query) },
};

function toIp(text: string): Ip {
  const ip = parseIp(text);
  if (ip instanceof Ip) return ip;
  throw new CelError(ip);
}

/** Parses an address, or returns its error. */
function parseIp(text: string): Ip | string {
  if (text.includes("%") && text.includes(":")) return `IP address ${quoted(text)} with zone value is not allowed`;
  const failed = (why: string): string =>
    `IP Address ${quoted(text)} parse error during conversion from string: ParseAddr(${quoted(text)}): ${why}`;
  if (!text.includes(":")) {
    if (!text.includes(".")) return failed("unable to parse IP");
    const value = parseIpv4(text);
    return typeof value === "string" ? failed(value) : new Ip(32, value);
  }
  const value = parseIpv6(text);
  if (typeof value === "string") return failed(value);
  if (value >> 32n === 0xffffn) return `IPv4-mapped IPv6 address ${quoted(text)} is not allowed`;
  return new Ip(128, value);
}

function parseIpv4(text: string): bigint | string {
  const parts = text.split(".");
  const odd = text.search(/[^0-9.]/);
  if (odd >= 0) return `unexpected character (at ${quoted(text.slice(odd))})`;
  if (parts.some((part) => part === "")) return "IPv4 field must have at least one digit";
  if (parts.some((part) => part.length > 1 && part.startsWith("0"))) return "IPv4 field has octet with leading zero";
  if (parts.some((part) => Number(part) > 255)) return "IPv4 field has value >255";
  if (parts.length < 4) return "IPv4 address too short";
  if (parts.length > 4) return "IPv4 address too long";
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

/** Parses an IPv6 address, or returns the error of Go's net/netip. */
function parseIpv6(text: string): bigint | string {
  const at = (why: string, rest: string): string => `${why} (at ${quoted(rest)})`;
  const groups: bigint[] = [];
  let gap = -1;
  let rest = text;
  if (rest.startsWith("::")) {
    gap = 0;
    rest = rest.slice(2);
    if (rest === "") return 0n;
  }
  while (groups.length < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return at("each group must have 4 or less digits", rest);
    if (digits === "") return at("each colon-separated field must have at least one digit", rest);
    if (rest[digits.length] === ".") {
      if (gap < 0 && groups.length !== 6) return at("embedded IPv4 address must replace the final 2 fields of the address", rest);
      if (groups.length > 6) return at("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
      const low = parseIpv4(rest);
      if (typeof low === "string") return low;
      groups.push(low >> 16n, low & 0xffffn);
      rest = "";
      break;
    }
    groups.push(BigInt(`0x${digits}`));
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return at("unexpected character, want colon", rest);
    if (rest === ":") return at("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (!rest.startsWith(":")) continue;
    if (gap >= 0) return at("multiple :: in address", rest);
    gap = groups.length;
    rest = rest.slice(1);
    if (rest === "") break;
  }
  if (rest !== "") return at("trailing garbage after address", rest);
  if (groups.length < 8 && gap < 0) return "address string too short";
  if (groups.length === 8 && gap >= 0) return "the :: must expand to at least one field of zeros";
  if (gap >= 0) groups.splice(gap, 0, ...Array.from({ length: 8 - groups.length }, () => 0n));
  return groups.reduce((value, group) => value * 65_536n + group, 0n);
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
}

/** Formats an IPv6 address. The longest run of two or more zero groups is shortened. */
function ipv6Text(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  let [best, length] = [-1, 1];
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groups[end] === "0") end++;
    if (end - start > length) [best, length] = [start, end - start];
  }
  if (best < 0) return groups.join(":");
  return `${groups.slice(0, best).join(":")}::${groups.slice(best + length).join(":")}`;
}

function isLinkLocalMulticast({ bits, value }: Ip): boolean {
  return bits === 32 ? value >> 8n === 0xe00000n : ((value >> 112n) & 0xff0fn) === 0xff02n;
}

function isLinkLocalUnicast({ bits, value }: Ip): boolean {
  return bits === 32 ? value >> 16n === 0xa9fen : value >> 118n === 0x3fan;
}

function isGlobalUnicast(ip: Ip): boolean {
  const { bits, value } = ip;
  const isMulticast = bits === 32 ? value >> 28n === 0xen : value >> 120n === 0xffn;
  const isLoopback = bits === 32 ? value >> 24n === 127n : value === 1n;
  return value !== 0n && !(bits === 32 && value === 0xffff_ffffn) && !isLoopback && !isMulticast && !isLinkLocalUnicast(ip);
}

function toCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr instanceof Cidr) return cidr;
  throw new CelError(cidr);
}

function parseCidr(text: string): Cidr | string {
  const failed = (why: string): string =>
    `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix(${quoted(text)}): ${why}`;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return failed("no '/'");
  const address = parseIp(text.slice(0, slash));
  if (!(address instanceof Ip)) {
    if (address.startsWith("IPv4-mapped")) {
      return `network address parse error during conversion from string: IPv4-mapped IPv6 address ${quoted(text)} is not allowed`;
    }
    return failed(address.replace(/^.*?conversion from string: /, ""));
  }
  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9]\d*)$/.test(bits)) return failed(`bad bits after slash: ${quoted(bits)}`);
  if (Number(bits) > address.bits) return failed("prefix length out of range");
  return new Cidr(address, Number(bits));
}

function containsCidr(outer: Cidr, inner: Cidr): boolean {
  return outer.contains(inner.masked) && outer.prefix <= inner.prefix && outer.address.bits === inner.address.bits;
}

function toUrl(text: string): Url {
  const parts = parseUrl(text);
  if (typeof parts !== "string") return new Url(parts);
  throw new CelError(`URL parse error during conversion from string: parse ${quoted(text)}: ${parts}`);
}

/** Parses what Go's `ParseRequestURI` accepts, an absolute URI or an absolute path, or returns its error. */
function parseUrl(text: string): UrlParts | string {
  if (text === "") return "empty url";
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x1f\x7f]/.test(text)) return "net/url: invalid control character in URL";
  const [, scheme, after = ""] = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(.*)$/s.exec(text) ?? [];
  if (scheme === undefined && !text.startsWith("/")) return text.startsWith(":") ? "missing protocol scheme" : "invalid URI for request";
  const mark = after.indexOf("?");
  const [rest, query] = mark < 0 ? [after, ""] : [after.slice(0, mark), after.slice(mark + 1)];
  if (!rest.startsWith("/"))
    return scheme === undefined ? "invalid URI for request" : { scheme: scheme.toLowerCase(), host: "", path: "", query };
  const authority = scheme !== undefined && rest.startsWith("//") ? (/^\/\/([^/]*)/.exec(rest)?.[1] ?? "") : undefined;
  const host = authority?.slice(authority.lastIndexOf("@") + 1) ?? "";
  const path = authority === undefined ? rest : rest.slice(authority.length + 2);
  const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path);
  if (badEscape !== null) return `invalid URL escape ${quoted(badEscape[0])}`;
  const badHost = /[ <>"^`{|}\\]/.exec(host);
  if (badHost !== null) return `invalid character ${quoted(badHost[0])} in host name`;
  const port = /:([^\]:]*)$/.exec(host)?.[1];
  if (port !== undefined && /[^0-9]/.test(port)) return `invalid port ${quoted(`:${port}`)} after host`;
  return { scheme: (scheme ?? "").toLowerCase(), host, path, query };
}

function escapePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~$&+,/:;=@%!'()*]/gu, (char) => encodeURIComponent(char));
}

function queryOf(query: string): Dict {
  const found = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(query)) found.set(key, [...(found.get(key) ?? []), value]);
  return new Dict(new Map([...found].map(([key, values]) => [key, new List(values)])));
}
