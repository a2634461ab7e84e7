/** Where a server of webhooks is while a tool hosts its program, as `treadle dev` does: on the machine of the developer. */
import type { ProgramEndpoint } from "@treadle/controller/unstable/host";
import type { SettledPlacement, WebhookPlacement } from "../placement.ts";

/** The limits of a server, which are the same on every machine. */
interface ServerLimits {
  readonly maxConversionBytes?: number;
  readonly maxBytes?: number;
}

/** The options of a hosted server. */
export interface HostedOptions extends WebhookPlacement, ServerLimits {
  readonly host: string;
  readonly port: number;
  readonly graceMs: number;
  readonly install: true;
}

/**
 * Returns the options of a server at an address of the host. The server registers itself, and makes its own certificates. Its Secret is in
 * the namespace `default`, because that of the operator may not exist.
 * @param endpoint undefined: the API server cannot reach this machine, so neither can it reach the server
 */
export function hostedOptions(
  { maxConversionBytes, maxBytes }: ServerLimits,
  { name, secretName }: SettledPlacement,
  endpoint: ProgramEndpoint | undefined,
): HostedOptions | undefined {
  if (endpoint === undefined) return undefined;
  const { url, host, port } = endpoint;
  return {
    ...(maxConversionBytes === undefined ? {} : { maxConversionBytes }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    // The next process listens already, and the configurations lead there.
    graceMs: 0,
    name,
    secretName,
    namespace: "default",
    url,
    host,
    port,
    install: true,
    createSecret: true,
  };
}
