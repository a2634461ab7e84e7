/**
 * A connection over gRPC: calls with limits, and their failures as {@link PluginError}. It does not poll and has no timers while idle: the
 * host asks for the health, and the loss of the connection is an event of the transport.
 */
import type { Client, MethodDefinition, ServiceError } from "@grpc/grpc-js";
import { withoutSecrets } from "@treadle/reconcile/unstable/engine";
import type { ConnectEnv, Connection } from "../connection.ts";
import { PluginError } from "../plugin-error.ts";
import type { Tls } from "./certificate.ts";
import { decodeAnswer, decodeDescription, encodePlan } from "./codec.ts";
import { checkFields, DESCRIBE_SHAPE, PLAN_SHAPE, type Shape, TOO_MANY_FIELDS } from "./fields.ts";
import { API_VERSION, HEALTH_SERVICE, loadProtos, MAX_MESSAGE_BYTES } from "./protos.ts";
import { messageOf } from "./texts.ts";

/** Options of {@link connectGrpc}. */
export interface GrpcOptions extends Pick<ConnectEnv, "clock" | "hide"> {
  /** The name of the plugin, for messages. */
  readonly plugin: string;
  /** {@link Connection.protocol}. */
  readonly protocol: string;
  /** The certificates, and the expected name in that of the server. Its default is that of the target. @defaultValue no TLS */
  readonly tls?: (Tls & { readonly serverName?: string | undefined }) | undefined;
}

/** A connection with the calls of go-plugin. */
export interface GrpcConnection extends Connection {
  /** Asks the program to end. Rejects with a PluginError. */
  shutdown(signal: AbortSignal): Promise<void>;
  /** Calls `onData` with what the program writes, until the connection ends. A program without the service is no failure. */
  readStdio(onData: (data: Uint8Array, channel: "STDOUT" | "STDERR") => void): void;
}

/** Maximum time of a call, in milliseconds. */
export const CALL_MS = 10_000;

/**
 * Connects to `target`, such as `unix:/plugins/pg.sock` or `dns:///pg:9000`, and asks for its health. `ended` is the loss of the
 * connection; it is not made again.
 * @throws PluginError with what to do
 */
export async function connectGrpc(target: string, options: GrpcOptions, signal: AbortSignal): Promise<GrpcConnection> {
  const { plugin, protocol } = options;
  const [grpc, protos] = await Promise.all([import("@grpc/grpc-js"), loadProtos()]);
  const client = clientOf(grpc, target, options);
  const methods = { describe: limited(protos.capability.Describe, DESCRIBE_SHAPE), plan: limited(protos.capability.Plan, PLAN_SHAPE) };
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<string>();
  /** Why the client is closed. The first reason counts. */
  let closedBy: string | undefined;
  const closeBy = (why: string): void => {
    closedBy ??= why;
    onEnd(closedBy);
    client.close();
  };
  const call = (method: AnyMethod, request: object, limit: AbortSignal): Promise<unknown> =>
    unary({ client, target, options, method, limit, closedBy }, request);
  const connection: GrpcConnection = {
    protocol,
    ended,
    async describe(limit) {
      const wire = await call(methods.describe, { hostApiVersion: API_VERSION }, limit);
      return decoded("Describe", plugin, () => decodeDescription(wire));
    },
    async plan(request, limit) {
      const wire = await call(methods.plan, encodePlan(request), limit);
      return decoded("Plan", plugin, () => decodeAnswer(wire));
    },
    async check(limit) {
      const { status } = (await call(protos.health.Check, { service: HEALTH_SERVICE }, limit)) as { status: string }; // By the proto.
      if (status !== "SERVING") throw new PluginError("Away", `plugin "${plugin}" at ${target} reports the health ${status}`);
    },
    shutdown: async (limit) => void (await call(protos.controller.Shutdown, {}, limit)),
    readStdio(onData) {
      const { path, requestSerialize, responseDeserialize } = protos.stdio.StreamStdio;
      client
        .makeServerStreamRequest<object, { channel: string; data: Uint8Array }>(path, requestSerialize, responseDeserialize as never, {})
        .on("data", ({ channel, data }) => onData(data, channel === "STDERR" ? "STDERR" : "STDOUT"))
        // It ends with the connection, and a server may not have it.
        .on("error", () => undefined);
    },
    close: () => Promise.resolve(closeBy("the host closed the connection")),
  };
  try {
    await connection.check(signal);
  } catch (error) {
    client.close();
    throw error;
  }
  const lost = (): void => closeBy("the connection was lost");
  const channel = client.getChannel();
  channel.watchConnectivityState(grpc.connectivityState.READY, Number.POSITIVE_INFINITY, lost);
  if (channel.getConnectivityState(false) !== grpc.connectivityState.READY) lost();
  return connection;
}

