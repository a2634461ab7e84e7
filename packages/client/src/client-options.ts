/** What a client is made of. */
import type { Clock, Random, Transport } from "@treadle/apimachinery";
import type { Exchange } from "./exchange.ts";

export interface ClientOptions {
  readonly transport: Transport;
  /** @defaultValue the system's */
  readonly clock?: Clock;
  /** Jitter of waits before a retry. @defaultValue the system's */
  readonly random?: Random;
  /** Who is recorded in managedFields for writes that do not say. @defaultValue the server derives it from the user agent */
  readonly fieldManager?: string;
  /** @defaultValue `"treadle"` */
  readonly userAgent?: string;
  /** Base URL of the server for errors and observers. @defaultValue what the transport says */
  readonly server?: string;
  /** Where the credentials come from, for the error of a server that does not accept them. */
  readonly credentialSource?: string;
  /** False: every answer stands, whatever it asks for. @defaultValue true */
  readonly retry?: boolean;
  /** Told of every attempt when its answer is there, for metrics. What it throws becomes a process warning. */
  readonly observe?: (exchange: Exchange) => void;
  /** Told of each different warning of the server once (deprecated versions, unknown fields). @defaultValue a process warning */
  readonly onWarning?: (text: string) => void;
}
