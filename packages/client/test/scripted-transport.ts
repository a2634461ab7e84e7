import type { ApiRequest, ApiResponse, Transport } from "@treadle/apimachinery";

/** What a scripted server does with the next request: an answer, or the failure of the connection. */
export type Reply = ApiResponse | Error | ((request: ApiRequest) => ApiResponse | Error | Promise<ApiResponse>);

/** A transport that answers from a script and remembers what it was sent. Past its end it repeats the last reply. */
export function scriptedTransport(...replies: readonly Reply[]): Transport & { readonly requests: ApiRequest[] } {
  const requests: ApiRequest[] = [];
  return {
    requests,
    async request(request) {
      requests.push(request);
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      const answer = typeof reply === "function" ? await reply(request) : reply;
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error("the script is empty");
      return answer;
    },
    close: () => Promise.resolve(),
  };
}

export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

export function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body };
}

/** A failure in the words of an API server. */
export function failure(code: number, reason: string, message: string, details?: object): ApiResponse {
  return json(code, {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    code,
    reason,
    message,
    ...(details === undefined ? {} : { details }),
  });
}

/** The same answer, asking to come back after so many seconds. */
export function retryAfter(seconds: number | string, response: ApiResponse): ApiResponse {
  return { ...response, headers: { ...response.headers, "retry-after": String(seconds) } };
}

export function stream(...chunks: readonly (string | Error)[]): ApiResponse {
  async function* body(): AsyncGenerator<string, void, undefined> {
    for (const chunk of chunks) {
      await Promise.resolve();
      if (chunk instanceof Error) throw chunk;
      yield chunk;
    }
  }
  return { status: 200, headers: { "content-type": "application/json" }, stream: body() };
}

/** An error as a socket reports it. */
export function socketError(code: string, message = code): Error {
  return Object.assign(new Error(message), { code });
}
