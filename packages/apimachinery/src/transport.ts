/**
 * One HTTP exchange with an API server as plain data. The client sends these, the in-memory API server answers them;
 * what carries them (a socket, or a function call) is the business of a {@link Transport}.
 */

/** A request to an API server. Header names are lower-case. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with query, starting with `/`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the exchange; a stream in progress ends too. */
  readonly signal?: AbortSignal;
  /** The caller reads the body as it arrives (watch). */
  readonly stream?: boolean;
}

/** The answer: complete text, or chunks of text as they arrive. */
export type ApiResponse = {
  readonly status: number;
  /** Header names are lower-case. */
  readonly headers: Readonly<Record<string, string>>;
} & ({ readonly body: string; readonly stream?: undefined } | { readonly body?: undefined; readonly stream: AsyncIterable<string> });

/**
 * Carries requests to one API server.
 * Rejects when no answer came (connection refused, reset, aborted); an answer of any status resolves.
 */
export interface Transport {
  request(request: ApiRequest): Promise<ApiResponse>;
  close(): Promise<void>;
}
