/** Options of the HTTP transport: the server, the credentials, the proxy and the deadlines. */
import type { Clock } from "@treadle/apimachinery";
import type { Credentials, CredentialSource } from "./credentials.ts";

export interface HttpTransportOptions {
  /** Base URL, e.g. `https://10.0.0.1:443`; may have a path. Over `http` no credentials are sent. */
  readonly server: string;
  readonly credentials?: Credentials | CredentialSource;
  /** Name to expect in the server's certificate. @defaultValue the host of `server` */
  readonly serverName?: string | undefined;
  /** Accepts any certificate of the server: for experiments only. @defaultValue false */
  readonly isInsecure?: boolean | undefined;
  /** A proxy to go through: `http:`, `https:` or `socks5:`. @defaultValue none; the environment is not consulted */
  readonly proxyUrl?: string | undefined;
  /** Uses HTTP/2 where the server offers it. @defaultValue false: HTTP/1.1, one connection for each watch */
  readonly http2?: boolean;
  /** Where these options are from, for errors: `in-cluster`, or the kubeconfig files. */
  readonly source?: string | undefined;
  /** @defaultValue the system's */
  readonly clock?: Clock | undefined;
  /** How long an answer may take to begin. @defaultValue 70,000: a server gives up on a call after 60 s (`--request-timeout`) */
  readonly headersTimeoutMs?: number;
  /** @defaultValue 10,000 */
  readonly connectTimeoutMs?: number;
}
