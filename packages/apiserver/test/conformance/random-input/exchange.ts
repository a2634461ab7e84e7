/** Sends requests as bytes, so that what no client would send arrives too, and reads the answers. */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { PROTOBUF } from "../../../src/request/content.ts";
import { decodeProtobuf } from "../../../src/protobuf/decode.ts";
import type { Recorded } from "../session.ts";

export interface Peer {
  readonly url: string;
  /** Client certificates and the authority of an HTTPS server, PEM. */
  readonly tls?: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
}

export interface Wire {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Exchange {
  send(wire: Wire): Promise<Recorded>;
  close(): void;
}

export function exchangeWith({ url, tls }: Peer): Exchange {
  const agent = tls === undefined ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true, ...tls });
  const request = tls === undefined ? httpRequest : httpsRequest;
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve) => {
        const of = { scenario: "random input", step: "it", request: `${method} ${path}` };
        const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
        const sent = request(`${url}/`, { path, agent, method, headers: { "user-agent": "conformance/1.0", ...headers, ...length } });
        // A connection that breaks is an answer too.
        sent.once("error", (error) => resolve({ ...of, status: 0, headers: {}, body: `no answer: ${error.message}` }));
        sent.once("response", (response) => void read(response).then((body) => resolve({ ...of, ...headOf(response), body })));
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function headOf({ statusCode = 0, headers }: IncomingMessage): Pick<Recorded, "status" | "headers"> {
  const texts = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]);
  return { status: statusCode, headers: Object.fromEntries(texts) };
}

/** A watch has no end: of it nothing is read. */
async function read(response: IncomingMessage): Promise<unknown> {
  const isProtobuf = response.headers["content-type"] === PROTOBUF;
  let text = "";
  const timer = setTimeout(() => response.destroy(), WATCH_MS);
  try {
    for await (const chunk of response.setEncoding(isProtobuf ? "latin1" : "utf8")) text += chunk;
  } catch {
    text = "a stream";
  }
  clearTimeout(timer);
  try {
    return isProtobuf ? withoutEmpty(decodeProtobuf(text)) : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

const WATCH_MS = 3000;

/** What a real server writes though it is empty, which means the same as if it were not there. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !EMPTY.has(JSON.stringify(member))));
}

const EMPTY: ReadonlySet<string> = new Set(['""', "0", "false", "null", "{}", "[]"]);
