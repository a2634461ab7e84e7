/** The common part of this package's tests: a server with one custom resource, and short calls to it. */
import {
  type ApiRequest,
  type CustomResourceDefinitionInput,
  type FakeClock,
  fakeClock,
  type JsonSchema,
  seededRandom,
} from "@treadle/apimachinery";
import { type ApiServer, createApiServer } from "../src/index.ts";
import type { ApiServerOptions } from "../src/api-server.ts";

export interface Json {
  // Tests look into answers freely; a missing field shows as a failed expectation.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Json;
}

export interface Harness {
  readonly server: ApiServer;
  readonly clock: FakeClock;
  call(method: ApiRequest["method"], path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  merge(path: string, body: unknown, agent?: string): Promise<Answer>;
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<Watching>;
}

export interface Watching {
  /** Returns the events so far. The watch continues. */
  take(): Promise<readonly Json[]>;
  readonly hasEnded: () => boolean;
  stop(): void;
}

export const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
export const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

const conditionsSchema: JsonSchema = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: {
    type: "object",
    required: ["type"],
    properties: { type: { type: "string" }, status: { type: "string" }, reason: { type: "string" } },
  },
};

const widgetSchema: JsonSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", minimum: 1 },
        mode: { type: "string", enum: ["slow", "fast"], default: "slow" },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" }, conditions: conditionsSchema } },
  },
};

/** Returns a CRD for widgets.example.com. `spec` overrides parts of it. */
export function widgetCrd(schema: JsonSchema = widgetSchema, version: object = {}, spec: object = {}): CustomResourceDefinitionInput {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind: "Widget", plural: "widgets", shortNames: ["wd"] },
      versions: [
        { name: "v1", served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema }, ...version },
      ],
      ...spec,
    },
  };
}

export function widget(name: string, given: Json = {}): Json {
  const { metadata, ...rest } = given;
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name, ...metadata }, spec: { size: 1 }, ...rest };
}

export function configMap(name: string, given: Json = {}): Json {
  const { metadata, ...rest } = given;
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...rest };
}

export function harness(options: ApiServerOptions = {}): Harness {
  const clock = fakeClock();
  let uids = 0;
  const server = createApiServer({ clock, random: seededRandom(1), uid: () => `uid-${++uids}`, resources: [widgetCrd()], ...options });
  const call: Harness["call"] = async (method, path, body, headers = {}) => {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
    const response = await server.handle({
      method,
      path,
      headers: { "user-agent": "tester/1.0", ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    if (response.stream !== undefined) throw new Error(`${path} answered with a stream`);
    const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
    return { status: response.status, headers: response.headers, text: response.body, body: isJson ? JSON.parse(response.body) : {} };
  };
  return {
    server,
    clock,
    call,
    merge: (path, body, agent = "tester") =>
      call("PATCH", path, body, { "content-type": "application/merge-patch+json", "user-agent": agent }),
    watch: (path, headers = {}) => openWatch(server, path, headers),
  };
}

async function openWatch(server: ApiServer, path: string, headers: Readonly<Record<string, string>>): Promise<Watching> {
  const controller = new AbortController();
  const response = await server.handle({ method: "GET", path, headers, stream: true, signal: controller.signal });
  if (response.stream === undefined) throw new Error(`${path} answered ${response.status} ${response.body}`);
  const { stream } = response;
  let text = "";
  let hasEnded = false;
  void (async () => {
    for await (const chunk of stream) text += chunk;
    hasEnded = true;
  })();
  return {
    async take() {
      await new Promise((resolve) => setImmediate(resolve));
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      return lines.map((line) => JSON.parse(line) as Json);
    },
    hasEnded: () => hasEnded,
    stop: () => controller.abort(),
  };
}

/** Returns the events of a watcher as type and name. */
export function seen(events: readonly Json[]): readonly string[] {
  return events.map((event) => `${event["type"]} ${event["object"].metadata?.name ?? ""}`.trim());
}
