/** Options of the HTTP transport: the server, the credentials, the proxy and the deadlines. */
import type { Clock } from "@treadle/apimachinery";
import type { AllowAddress, Lookup } from "./address-guard.ts";
import type { Credentials, CredentialSource } from "./credentials.ts";

/** Options of {@link httpTransport}. */
export interface HttpTransportOptions {
  /** Base URL, such as `https://10.0.0.1:443`. It may have a path. Over `http` no credentials are sent. */
  readonly server: string;
  /** Credentials, or a function that returns the current ones before each request. @defaultValue none */
  readonly credentials?: Credentials | CredentialSource;
  /** Expected name in the server's certificate. @defaultValue the host of `server` */
  readonly serverName?: string | undefined;
  /** Whether any certificate of the server is accepted; for experiments only. @defaultValue false */
  readonly isInsecure?: boolean | undefined;
  /** URL of a proxy: `http:`, `https:` or `socks5:`. @defaultValue none; environment variables are not read */
  readonly proxyUrl?: string | undefined;
  /** Whether HTTP/2 is used where the server offers it. @defaultValue false: HTTP/1.1 with one connection for each watch */
  readonly http2?: boolean;
  /** Origin of these options, for errors: `in-cluster`, or the kubeconfig files. */
  readonly source?: string | undefined;
  /** Clock for the ages of credentials. @defaultValue the system's */
  readonly clock?: Clock | undefined;
  /** Maximum time until an answer begins, in milliseconds. @defaultValue 70,000; a server ends a call after 60 s (`--request-timeout`) */
  readonly headersTimeoutMs?: number;
  /** Maximum time to open a connection, in milliseconds. @defaultValue 10,000 */
  readonly connectTimeoutMs?: number;
  /**
   * Decides about each connection by its address: to the server, or to its proxy. With a proxy it is also asked about the server, without
   * an address where the proxy resolves the name. @defaultValue all addresses are allowed
   */
  readonly allowAddress?: AllowAddress;
  /** Resolves names, for {@link HttpTransportOptions.allowAddress}. @defaultValue that of the system */
  readonly lookup?: Lookup;
  /** Maximum size of an answer that is not a watch, in bytes. @defaultValue no limit */
  readonly maxResponseBytes?: number;
}
