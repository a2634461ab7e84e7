/**
 * Stale lists: the list of an older version in place of the current one. A watch that begins with a list gets that list as its
 * first events, and then all changes since.
 */
import type { ApiRequest, ApiResponse, Transport } from "@treadle/apimachinery";

/** Sends a list, or a watch with `sendInitialEvents`, as of `version`. The server answers 410 for a compacted version. */
export async function staleRequest(transport: Transport, request: ApiRequest, version: string): Promise<ApiResponse> {
  const [path = "", query = ""] = request.path.split("?", 2);
  const params = new URLSearchParams(query);
  if (params.get("watch") === null) return await listAt(transport, request, { path, params, version });
  const limits = new URLSearchParams(params);
  for (const name of WATCH_ONLY) limits.delete(name);
  const { stream: _stream, ...rest } = request;
  const list = await listAt(transport, rest, { path, params: limits, version });
  if (list.status !== 200 || list.body === undefined) return list;
  for (const name of ["sendInitialEvents", "resourceVersionMatch"]) params.delete(name);
  params.set("resourceVersion", version);
  const watch = await transport.request({ ...request, path: `${path}?${params.toString()}` });
  return watch.stream === undefined ? watch : { ...watch, stream: both(initialEvents(list.body, version), watch.stream) };
}

const WATCH_ONLY = ["watch", "sendInitialEvents", "allowWatchBookmarks", "timeoutSeconds", "resourceVersion", "resourceVersionMatch"];

async function listAt(
  transport: Transport,
  request: ApiRequest,
  { path, params, version }: { readonly path: string; readonly params: URLSearchParams; readonly version: string },
): Promise<ApiResponse> {
  const exact = new URLSearchParams(params);
  // Later pages have the version of the first page.
  if (exact.get("continue") === null) {
    exact.set("resourceVersion", version);
    exact.set("resourceVersionMatch", "Exact");
  }
  return await transport.request({ ...request, path: `${path}?${exact.toString()}` });
}

function initialEvents(body: string, version: string): string {
  const {
    apiVersion = "v1",
    kind = "List",
    items = [],
  } = JSON.parse(body) as {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly items?: readonly object[];
  };
  const type = { apiVersion, kind: kind.replace(/List$/, "") };
  const metadata = { resourceVersion: version, annotations: { "k8s.io/initial-events-end": "true" } };
  const events = items.map((item) => ({ type: "ADDED", object: { ...type, ...item } }));
  return [...events, { type: "BOOKMARK", object: { ...type, metadata } }].map((event) => `${JSON.stringify(event)}\n`).join("");
}

function both(first: string, then: AsyncIterable<string>): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const rest = then[Symbol.asyncIterator]();
      let isFirst = true;
      return {
        next: async () => {
          if (!isFirst) return await rest.next();
          isFirst = false;
          return { done: false, value: first };
        },
        return: async () => (await rest.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
