/** Replicas of one operator that keep certificates on an API server in memory, in virtual time. */
import { type Clock, fakeClock, type FakeClock, seededRandom, type Random, type ApiRequest, type ApiResponse } from "@treadle/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import { type ApiServer, type ApiServerOptions, createApiServer } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { OwnCertificates } from "../../src/certificates/own-certificates.ts";
import type { CertificateNote, OwnCertificatesOptions } from "../../src/certificates/options.ts";
import type { Target } from "../../src/certificates/target.ts";

export const NAMESPACE = "ops";
export const SECRET = { name: "website-operator-webhooks", namespace: NAMESPACE };
export const NAMES = ["website-operator.ops.svc", "website-operator.ops.svc.cluster.local"];
export const TARGETS: readonly Target[] = [
  { type: "mutating", name: "website-operator", entries: ["a.example.com", "b.example.com"] },
  { type: "validating", name: "website-operator", entries: ["a.example.com"] },
  { type: "crd", name: "websites.example.com" },
];

/** The manifests of the targets, as a deployer applies them. */
export const MANIFESTS = {
  secret: { apiVersion: "v1", kind: "Secret", metadata: SECRET, type: "Opaque" },
  mutating: configuration("MutatingWebhookConfiguration", ["a.example.com", "b.example.com"]),
  validating: configuration("ValidatingWebhookConfiguration", ["a.example.com"]),
  crd: crd(true),
} as const;