function clientOf({ Client, credentials }: typeof import("@grpc/grpc-js"), target: string, { plugin, tls }: GrpcOptions): Client {
  const name = tls?.serverName;
  const [ca, key, cert] = [tls?.ca, tls?.key, tls?.cert].map((pem) => (pem === undefined ? null : Buffer.from(pem)));
  return new Client(target, tls === undefined ? credentials.createInsecure() : credentials.createSsl(ca, key, cert), {
    ...CHANNEL,
    // A new connection must not wait for the backoff of the one before. A pool of subchannels for each would need a timer of its own.
    "treadle.connection": Symbol(plugin),
    ...(name === undefined ? {} : { "grpc.ssl_target_name_override": name, "grpc.default_authority": name }),
  });
}

type AnyMethod = MethodDefinition<object, object>;

/** A method whose answer is only decoded if that takes little time. */
function limited(method: AnyMethod, shape: Shape): AnyMethod {
  return {
    ...method,
    responseDeserialize(bytes) {
      checkFields(bytes, shape);
      return method.responseDeserialize(bytes);
    },
  };
}

interface Call {
  readonly client: Client;
  readonly target: string;
  readonly options: GrpcOptions;
  readonly method: AnyMethod;
  readonly limit: AbortSignal;
  readonly closedBy: string | undefined;
}

/** Calls a method. @throws PluginError */
function unary(call: Call, request: object): Promise<unknown> {
  const { client, options, limit, closedBy } = call;
  const { path, requestSerialize, responseDeserialize } = call.method;
  return new Promise((resolve, reject) => {
    const failed = (code: number, details: string): void => reject(errorOf({ code, details }, call));
    if (limit.aborted) return failed(CANCELLED, "");
    if (closedBy !== undefined) return failed(UNAVAILABLE, closedBy);
    let isLate = false;
    const cancel = (): void => {
      isLate = true;
      running.cancel();
    };
    const timer = options.clock.after(CALL_MS, cancel);
    limit.addEventListener("abort", cancel, { once: true });
    const running = client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, answer) => {
      timer.cancel();
      limit.removeEventListener("abort", cancel);
      if (error === null) resolve(answer);
      // A server that ends cancels its calls as well.
      else failed(error.code === CANCELLED && !isLate ? UNAVAILABLE : error.code, error.details);
    });
  });
}

/** Returns the decoded answer to a method. @throws PluginError */
function decoded<T>(method: string, plugin: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new PluginError("InvalidAnswer", `the answer to ${method} of plugin "${plugin}" is not valid: ${messageOf(cause)}`, { cause });
  }
}

/** Status codes of gRPC. */
const CANCELLED = 1;
const UNAVAILABLE = 14;

const CHANNEL = {
  "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
  "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
  // Proxies, retries and settings from DNS are of no use to a neighbour, and would change what a call means.
  "grpc.enable_http_proxy": 0,
  "grpc.enable_retries": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.enable_channelz": 0,
  // Idle is how a loss shows: nothing else may lead there.
  "grpc.client_idle_timeout_ms": 2 ** 31 - 1,
};

/** The error of a call that failed. The numbers are the status codes of gRPC. */
function errorOf(
  { code, details }: Pick<ServiceError, "code" | "details">,
  { options, target, method: { path }, limit }: Call,
): PluginError {
  const { plugin, hide } = options;
  const [, service = "", method = ""] = path.split("/");
  // First whole values: a pattern may replace a part of one. It is cut where it is shown.
  const cause = withoutSecrets(hide(details));
  const failed = `cannot call ${method} of plugin "${plugin}" at ${target}`;
  switch (code) {
    case 1:
    case 4: {
      const why = limit.aborted ? "the time of the caller ended" : `it did not answer within ${CALL_MS / 1000} s`;
      return new PluginError("TooSlow", `${failed}: ${why}; see the log of the plugin`, {
        cause: limit.aborted ? limit.reason : undefined,
      });
    }
    case 8:
      if (details.startsWith("Attempted to send"))
        return new PluginError("InvalidAnswer", `${failed}: the owner and its live objects have more than 4 MiB; make them smaller`);
      return new PluginError("InvalidAnswer", `${failed}: ${cause}; an answer may have 4 MiB`);
    case 12:
      return new PluginError("NotStarted", `${failed}: it does not serve ${service}; check that the program is a plugin for this operator`);
    default:
      // Status 14 is a connection that was lost before the call; the texts are those of a loss within it.
      if (code === 14 || /RST_STREAM|ECONNRESET|EPIPE|socket hang up/.test(details))
        return new PluginError("Away", `${failed}: ${cause}; the host connects again when it is back`);
      if (details.includes(TOO_MANY_FIELDS))
        return new PluginError("InvalidAnswer", `${failed}: ${TOO_MANY_FIELDS}; give fewer objects, problems or attributes`);
      if (/pars(e|ing)|deserializ|decompress/i.test(details))
        return new PluginError("InvalidAnswer", `${failed}: the answer is not a message of ${service}; build the plugin with its v1.proto`);
      return new PluginError("PlanFailed", `${failed}: status ${code}, ${cause}; see the log of the plugin`);
  }
}
