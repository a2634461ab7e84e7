/** Servers in the place of a webhook that fail, each in its own way. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { makeCertificates } from "../src/front/certificates.ts";

export interface FailingServer {
  readonly url: string;
  /** CA certificate for `caBundle`. */
  readonly ca: string;
  close(): Promise<void>;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

const TEXT = { "content-type": "text/plain" };
const JSON_TYPE = { "content-type": "application/json" };

/** Answers over TLS with a certificate that is right. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  "no answer": () => undefined,
  "half an answer": (response) => void response.writeHead(200, { ...JSON_TYPE, "content-length": "100" }).write("{"),
  "an answer that is cut off": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": "100" });
    response.write("{", () => response.destroy());
  },
  "no bytes": (response) => response.destroy(),
  "a failure": (response) => response.writeHead(500, TEXT).end("something broke"),
  "a failure without a text": (response) => response.writeHead(500).end(),
  "a failure as JSON": (response) => response.writeHead(500, JSON_TYPE).end('{"message":"something broke"}'),
  "a failure as a status": (response) =>
    response
      .writeHead(500, JSON_TYPE)
      .end('{"kind":"Status","apiVersion":"v1","status":"Failure","message":"something broke","reason":"Teapot","code":500}'),
  "a gateway without a server": (response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>\n"),
  "a server that is too busy": (response) => response.writeHead(503, TEXT).end("later"),
  "a gateway that waits": (response) => response.writeHead(504, TEXT).end("too late"),
  "too many requests": (response) => response.writeHead(429, TEXT).end("slower"),
  "a bad request": (response) => response.writeHead(400, TEXT).end("cannot read that"),
  "no right": (response) => response.writeHead(401, TEXT).end("who are you"),
  "another right": (response) => response.writeHead(403, TEXT).end("not you"),
  "another path": (response) => response.writeHead(404, TEXT).end("not here"),
  "another method": (response) => response.writeHead(405, TEXT).end("not so"),
  "a body that is too long": (response) => response.writeHead(413, TEXT).end("too long"),
  words: (response) => response.writeHead(200, JSON_TYPE).end("garbage"),
  "a page": (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
  "an empty body": (response) => response.writeHead(200, JSON_TYPE).end(),
  "a list": (response) => response.writeHead(200, JSON_TYPE).end("[]"),
  null: (response) => response.writeHead(200, JSON_TYPE).end("null"),
  "an empty object": (response) => response.writeHead(200, JSON_TYPE).end("{}"),
  "another kind": (response) => response.writeHead(200, JSON_TYPE).end('{"apiVersion":"v1","kind":"Pod"}'),
};

/** Names of all failures. */
export const FAILURES: readonly string[] = [
  ...Object.keys(ANSWERS),
  "no listener",
  "no TLS",
  "a certificate of another CA",
  "a certificate for another name",
  "a certificate that has expired",
];

/** Starts a server that fails in this way. */
export async function failingServer(failure: string): Promise<FailingServer> {
  const { caPem, server } = await makeCertificates([failure === "a certificate for another name" ? "other.example.com" : "127.0.0.1"]);
  const pair = { key: server.keyPem, cert: server.certPem };
  const found = ANSWERS[failure];
  switch (failure) {
    case "no listener": {
      const started = await listen(createSocketServer(), caPem);
      await started.close();
      return { ...started, close: async () => undefined };
    }
    case "no TLS":
      return listen(
        createPlainServer((_, response) => response.end("hello")),
        caPem,
      );
    case "a certificate of another CA":
      return listen(createServer(pair), (await makeCertificates(["127.0.0.1"])).caPem);
    case "a certificate that has expired": {
      const expired = await expiredCertificate();
      return listen(createServer(expired), expired.cert);
    }
    default:
      return listen(
        createServer(pair, (request, response) => {
          request.resume();
          request.once("end", () => void found?.(response, request));
        }),
        caPem,
      );
  }
}

async function listen(server: Server, caPem: string): Promise<FailingServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // Clients break off.
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `https://127.0.0.1:${port}`,
    ca: Buffer.from(caPem).toString("base64"),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A certificate that signs itself and was valid in 2020. */
async function expiredCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  // The dependency injection of the library needs this import first.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=expired",
    notBefore: new Date("2020-01-01T00:00:00Z"),
    notAfter: new Date("2020-12-31T00:00:00Z"),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
    ],
  });
  const der = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { key: x509.PemConverter.encode(der, "PRIVATE KEY"), cert: certificate.toString("pem") };
}
