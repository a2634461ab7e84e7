/** The option `servers`: to which hosts and addresses connections may go. */
import { isIP } from "node:net";
import type { AllowAddress } from "@treadle/client";
import { canonical, contains, isRefused, isWithinRefused, type Range, rangeOf } from "./addresses.ts";

interface Entry {
  readonly port: number | undefined;
  /** Addresses; `undefined`: the entry is a pattern of names. */
  readonly range: Range | undefined;
  /** Whether the range lies in one that is refused by default. */
  readonly isExplicit: boolean;
  /** The end of the name, with its dot, or the whole name. */
  readonly name: string;
}

/**
 * Returns the rule of the connections to targets. Without `servers`, all addresses are allowed that are not refused by default. With it,
 * an address is allowed if an entry contains it, or if the name of the host matches an entry and the address is not refused by default.
 * An entry allows addresses that are refused by default only if all of its addresses are, such as `127.0.0.1` or `169.254.0.0/16`.
 * @throws TypeError for an entry that is neither a name, an address nor a CIDR
 */
export function serverRule(servers: readonly string[] | undefined): AllowAddress {
  const entries = servers?.map(entryOf);
  return ({ host, address, port }) => {
    const at = address === undefined ? undefined : canonical(address);
    const name = host.replace(/\.$/, "");
    const given = entries?.filter((entry) => entry.port === undefined || entry.port === port);
    // A proxy resolves the name, so only the name can be judged.
    if (at === undefined) return given === undefined || given.some((entry) => matchesName(entry, name));
    const refused = isRefused(at);
    if (given === undefined) return !refused;
    return given.some((entry) =>
      entry.range === undefined
        ? !refused && isIP(name) === 0 && matchesName(entry, name)
        : contains(entry.range, at) && (!refused || entry.isExplicit),
    );
  };
}

function matchesName({ range, name }: Entry, host: string): boolean {
  if (range !== undefined || isIP(host) !== 0) return false;
  return name.startsWith(".") ? host.endsWith(name) && host.length > name.length : host === name;
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;

function entryOf(text: string): Entry {
  const [host, port] = splitPort(text);
  const range = rangeOf(host);
  if (range !== undefined) {
    const plain = canonical(range.address);
    const known: Range = range.bits === 128 && isIP(plain) === 4 ? { address: plain, bits: 32, family: "ipv4" } : range;
    return { port, range: known, isExplicit: isWithinRefused(known), name: "" };
  }
  const name = host.toLowerCase();
  const labels = name.replace(/^\*\./, "").split(".");
  const isNumeric = /^(0x[0-9a-f]*|[0-9]+)$/.test(labels.at(-1) ?? "");
  if (!labels.every((label) => LABEL.test(label)) || isNumeric)
    throw new TypeError(
      `targets({ servers }): ${JSON.stringify(text)} is not a name, an address or a CIDR: write it as "api.example.com", "*.example.com", "10.0.0.0/8", "10.0.0.1:6443" or "[fd00::1]:6443"`,
    );
  return { port, range: undefined, isExplicit: false, name: name.startsWith("*.") ? name.slice(1) : name };
}

function splitPort(text: string): readonly [host: string, port: number | undefined] {
  const bracketed = /^\[(?<host>[^\]]+)\](:(?<port>\d{1,5}))?$/.exec(text)?.groups;
  if (bracketed !== undefined) return [bracketed["host"] ?? "", portOf(bracketed["port"])];
  // An IPv6 address contains colons.
  if (rangeOf(text) !== undefined) return [text, undefined];
  const parts = /^(?<host>[^:]*):(?<port>\d{1,5})$/.exec(text)?.groups;
  return parts === undefined ? [text, undefined] : [parts["host"] ?? "", portOf(parts["port"])];
}

function portOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
