/** An HTTPS server on loopback that answers conversion reviews, with a certificate of its own. */
import "reflect-metadata";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as x509 from "@peculiar/x509";
import type { CallEnv } from "../src/call.ts";
import type { Converter } from "../src/conversion/converter.ts";
import { convertReview } from "../src/conversion/review.ts";

export interface Endpoint extends AsyncDisposable {
  /** The configuration of the CRD. */
  readonly conversion: { readonly url: string; readonly caBundle: string };
  /** The ignored annotations: `name: reason`. */
  readonly ignored: string[];
}

/** Serves the conversions of a kind. */
export async function conversionEndpoint(converter: Converter): Promise<Endpoint> {
  const { cert, key } = await certificate();
  const ignored: string[] = [];
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const env: Pick<CallEnv, "log" | "signal" | "onIgnored"> = {
    log: silent,
    signal: new AbortController().signal,
    onIgnored: (_kind, name, reason) => void ignored.push(`${name.slice(name.indexOf("/") + 1)}: ${reason}`),
  };
  const server = createServer({ cert, key }, (request, response) => {
    void (async () => {
      const answer = await convertReview(converter, JSON.parse(await text(request)), env);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    })().catch(() => response.destroy()); // A server that stops cuts its calls off.
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    conversion: { url: `https://127.0.0.1:${port}/convert`, caBundle: Buffer.from(cert).toString("base64") },
    ignored,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function certificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await globalThis.crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=conversion",
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 86_400_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
    ],
  });
  const der = await globalThis.crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: made.toString("pem"), key: x509.PemConverter.encode(der, "PRIVATE KEY") };
}
