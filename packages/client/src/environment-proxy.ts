/**
 * The proxy that the environment names, by the rules of Go (golang.org/x/net/http/httpproxy), so that an operator uses the same
 * proxy as kubectl. HTTPS_PROXY is for https servers, HTTP_PROXY for http servers, NO_PROXY lists the exceptions. Names in upper
 * case win over those in lower case. Servers on this machine never have a proxy.
 */
import { BlockList, isIP } from "node:net";
import { ConfigError } from "./config-error.ts";
import { shownUrl } from "./shown-url.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Protocols of supported proxies. */
export const PROXY_PROTOCOLS: readonly string[] = ["http:", "https:", "socks5:", "socks5h:"];

/** The URL of the proxy for `server`; `undefined` without a proxy. @throws ConfigError for a variable that is not a URL */
export function environmentProxy(server: string, env: Environment): string | undefined {
  const url = new URL(server);
  const [name, given] = first(env, url.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"]);
  const [, exceptions] = first(env, ["NO_PROXY", "no_proxy"]);
  if (given === "" || !needsProxy(url, exceptions)) return undefined;
  const proxy = given.includes("://") ? given : `http://${given}`;
  if (isProxyUrl(proxy)) return proxy;
  throw new ConfigError({
    source: name,
    problem: `${JSON.stringify(shownUrl(given))} is not the URL of a proxy`,
    fix: "write it as http://host:port, https://host:port or socks5://host:port, or unset it",
  });
}

/** Whether `text` is the URL of a supported proxy. */
export function isProxyUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return PROXY_PROTOCOLS.includes(protocol) && hostname !== "";
}

function first(env: Environment, names: readonly string[]): readonly [name: string, value: string] {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return [name, value];
  }
  return [names[0] ?? "", ""];
}

function needsProxy(url: URL, exceptions: string): boolean {
  const host = bare(url.hostname.toLowerCase());
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || isLoopback(host)) return false;
  return !exceptions
    .split(",")
    .map((text) => text.trim().toLowerCase())
    .some((text) => text !== "" && matches(text, host, port));
}

/**
 * Whether an entry of NO_PROXY matches a host. An entry is `*`, an address, a CIDR, a domain with its subdomains, or `.domain`
 * for the subdomains only. All but CIDRs may have a port.
 */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isIn(entry, host);
  const [name, onlyPort] = split(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (name === "") return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && listOf(name)?.check(host, familyOf(host)) === true;
  const domain = name.startsWith("*.") ? name.slice(1) : name;
  return domain.startsWith(".") ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function split(entry: string): readonly [name: string, port?: string] {
  // An IPv6 address contains colons.
  const parts = isIP(entry) === 0 ? /^(?<name>\[.*\]|[^:]*):(?<port>[^:]*)$/.exec(entry)?.groups : undefined;
  return parts === undefined ? [bare(entry)] : [bare(parts["name"] ?? ""), parts["port"] ?? ""];
}

function isIn(range: string, host: string): boolean {
  const [address = "", bits = ""] = range.split("/");
  if (isIP(host) === 0 || isIP(address) === 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (isIP(address) === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), familyOf(address));
  return list.check(host, familyOf(host));
}

function isLoopback(host: string): boolean {
  return isIn("127.0.0.0/8", host) || host === "::1";
}

function listOf(address: string): BlockList | undefined {
  const list = new BlockList();
  list.addAddress(address, familyOf(address));
  return list;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function bare(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}
