/** Registers the webhooks of a test: CRDs with their conversion, rights, and configurations. */
import type { ConversionWebhook, CustomResourceDefinition, Kind, Transport } from "@treadle/apimachinery";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import type { ResolveService } from "@treadle/apiserver";
import { type Client, createClient } from "@treadle/client";
import { type RbacManifest, rbacManifests } from "@treadle/controller";
import type { Permission } from "@treadle/reconcile";
import { eventually } from "../internal/eventually.ts";
import { kindsOfReads } from "./read-values.ts";
import type { LoopbackServer } from "./loopback.ts";
import type { TestedRegistration, TestedWebhooks } from "./tested-webhooks.ts";
import { type HostEnv, WebhookHost } from "./webhook-host.ts";

/** Name of both configurations, and of the ServiceAccount of the webhooks. */
const NAME = "webhooks-under-test";
/** The namespace of that ServiceAccount. */
const NAMESPACE = "default";
/** The Service that the server in memory calls. It does not exist as an object. */
const SERVICE = { name: NAME, namespace: "webhooks" };

const LABEL = "testing.treadle.dev/webhooks";

/** The configurations, and their label: they are deleted before the objects of a test, because they may refuse deletions. */
export const WEBHOOKS_LEFT: { readonly kinds: readonly Kind[]; readonly labels: Readonly<Record<string, string>> } = {
  kinds: [MutatingWebhookConfiguration, ValidatingWebhookConfiguration],
  labels: { [LABEL]: "yes" },
};

/** The cluster in which webhooks are registered. */
export interface WebhookTarget {
  readonly isReal: boolean;
  readonly isRestricted: boolean;
  /** The user's client. */
  readonly user: Client;
  transport(user?: string): Transport;
  use(kind: Kind): Promise<void>;
  define(definition: CustomResourceDefinition): Promise<void>;
  grant(manifests: readonly RbacManifest[]): Promise<string>;
}

export class TestWebhooks {
  readonly host: WebhookHost;
  readonly #permissions: readonly Permission[];
  #loopback: LoopbackServer | undefined;
  #client: Client | undefined;

  constructor(webhooks: readonly TestedWebhooks[], env: () => HostEnv) {
    this.host = new WebhookHost(webhooks, env);
    this.#permissions = webhooks.flatMap(({ permissions }) => permissions);
  }

  /** The CRDs of the kinds with conversion, for a server in memory. */
  definitions(): readonly CustomResourceDefinition[] {
    return definitionsIn(this.host.registrations(inProcess));
  }

  /** Finds these webhooks besides the Services of the test. */
  services(others: ResolveService | undefined): ResolveService {
    return (service) => (service.name === SERVICE.name && service.namespace === SERVICE.namespace ? this.host.call : others?.(service));
  }

  /** Registers the webhooks. On a real server it waits until the server calls them. */
  async register(target: WebhookTarget): Promise<void> {
    if (target.isReal) {
      // Loaded here, because only a real server needs it.
      const { serveOnLoopback } = await import("./loopback.ts");
      this.#loopback = await serveOnLoopback(this.host.call);
      for (const definition of definitionsIn(this.host.registrations((path) => this.#clientConfig(path)))) await target.define(definition);
    }
    if (target.isRestricted) await this.#restrict(target);
    const registered = this.host.registrations((path) => this.#clientConfig(path));
    const [mutating, validating] = [registered.flatMap((each) => each.mutating ?? []), registered.flatMap((each) => each.validating ?? [])];
    await this.#configure(target, MutatingWebhookConfiguration, mutating);
    await this.#configure(target, ValidatingWebhookConfiguration, validating);
  }

  async close(): Promise<void> {
    await this.#client?.close();
    await this.#loopback?.close();
  }

  #clientConfig(path: string): ConversionWebhook {
    return this.#loopback?.clientConfig(path) ?? inProcess(path);
  }

  /** The webhooks have the rights that they declare, and no others. */
  async #restrict(target: WebhookTarget): Promise<void> {
    const user = await target.grant(rightsOf(this.#permissions));
    this.#client = createClient({ transport: target.transport(user), clock: this.host.clock, retry: false });
    this.host.actAs(this.#client);
  }

  async #configure(target: WebhookTarget, kind: Kind, entries: readonly object[]): Promise<void> {
    if (entries.length === 0) return;
    const { isReal, user } = target;
    await target.use(kind);
    const path = `/probe/${kind.plural}`;
    const webhooks = isReal ? [probeOf(this.#clientConfig(path)), ...entries] : entries;
    await user.create(kind, { metadata: { name: NAME, labels: WEBHOOKS_LEFT.labels }, webhooks });
    // A real server watches its configurations.
    if (isReal)
      await eventually("the server", `${kind.kind} to be used`, async () => {
        await user.raw({
          method: "POST",
          path: `/apis/${PROBED.group}/v1/${PROBED.resource}`,
          headers: JSON_HEADERS,
          body: JSON.stringify(REVIEW),
        });
        return this.host.probed.has(path);
      });
  }
}

/** The kinds that the webhooks review and read. */
export function kindsOfWebhooks(webhooks: readonly TestedWebhooks[]): readonly Kind[] {
  return webhooks.flatMap(({ kind, reads }) => [kind, ...kindsOfReads(reads)]);
}

/** The server stores no review of itself, and no webhook reviews them. */
const PROBED = { group: "authentication.k8s.io", resource: "selfsubjectreviews" };
const REVIEW = { apiVersion: `${PROBED.group}/v1`, kind: "SelfSubjectReview" };
const JSON_HEADERS = { accept: "application/json", "content-type": "application/json" };

/** An entry that shows when the server uses a configuration. */
function probeOf(clientConfig: ConversionWebhook): object {
  return {
    name: "probe.testing.treadle.dev",
    clientConfig,
    rules: [{ operations: ["CREATE"], apiGroups: [PROBED.group], apiVersions: ["v1"], resources: [PROBED.resource] }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
}

function inProcess(path: string): ConversionWebhook {
  return { service: { ...SERVICE, path } };
}

function definitionsIn(registrations: readonly TestedRegistration[]): readonly CustomResourceDefinition[] {
  return registrations.flatMap(({ definition }) => (definition === undefined ? [] : [definition as CustomResourceDefinition])); // a CRD by its contract
}

function rightsOf(permissions: readonly Permission[]): readonly RbacManifest[] {
  const runnable = { name: NAME, start: () => undefined, permissions };
  return rbacManifests([], { name: NAME, namespace: NAMESPACE, runnables: [runnable] });
}
