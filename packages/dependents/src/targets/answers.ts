/**
 * What a target sends, and how its failures are called, as texts for conditions. A target may be any server that another person named: of
 * an answer that is not a Status only the HTTP code is shown, and errors show neither addresses nor names of servers.
 */
import type { ApiResponse } from "@treadle/apimachinery";
import { ConnectionError, type ConnectionErrorCode, isConnectionError } from "@treadle/client";

/** Returns the failure of a request without addresses and names. An error that is not of a connection is returned as it is. */
export function plainError(error: unknown): unknown {
  if (!isConnectionError(error)) return error;
  return new ConnectionError({ code: error.code, message: textOfError(error) });
}

/** Returns the text of a failed connection. */
function textOfError(error: ConnectionError): string {
  const code = systemCode(error.cause);
  const text = SENTENCES[error.code];
  return code === undefined ? text : `${text} (${code})`;
}

const SENTENCES: Readonly<Record<ConnectionErrorCode, string>> = {
  ERR_UNREACHABLE: "there is no connection to the target cluster: check that its server is running, and the address in the kubeconfig",
  ERR_TLS: "there is no trusted connection to the target cluster: check its certificate, and the authority and names in the kubeconfig",
  ERR_CONNECTION_LOST: "the connection to the target cluster broke",
  ERR_TIMEOUT: "the target cluster did not answer in time",
  ERR_INVALID_RESPONSE: "the target cluster did not answer as an API server does",
  ERR_STREAM_TRUNCATED: "a watch of the target cluster was cut",
  ERR_CLOSED: "the connection to the target cluster is closed",
  ERR_CREDENTIALS: "there is no usable credential for the target cluster: check the kubeconfig",
  ERR_INVALID_REQUEST: "the request to the target cluster cannot be sent",
  ERR_ADDRESS_REFUSED:
    "the address of the target cluster is not allowed: correct the server in the kubeconfig, or allow it in the operator's code: targets({ servers })",
};

/** Codes of Node and OpenSSL consist of these characters; a text with others may be the server's. */
function systemCode(cause: unknown, depth = 0): string | undefined {
  if (typeof cause !== "object" || cause === null || depth > 4) return undefined;
  const { code, errors } = cause as { readonly code?: unknown; readonly errors?: unknown };
  if (typeof code === "string" && /^[A-Z0-9_]{3,60}$/.test(code)) return code;
  const [first] = Array.isArray(errors) ? (errors as readonly unknown[]) : [];
  return systemCode(first ?? (cause as { readonly cause?: unknown }).cause, depth + 1);
}

/** Maximum number of characters that are read of a failed answer. */
const MAX_CHARACTERS = 64 * 1024;

/** Returns an answer without what must not be shown: the body of a failure that is not a Status, and the headers. */
export async function plainAnswer(answer: ApiResponse): Promise<ApiResponse> {
  const headers = shownHeaders(answer.headers);
  if (answer.status >= 200 && answer.status <= 299) return { ...answer, headers };
  const body = answer.stream === undefined ? answer.body : await startOf(answer.stream);
  return { status: answer.status, headers, body: isStatus(body) ? body : "" };
}

/** The client reads these. `date` is for the explanation of a refused credential. */
function shownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const retryAfter = headers["retry-after"];
  const type = headers["content-type"]?.startsWith("application/json") === true ? { "content-type": "application/json" } : {};
  return { ...type, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) };
}

function isStatus(body: string): boolean {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null && "kind" in parsed && parsed.kind === "Status" && "apiVersion" in parsed;
  } catch {
    return false;
  }
}

async function startOf(stream: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    if (text.length > MAX_CHARACTERS) return "";
  }
  return text;
}
