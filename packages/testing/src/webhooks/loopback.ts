/** Serves the webhooks of a test on loopback, with a CA of its own: for a real API server, which calls them over TLS. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { ConversionWebhook } from "@treadle/apimachinery";
import { makeCertificates } from "@treadle/apiserver/unstable/certificates";

/** Answers a review that came to a path. */
export type Answer = (path: string, review: unknown, signal: AbortSignal) => Promise<unknown>;

/** A server of webhooks. */
export interface LoopbackServer {
  /** Returns how an API server on this machine calls a path. */
  clientConfig(path: string): ConversionWebhook;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

/** Starts a server on a free port. */
export async function serveOnLoopback(answer: Answer): Promise<LoopbackServer> {
  const { caPem, server: pair } = await makeCertificates([HOST]);
  const server = createServer({ key: pair.keyPem, cert: pair.certPem }, (request, response) => void respond(answer, request, response));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, HOST, resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  const caBundle = Buffer.from(caPem).toString("base64");
  return {
    clientConfig: (path) => ({ url: `https://${HOST}:${port}${path}`, caBundle }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Never throws: every error becomes an answer, as in a server of webhooks. */
async function respond(answer: Answer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort());
  try {
    const { pathname } = new URL(request.url ?? "/", `https://${HOST}`);
    const answered = await answer(pathname, JSON.parse(await text(request)), left.signal);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answered));
  } catch (error) {
    const { status } = error as { readonly status?: unknown };
    const code = typeof status === "number" && status >= 400 && status < 600 ? status : 500;
    response.writeHead(code, { "content-type": "text/plain" }).end(error instanceof Error ? error.message : String(error));
  }
}
