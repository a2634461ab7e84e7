/**
 * Decides about each connection by the address that it goes to, and not by the name of the host: a name may resolve to another address
 * at any time. Literal addresses are judged as well. Nothing is sent to an address that is not allowed.
 */
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { ConnectionError } from "./connection-error.ts";

/** Where a connection goes to. */
export interface ConnectionAddress {
  /** The host of the URL, in lower case and without brackets: a name or an address. */
  readonly host: string;
  /** The IP address of the connection. `undefined`: a proxy resolves the host. */
  readonly address: string | undefined;
  /** The port. */
  readonly port: number;
}

/** Returns whether a connection may be opened. It must not throw. */
export type AllowAddress = (to: ConnectionAddress) => boolean;

/** Looks a name up, as `node:dns` does. */
export type Lookup = typeof systemLookup;

/** The guard of the connections to one URL. */
export interface Guard {
  /** @throws ConnectionError ERR_ADDRESS_REFUSED for a literal address that is not allowed */
  readonly check: () => void;
  /** Resolves the host. It fails where no address is allowed, and leaves out the others. */
  readonly lookup: LookupFunction;
}

/** Makes the guard of the connections to `url`. */
export function guardOf(url: URL, allow: AllowAddress, lookup: Lookup = systemLookup): Guard {
  const host = bare(url.hostname).toLowerCase();
  const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0);
  return {
    check: () => {
      if (isIP(host) !== 0 && !allow({ host, address: host, port })) throw refused();
    },
    lookup: (name, options, callback) => {
      lookup(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, [], 0);
        const allowed = found.filter(({ address }) => allow({ host, address, port }));
        const [first] = allowed;
        if (first === undefined) return callback(refused(), [], 0);
        // Node asks for one address, or for all to try one after the other.
        if (options.all === true) callback(null, allowed satisfies LookupAddress[]);
        else callback(null, first.address, first.family);
      });
    },
  };
}

/** Checks a server whose host a proxy resolves. @throws ConnectionError ERR_ADDRESS_REFUSED */
export function checkBehindProxy(url: URL, allow: AllowAddress): void {
  const host = bare(url.hostname).toLowerCase();
  const port = Number(url.port) || (DEFAULT_PORTS[url.protocol] ?? 0);
  if (!allow({ host, address: isIP(host) === 0 ? undefined : host, port })) throw refused();
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80, "socks5:": 1080, "socks5h:": 1080 };

function refused(): ConnectionError {
  return new ConnectionError({ code: "ERR_ADDRESS_REFUSED", message: "the address of the server is not allowed" });
}

function bare(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}