export function configuration(kind: string, entries: readonly string[]): object {
  const service = { name: "website-operator", namespace: NAMESPACE, path: "/x" };
  const webhooks = entries.map((name) => ({
    name,
    clientConfig: { service },
    rules: [{ operations: ["CREATE"], apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["websites"] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  }));
  return { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name: "website-operator" }, webhooks };
}

export function crd(isConverted: boolean): object {
  const service = { name: "website-operator", namespace: NAMESPACE, path: "/convert" };
  const webhook = { conversionReviewVersions: ["v1"], clientConfig: { service } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "websites.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "websites", singular: "website", kind: "Website", listKind: "WebsiteList" },
      conversion: isConverted ? { strategy: "Webhook", webhook } : { strategy: "None" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
}

export const KINDS = {
  secret: Secret,
  mutating: MutatingWebhookConfiguration,
  validating: ValidatingWebhookConfiguration,
  crd: CustomResourceDefinition,
};

/** Applies manifests as a deployer does. */
export async function deploy(client: Client, manifests: Partial<typeof MANIFESTS> = MANIFESTS): Promise<void> {
  for (const [key, manifest] of Object.entries(manifests))
    await client.apply(KINDS[key as keyof typeof KINDS], manifest, { fieldManager: "deployer" });
}

export interface Replica {
  readonly podName: string;
  readonly certificates: OwnCertificates;
  readonly notes: readonly CertificateNote[];
  readonly logs: readonly string[];
  /** What `start` ended with. */
  readonly started: Promise<unknown>;
}

export interface Rig {
  readonly clock: FakeClock;
  readonly server: ApiServer;
  /** The deployer. */
  readonly client: Client;
  readonly replicas: Set<Replica>;
  start(podName: string, more?: Partial<OwnCertificatesOptions> & RigReplica): Replica;
  /** Resolves when no replica has work that is due now. */
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

interface RigReplica {
  /** Called after the server handled a write of the replica, before the replica gets the answer. */
  readonly onWritten?: (request: ApiRequest, response: ApiResponse) => Promise<void>;
  readonly onRequest?: (request: ApiRequest) => void;
  /** Delays answers and events by random turns of the event loop, so that replicas act on what is no longer true. */
  readonly lag?: Random;
  /** Awaited before each chunk of a watch at `path`. */
  readonly beforeEvent?: (path: string) => Promise<void>;
  /** User of the replica. @defaultValue the administrator */
  readonly as?: string;
}

export interface RigOptions extends ApiServerOptions {
  /**
   * Whether the server has the time of the replicas. Without it the server's time stands still, so that it sends no bookmarks and
   * ends no watch in all the years. @defaultValue false
   */
  readonly hasEqualTime?: boolean;
}

export async function rig({ hasEqualTime = false, ...options }: RigOptions = {}): Promise<Rig> {
  const clock = hasEqualTime ? fakeClock() : yearClock();
  const server = createApiServer({ clock: hasEqualTime ? clock : fakeClock(clock.now()), random: seededRandom(1), ...options });
  const client = createClient({ transport: server.transport(), clock, random: seededRandom(2), onWarning: () => {} });
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  const replicas = new Set<Replica>();
  const settle = async (): Promise<void> => {
    for (let quiet = 0, last = ""; quiet < 2 * MAX_TURNS; quiet++) {
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([...replicas].map(({ certificates }) => certificates.idle()));
      if (server.resourceVersion !== last) quiet = 0;
      last = server.resourceVersion;
    }
  };
  return {
    clock,
    server,
    client,
    replicas,
    start(podName, { onWritten, onRequest, beforeEvent, as, lag, ...more } = {}) {
      const notes: CertificateNote[] = [];
      const logs: string[] = [];
      const line = (data: object, text: string): void => void logs.push(`${text} ${JSON.stringify(data)}`);
      const inner = server.transport(as === undefined ? {} : { as: { user: as } });
      const transport = {
        close: () => inner.close(),
        async request(request: ApiRequest) {
          onRequest?.(request);
          await turns(lag);
          const response = await inner.request(request);
          if (request.method !== "GET" && response.status < 300) await onWritten?.(request, response);
          await turns(lag);
          return response.stream === undefined
            ? response
            : {
                ...response,
                stream: delayed(response.stream, async () => {
                  await turns(lag);
                  await beforeEvent?.(request.path);
                }),
              };
        },
      };
      const certificates = new OwnCertificates({
        name: "website-operator",
        client: createClient({ transport, clock, random: seededRandom(3), onWarning: () => {} }),
        clock,
        random: seededRandom(4),
        log: { debug: line, info: line, warn: line, error: line },
        namespace: NAMESPACE,
        secretName: SECRET.name,
        dnsNames: NAMES,
        podName,
        targets: TARGETS,
        onNote: (note) => void notes.push(note),
        ...more,
      });
      const started = certificates.start(new AbortController().signal).catch((error: unknown) => error);
      const replica: Replica = { podName, certificates, notes, logs, started };
      replicas.add(replica);
      return replica;
    },
    settle,
    async advance(ms) {
      const target = clock.now() + ms;
      await settle();
      for (let due = clock.nextDue(); due !== undefined && due <= target; due = clock.nextDue()) {
        await clock.advance(Math.max(0, due - clock.now()));
        await settle();
      }
      await clock.advance(Math.max(0, target - clock.now()));
      await settle();
    },
    async close() {
      await Promise.all([...replicas].map(({ certificates }) => certificates.stop()));
      await server.close();
    },
  };
}

const MAX_TURNS = 4;

async function turns(lag: Random | undefined): Promise<void> {
  for (let n = lag === undefined ? 0 : Math.floor(lag.next() * MAX_TURNS); n > 0; n--)
    await new Promise((resolve) => setImmediate(resolve));
}

async function* delayed(stream: AsyncIterable<string>, before: () => Promise<void>): AsyncGenerator<string> {
  for await (const chunk of stream) {
    await before();
    yield chunk;
  }
}

const NAMESPACES = { group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" } as const;

/** A silent watch of `follow` is opened again after this time. In ten years that would be 40 million requests. */
const SILENCE_MS = 90_000;

/** A fake clock on which watches are never silent for too long. */
function yearClock(): FakeClock {
  const clock = fakeClock();
  const after: Clock["after"] = (delayMs, run) => (delayMs === SILENCE_MS ? { cancel() {} } : clock.after(delayMs, run));
  return { ...clock, after };
}
