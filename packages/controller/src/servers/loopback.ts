import { isIPv4 } from "node:net";

/** Whether only this machine can reach a server on `host`. */
export function isLoopback(host: string | undefined): boolean {
  return host === "localhost" || host === "::1" || (host !== undefined && isIPv4(host) && host.startsWith("127."));
}
