/** A plugin written directly on grpc-js, and ways in which a plugin can be wrong. It runs as a program: see `programs.ts`. */
import { X509Certificate } from "node:crypto";
import { Server, ServerCredentials, type UntypedHandleCall, type handleUnaryCall } from "@grpc/grpc-js";
import { newCertificate } from "../src/wire/certificate.ts";
import { loadProtos } from "../src/wire/protos.ts";

export interface Fixture {
  /** @defaultValue a plan with one Secret */
  readonly plan?: (server: Server, request: object) => object | Promise<object>;
  readonly describe?: () => object | Promise<object>;
  /** @defaultValue it serves */
  readonly check?: () => object | Promise<object>;
  /** The handshake has the certificate of another program. */
  readonly hasOtherCertificate?: boolean;
  /** @defaultValue the program ends */
  readonly shutdown?: () => object | Promise<object>;
  readonly network?: "tcp";
}

export async function serveFixture({ plan, describe, check, hasOtherCertificate, shutdown, network }: Fixture = {}): Promise<void> {
  const [protos, own, other] = await Promise.all([loadProtos(), newCertificate(), newCertificate()]);
  const server = new Server({ "grpc.max_send_message_length": -1, "grpc.max_receive_message_length": -1 });
  const unary = (answer: (request: never) => unknown): UntypedHandleCall =>
    // The method is a unary one by its definition.
    (async (call, done) => {
      try {
        done(null, await answer(call.request));
      } catch (error) {
        done(error as Error);
      }
    }) satisfies handleUnaryCall<never, unknown> as unknown as UntypedHandleCall;
  server.addService(protos.capability, {
    Describe: unary(describe ?? (() => DESCRIPTION)),
    Plan: unary((request) => plan?.(server, request) ?? PLAN),
  });
  server.addService(protos.health, { Check: unary(check ?? (() => ({ status: "SERVING" }))), Watch: unary(() => ({})) });
  server.addService(protos.controller, { Shutdown: unary(shutdown ?? (() => setImmediate(() => process.exit(0)) && {})) });
  const pair = { private_key: Buffer.from(own.key), cert_chain: Buffer.from(own.cert) };
  const credentials = ServerCredentials.createSsl(Buffer.from(process.env["PLUGIN_CLIENT_CERT"] ?? ""), [pair], true);
  const socket = `${process.env["PLUGIN_UNIX_SOCKET_DIR"]}/socket`;
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(network === "tcp" ? "127.0.0.1:0" : `unix:${socket}`, credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  const certificate = new X509Certificate((hasOtherCertificate === true ? other : own).cert).raw.toString("base64").replace(/=+$/, "");
  process.stdout.write(`1|1|${network === "tcp" ? `tcp|127.0.0.1:${port}` : `unix|${socket}`}|grpc|${certificate}\n`);
}

export const DESCRIPTION: object = {
  name: "fixture",
  version: "0.1.0",
  apiVersions: { oldest: "1.0", newest: "1.0" },
  category: "database",
  types: [{ name: "postgresql", versions: ["16"], parameterSchema: Buffer.from('{"type":"object"}') }],
  kinds: [{ group: "", version: "v1", kind: "Secret" }],
};

export const PLAN: object = {
  dependents: { dependents: [{ id: "a", object: Buffer.from('{"apiVersion":"v1","kind":"Secret"}'), config: { updated: false } }] },
};
