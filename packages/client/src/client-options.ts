/** Options of {@link createClient}. */
import type { Clock, Random, Transport } from "@treadle/apimachinery";
import type { Exchange } from "./exchange.ts";

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Carries the requests: {@link httpTransport}, or the transport of an in-memory server. The client closes it. */
  readonly transport: Transport;
  /** Clock for waits and durations. @defaultValue the system's */
  readonly clock?: Clock;
  /** Source of the jitter of waits before a retry. @defaultValue the system's */
  readonly random?: Random;
  /** Name of the writer in managedFields, for writes that give none. @defaultValue the server derives it from the user agent */
  readonly fieldManager?: string;
  /** Value of the User-Agent header. @defaultValue `"treadle"` */
  readonly userAgent?: string;
  /** Base URL of the server, for errors and metrics. @defaultValue that of the transport */
  readonly server?: string;
  /** Origin of the credentials, for the error when the server does not accept them. */
  readonly credentialSource?: string;
  /** Whether failed attempts are repeated. @defaultValue true */
  readonly retry?: boolean;
  /** Called after every attempt, for metrics. An error that it throws becomes a process warning. */
  readonly onExchange?: (exchange: Exchange) => void;
  /** Called once for each different warning of the server (deprecated versions, unknown fields). @defaultValue a process warning */
  readonly onWarning?: (text: string) => void;
}
