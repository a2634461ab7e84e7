/** Kinds, bodies and services for tests of admission. */
import { defineResource, type FakeClock, fakeClock, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger } from "@treadle/reconcile";
import { z } from "zod";
import type { CallEnv } from "../src/call.ts";
import type { Webhooks } from "../src/webhooks.ts";

export const Website = defineResource({
  group: "web.example.com",
  version: "v1",
  kind: "Website",
  scope: "Namespaced",
  spec: z.object({
    host: z.string().optional(),
    replicas: z.int32().default(1),
    tls: z.object({ issuer: z.string() }).optional(),
    paths: z.array(z.string()).optional(),
  }),
  status: z.object({ url: z.string() }),
});
export interface Website extends ObjectOf<typeof Website> {}

/** A stored Website. */
export function website(spec: object = { replicas: 1 }, metadata: object = {}, rest: object = {}): KubernetesObject {
  return {
    apiVersion: "web.example.com/v1",
    kind: "Website",
    metadata: { name: "a", namespace: "ops", ...metadata },
    spec,
    ...rest,
  } as KubernetesObject;
}

/** The body of a call: a review of `request`, as an API server sends it for `webhooks`. */
export function bodyFor(
  webhooks: Webhooks,
  request: object,
): { readonly apiVersion: string; readonly kind: string; readonly request: object } {
  const { group, version, kind, plural } = webhooks.kind;
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "705ab4f5",
      kind: { group, version, kind },
      resource: { group, version, resource: plural },
      name: "a",
      namespace: "ops",
      operation: "CREATE",
      userInfo: { username: "ada", groups: ["dev"] },
      object: null,
      oldObject: null,
      dryRun: false,
      options: { apiVersion: "meta.k8s.io/v1", kind: "CreateOptions" },
      ...request,
    },
  };
}

/** One line of the log. */
export interface Line {
  readonly level: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The services of a call, with what was logged. */
export interface TestEnv extends CallEnv {
  readonly clock: FakeClock;
  readonly lines: Line[];
  /** Ends the connection of the client. */
  leave(): void;
}

export function testEnv(given: Partial<CallEnv> = {}): TestEnv {
  const lines: Line[] = [];
  const at =
    (level: string) =>
    (data: object, text: string): void =>
      void lines.push({ level, text, data: data as Line["data"] });
  const log: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const client = new AbortController();
  return {
    client: {} as Client, // no test of this file calls it
    log,
    signal: client.signal,
    read: () => Promise.resolve({}),
    onIgnored: () => undefined,
    ...given,
    clock: fakeClock(),
    lines,
    leave: () => client.abort(new Error("gone")),
  };
}

/** The response of an answer. */
export interface Answered {
  readonly uid: string;
  readonly allowed: boolean;
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
  readonly status?: { readonly code: number; readonly message: string; readonly reason?: string; readonly details?: object };
}

/** The patch of a response. */
export function patchIn({ patch }: Answered): unknown {
  return patch === undefined ? undefined : JSON.parse(Buffer.from(patch, "base64").toString("utf8"));
}
