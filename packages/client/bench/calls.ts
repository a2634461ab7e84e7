/** Calls a second over HTTPS, and the connections they take. Run: `node --conditions=@treadle/source bench/calls.ts` */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { kind } from "@treadle/apimachinery";
import { createClient, httpTransport } from "../src/index.ts";
import { selfSigned } from "../test/certificates.ts";

const keys = await selfSigned("bench");
const body = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { text: "x".repeat(4000) } });
let connections = 0;
const server = createServer(keys, (_, response) => void response.end(body)).on("secureConnection", () => connections++);
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP

const Pod = kind({ group: "", version: "v1", kind: "Pod" });
const ref = { name: "a", namespace: "ns" };
const CALLS = 2000;

for (const parallel of [1, 10, 50]) {
  const client = createClient({ transport: httpTransport({ server: url, credentials: { ca: keys.cert } }) });
  connections = 0;
  const started = performance.now();
  const worker = async (): Promise<void> => {
    for (let i = 0; i < CALLS / parallel; i++) await client.get(Pod, ref);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const perSecond = Math.round(CALLS / ((performance.now() - started) / 1000));
  console.log(`${parallel} at a time: ${perSecond} calls/s over ${connections} connections`);
  await client.close();
}
server.close();
