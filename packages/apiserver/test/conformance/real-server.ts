/**
 * Sends requests to a real API server, with a kubeconfig that embeds a client certificate, as envtest and kind write it. It
 * does not use @treadle/client, which comes after this package in the order of packages.
 */
import { readFileSync } from "node:fs";
import { Agent, request as send } from "node:https";
import type { IncomingMessage } from "node:http";
import type { ApiRequest, ApiResponse, Transport } from "@treadle/apimachinery";
import { parse } from "yaml";
import type { Json } from "./session.ts";

/** Returns a transport to the server. @throws Error when the file is not such a kubeconfig */
export function realServer(kubeconfig: string): Transport & { readonly url: string } {
  const { url, tls } = credentialsOf(kubeconfig);
  const agent = new Agent({ keepAlive: true, ...tls });
  return {
    url,
    request: (request) => exchange(url, agent, request),
    close: async () => agent.destroy(),
  };
}

/** Returns the server and the user of the current context. @throws Error when the file is not such a kubeconfig */
export function credentialsOf(kubeconfig: string): {
  readonly url: string;
  readonly tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
} {
  const config = parse(readFileSync(kubeconfig, "utf8")) as Json; // looked into below
  const context = named(config["contexts"], config["current-context"])?.["context"];
  const cluster = named(config["clusters"], context?.cluster)?.["cluster"];
  const user = named(config["users"], context?.user)?.["user"];
  const [ca, cert, key] = [cluster?.["certificate-authority-data"], user?.["client-certificate-data"], user?.["client-key-data"]].map(pem);
  if (typeof cluster?.server !== "string" || ca === undefined || cert === undefined || key === undefined)
    throw new Error(`${kubeconfig} has no server with a client certificate in its current context`);
  return { url: cluster.server, tls: { ca, cert, key } };
}

function exchange(url: string, agent: Agent, request: ApiRequest): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const { method, signal, body } = request;
    // Node sends the body of a DELETE only with a length.
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    const headers = { ...request.headers, ...length };
    const sent = send(`${url}${request.path}`, { agent, method, headers, ...(signal === undefined ? {} : { signal }) });
    sent.once("error", reject);
    sent.once("response", (response) => void answer(response, request.stream === true).then(resolve, reject));
    sent.end(body);
  });
}

async function answer(response: IncomingMessage, isStream: boolean): Promise<ApiResponse> {
  const status = response.statusCode ?? 0;
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
  response.setEncoding("utf8");
  if (isStream && status === 200) return { status, headers, stream: response };
  let body = "";
  for await (const chunk of response) body += chunk;
  return { status, headers, body };
}

function named(list: unknown, name: unknown): Json | undefined {
  return Array.isArray(list) ? (list as readonly Json[]).find((each) => each["name"] === name) : undefined;
}

function pem(data: unknown): Buffer | undefined {
  return typeof data === "string" ? Buffer.from(data, "base64") : undefined;
}
