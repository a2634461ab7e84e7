/** Applies the manifests of webhooks at the start of an operator outside of the cluster, and removes them at its end. */
import { type Kind, type Ref, sleep } from "@treadle/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import type { RunnableEnv } from "@treadle/controller";
import { errorFields } from "@treadle/reconcile/unstable/engine";
import type { AnyWebhooks } from "../definition.ts";
import { type WebhookManifest, webhookManifests } from "../manifests/manifests.ts";
import type { WebhookPlacement } from "../placement.ts";

type Env = Pick<RunnableEnv, "client" | "clock" | "log">;

/** The manifests that the server of an operator outside of the cluster needs. Rights are not among them: it has those of the developer. */
export class Installation {
  readonly #parts: readonly Part[];
  readonly #env: Env;
  /** What was applied, or may have been. */
  readonly #applied: Part[] = [];

  constructor(webhooks: readonly AnyWebhooks[], placement: WebhookPlacement, env: Env) {
    this.#parts = webhookManifests(webhooks, placement).flatMap((manifest) => partOf(manifest) ?? []);
    this.#env = env;
  }

  /** Applies the manifests. @throws ApiError when one is refused; the reason of the signal */
  async apply(signal: AbortSignal): Promise<void> {
    for (const part of this.#parts) {
      this.#applied.push(part);
      await this.#env.client.apply(part.kind, part.manifest, { fieldManager: FIELD_MANAGER, force: true, signal });
    }
    for (const { kind, ref } of this.#parts) if (kind === CustomResourceDefinition) await established(ref, { env: this.#env, signal });
  }

  /**
   * Removes the configurations, the conversion of the CRDs and the Secret. The CRDs stay, because their objects would be deleted with them.
   * What cannot be removed is logged.
   */
  async remove(): Promise<void> {
    // In reverse order: without its configuration nothing calls a webhook.
    for (const part of this.#applied.splice(0).toReversed())
      await removed(part, this.#env).catch((error: unknown) => {
        const text = `cannot remove ${part.kind.kind} ${part.ref.name}: delete it, because it refers to webhooks that no longer run`;
        this.#env.log.warn(errorFields(error), text);
      });
  }
}

const FIELD_MANAGER = "treadle-webhooks-install";

interface Part {
  readonly kind: Kind;
  readonly ref: Ref;
  readonly manifest: WebhookManifest;
}

function partOf(manifest: WebhookManifest): Part | undefined {
  const kind = [Secret, CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration].find(
    (each: Kind) => each.kind === manifest.kind,
  );
  const { name, namespace } = manifest.metadata as Ref; // Every manifest has a name.
  return kind && { kind, ref: namespace === undefined ? { name } : { name, namespace }, manifest };
}

async function removed({ kind, ref }: Part, { client }: Env): Promise<void> {
  if (kind !== CustomResourceDefinition) return void (await client.delete(kind, ref));
  await client.patch(kind, ref, { type: "merge", body: { spec: { conversion: { strategy: "None", webhook: null } } } });
}

/** Waits until the server serves a new kind, for some seconds: the informers of the operator look for it next. */
async function established(ref: Ref, { env, signal }: { readonly env: Env; readonly signal: AbortSignal }): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const { status } = (await env.client.get(CustomResourceDefinition, ref, { signal })) ?? {};
    if (status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True") === true) return;
    await sleep(env.clock, 100, signal);
  }
}
