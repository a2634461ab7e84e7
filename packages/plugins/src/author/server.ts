/** The gRPC server of a plugin: the service of a capability, and what a host of go-plugin needs besides it. */
import type { sendUnaryData, ServerUnaryCall } from "@grpc/grpc-js";
import type { Tls } from "../wire/certificate.ts";
import { decodeRequest, encodeAnswer, encodeDescription } from "../wire/codec.ts";
import type { PlanRequest } from "../wire/messages.ts";
import { HEALTH_SERVICE, loadProtos, MAX_MESSAGE_BYTES } from "../wire/protos.ts";
import { type AnyCapability, answerOf, describe } from "./plan.ts";

/** A server that listens. */
export interface PluginServer {
  /** The port of a TCP address. */
  readonly port: number;
  /** Waits for running calls, at most 1.5 s: the host kills after 2 s. */
  stop(): Promise<void>;
}

type Call<T> = ServerUnaryCall<T, object>;
type Reply = sendUnaryData<object>;

/**
 * Serves at an address such as `unix:/plugins/pg.sock` or `127.0.0.1:8443`. With `tls` only a client with a certificate of `ca` is
 * served. `onShutdown` is called when the host asks the program to end.
 * Output of the program goes to stderr, so `plugin.GRPCStdio` is not served. @throws Error if the address is not free
 */
export async function startServer(
  capabilities: readonly AnyCapability[],
  address: string,
  { tls, onShutdown = () => undefined }: { readonly tls?: Tls | undefined; readonly onShutdown?: () => void } = {},
): Promise<PluginServer> {
  const description = encodeDescription(describe(capabilities));
  const [grpc, protos] = await Promise.all([import("@grpc/grpc-js"), loadProtos()]);
  const server = new grpc.Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
    "grpc.enable_channelz": 0,
  });
  server.addService(protos.capability, {
    describe: (_: Call<object>, reply: Reply) => reply(null, description),
    plan({ request }: Call<object>, reply: Reply) {
      let decoded: PlanRequest;
      try {
        decoded = decodeRequest(request);
      } catch (error) {
        return reply({ code: grpc.status.INVALID_ARGUMENT, details: String(error) });
      }
      void answerOf(capabilities, decoded, console.error).then((answer) => reply(null, encodeAnswer(answer)));
    },
  });
  server.addService(protos.health, {
    check: ({ request }: Call<{ service: string }>, reply: Reply) =>
      ["", HEALTH_SERVICE].includes(request.service)
        ? reply(null, { status: "SERVING" })
        : reply({ code: grpc.status.NOT_FOUND, details: "no such service" }),
  });
  server.addService(protos.controller, {
    shutdown(_: Call<object>, reply: Reply) {
      reply(null, {});
      onShutdown();
    },
  });
  const pair = tls && { cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) };
  const credentials = pair ? grpc.ServerCredentials.createSsl(Buffer.from(tls.ca), [pair], true) : grpc.ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(address, credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(new Error(`cannot listen on ${address}: ${error.message}`, { cause: error })),
    ),
  );
  return {
    port,
    async stop() {
      const timer = setTimeout(() => server.forceShutdown(), 1_500);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(timer);
    },
  };
}
