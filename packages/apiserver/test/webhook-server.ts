/** A webhook for tests: answers over TLS with the result of a function, and records the requests. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeCertificates } from "../src/front/certificates.ts";

export interface Json {
  // Tests look into reviews freely; a missing field shows as a failed expectation.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

/** Makes the answer of a webhook: a response (its uid is added), a whole body, or no answer at all. */
export type Say = (review: Json, path: string) => Json | { readonly raw: string; readonly status?: number } | "silence";

export interface WebhookServer {
  readonly url: string;
  readonly port: number;
  /** CA certificate for `caBundle`. */
  readonly ca: string;
  readonly asked: Json[];
  close(): Promise<void>;
}

/** @param hosts names in its certificate, in addition to the loopback address */
export async function serveWebhook(say: Say, hosts: readonly string[] = []): Promise<WebhookServer> {
  const certificates = await makeCertificates(["127.0.0.1", "localhost", ...hosts]);
  const asked: Json[] = [];
  const server = createServer({ key: certificates.server.keyPem, cert: certificates.server.certPem }, (request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      const review = JSON.parse(text) as Json;
      asked.push(review);
      const said = say(review, request.url ?? "");
      if (said === "silence") return;
      if ("raw" in said) return void response.writeHead(said["status"] ?? 200, { "content-type": "application/json" }).end(said["raw"]);
      const { apiVersion, kind } = review;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ apiVersion, kind, response: { uid: review["request"].uid, ...said } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    ca: Buffer.from(certificates.caPem).toString("base64"),
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a response with a JSON patch. */
export function patched(...operations: readonly object[]): Json {
  return { allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(operations)).toString("base64") };
}
