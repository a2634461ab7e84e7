/**
 * One HTTP exchange with an API server as plain data. The client sends requests, and the in-memory API server answers them.
 * A {@link Transport} carries them, over a socket or by a function call.
 */

/** A request to an API server. Header names are lower-case. */
export interface ApiRequest {
  /** HTTP method. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with query; it begins with `/`. */
  readonly path: string;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, already serialized. */
  readonly body?: string;
  /** Ends the exchange when aborted, also while a stream is being read. */
  readonly signal?: AbortSignal;
  /** Whether the caller reads the body as it arrives, as for a watch. */
  readonly stream?: boolean;
}

/** A response of an API server. Its body is complete text, or chunks of text as they arrive. */
export type ApiResponse = {
  /** HTTP status. */
  readonly status: number;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
} & ({ readonly body: string; readonly stream?: undefined } | { readonly body?: undefined; readonly stream: AsyncIterable<string> });

/** Carries requests to one API server. */
export interface Transport {
  /** Sends a request. Resolves with a response of any status; rejects when no response came (connection refused, reset, aborted). */
  request(request: ApiRequest): Promise<ApiResponse>;
  /** Closes all connections. */
  close(): Promise<void>;
}
