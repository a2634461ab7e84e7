/** Requests to the operator's own cluster as another user: the client of the operator sends them, with the headers of impersonation. */
import type { ApiRequest, Transport } from "@treadle/apimachinery";
import { type Client, createClient, type Impersonation, impersonationHeaders } from "@treadle/client";

/** Returns a client of the operator's own cluster that acts as `as`. It has no connections of its own. */
export function impersonated(client: Client, as: Impersonation, sent: () => void): Client {
  const headers = Object.fromEntries(
    Object.entries(impersonationHeaders(as)).map(([name, value]) => [name, typeof value === "string" ? value : value.join(", ")]),
  );
  const transport: Transport = {
    request: (request: ApiRequest) => {
      sent();
      // The last ones win, so that no caller writes another user.
      return client.raw({ ...request, headers: { ...request.headers, ...headers } }, { retry: false });
    },
    close: async () => undefined,
  };
  return createClient({ transport, onWarning: () => undefined });
}
