/**
 * Applies the manifests of webhooks at the start of an operator outside of the cluster, and removes at its end what it made.
 *
 * Guarantees: an object that existed before, or that another writer has replaced since, is not deleted. A webhook configuration of another writer
 * is not changed. What an installation left behind that crashed counts as its own.
 */
import { type Kind, type KubernetesObject, type Ref, sleep } from "@treadle/apimachinery";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from "@treadle/apimachinery/kinds";
import type { RunnableEnv } from "@treadle/controller";
import { errorFields } from "@treadle/reconcile/unstable/engine";
import { certificatesOwner } from "../certificates/secret-store.ts";
import type { WebhookManifest } from "../manifests/manifests.ts";
import type { SettledPlacement } from "../placement.ts";

type Env = Pick<RunnableEnv, "client" | "clock" | "log">;

/** The manifests that the server of an operator outside of the cluster needs. Rights are not among them: it has those of the developer. */
export class Installation {
  readonly #name: string;
  readonly #secret: Ref;
  readonly #parts: readonly Part[];
  readonly #env: Env;
  /** What was applied, or may have been, with the object as it was before. */
  readonly #applied: Applied[] = [];
  /** Whether the Secret is of this installation. The certificates create it where the manifests have none. */
  #madeSecret = false;

  constructor(manifests: readonly WebhookManifest[], { name, namespace, secretName }: SettledPlacement, env: Env) {
    this.#name = name;
    this.#secret = { name: secretName, namespace };
    this.#parts = manifests.flatMap((manifest) => partOf(manifest) ?? []);
    this.#env = env;
  }

  /**
   * Applies the manifests.
   * @throws ApiError when one is refused; Error for a webhook configuration of another writer; the reason of the signal
   */
  async apply(signal: AbortSignal): Promise<void> {
    const { client } = this.#env;
    const found: Applied[] = [];
    for (const part of this.#parts) found.push({ part, before: await client.get(part.kind, part.ref, { signal }) });
    for (const { part, before } of found)
      if (before !== undefined && isConfiguration(part) && !isApplied(before)) throw foreign(part, before);
    const secret = await client.get(Secret, this.#secret, { signal });
    this.#madeSecret = secret === undefined || isApplied(secret);
    for (const each of found) {
      const { kind, manifest } = each.part;
      if (kind === Secret && !this.#madeSecret) continue;
      this.#applied.push(each);
      await this.#makeWay(each, signal);
      await client.apply(kind, manifest, { fieldManager: FIELD_MANAGER, force: true, signal });
    }
    for (const { kind, ref } of this.#parts) if (kind === CustomResourceDefinition) await established(ref, { env: this.#env, signal });
  }

  /** An apply keeps the Service that a deployer's manifest gave a CRD, and the API server refuses it beside a URL. */
  async #makeWay({ part, before }: Applied, signal: AbortSignal): Promise<void> {
    const conversion = (before as WithConversion | undefined)?.spec?.conversion;
    if (part.kind !== CustomResourceDefinition || conversion?.webhook?.clientConfig?.service === undefined) return;
    const url = urlsOf(part.manifest)[0];
    const body = [{ op: "replace", path: "/spec/conversion/webhook/clientConfig", value: { url } }] as const;
    if (url !== undefined)
      await this.#env.client.patch(part.kind, part.ref, { type: "json", body }, { signal, fieldManager: FIELD_MANAGER });
  }

  /**
   * Removes the configurations, and gives the CRDs the conversion that they had. The CRDs stay, because their objects would be deleted with them.
   * What cannot be removed is logged.
   */
  async remove(): Promise<void> {
    // In reverse order: without its configuration nothing calls a webhook.
    for (const each of this.#applied.splice(0).toReversed()) {
      const { kind, ref } = each.part;
      if (kind !== Secret)
        await this.#try(kind, ref, kind === CustomResourceDefinition ? restored(each, this.#env) : deleted(each.part, this.#env));
    }
  }

  /** Deletes the Secret that was made. Call it after the certificates were stopped, because they write a deleted Secret again. */
  async removeSecret(): Promise<void> {
    if (!this.#madeSecret) return;
    this.#madeSecret = false;
    const { client } = this.#env;
    const remove = async (): Promise<void> => {
      const live = await client.get(Secret, this.#secret);
      const isOwn = live !== undefined && [undefined, this.#name].includes(certificatesOwner(live));
      if (isOwn) await client.delete(Secret, this.#secret, { preconditions: { uid: live.metadata.uid } });
    };
    await this.#try(Secret, this.#secret, remove());
  }

  async #try({ kind }: Kind, { name }: Ref, work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => {
      const text = `cannot remove ${kind} ${name}: delete it, because it refers to webhooks that no longer run`;
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

interface Applied {
  readonly part: Part;
  /** The object before the installation; undefined when there was none. */
  readonly before: KubernetesObject | undefined;
}

function partOf(manifest: WebhookManifest): Part | undefined {
  const kind = [Secret, CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration].find(
    (each: Kind) => each.kind === manifest.kind,
  );
  const { name, namespace } = manifest.metadata as Ref; // Every manifest has a name.
  return kind && { kind, ref: namespace === undefined ? { name } : { name, namespace }, manifest };
}

function isConfiguration({ kind }: Part): boolean {
  return kind === MutatingWebhookConfiguration || kind === ValidatingWebhookConfiguration;
}

/** Whether an installation has applied an object. */
function isApplied({ metadata }: KubernetesObject): boolean {
  return metadata.managedFields?.some(({ manager }) => manager === FIELD_MANAGER) === true;
}

function foreign({ kind, ref }: Part, { metadata }: KubernetesObject): Error {
  const manager = metadata.managedFields?.[0]?.manager ?? "another program";
  const fix = "Give webhookServer another name, or delete the configuration";
  return new Error(`cannot install ${kind.kind} ${ref.name}: it exists, and ${JSON.stringify(manager)} wrote it. ${fix}`);
}

/** Deletes a configuration, unless another writer has replaced it. */
async function deleted({ kind, ref, manifest }: Part, { client }: Env): Promise<void> {
  const live = await client.get<Kind>(kind, ref);
  const urls = urlsOf(manifest);
  if (live === undefined || !urlsOf(live).some((url) => urls.includes(url))) return;
  await client.delete(kind, ref, { preconditions: { uid: live.metadata.uid } });
}

/** Gives a CRD the conversion that it had, unless another writer has replaced ours. */
async function restored({ part: { kind, ref, manifest }, before }: Applied, { client }: Env): Promise<void> {
  const [url] = urlsOf(manifest);
  const live = await client.get<Kind>(kind, ref);
  if (url === undefined || live === undefined || urlsOf(live)[0] !== url) return;
  const isLeftOver = before !== undefined && (ownsConversion(before) || urlsOf(before)[0] === url);
  const conversion = (isLeftOver ? undefined : (before as WithConversion | undefined)?.spec?.conversion) ?? { strategy: "None" };
  await client.patch(kind, ref, {
    type: "json",
    body: [
      { op: "test", path: "/spec/conversion/webhook/clientConfig/url", value: url },
      { op: "replace", path: "/spec/conversion", value: conversion },
    ],
  });
}

interface Called {
  readonly clientConfig?: { readonly url?: string; readonly service?: object };
}

interface WithConversion {
  readonly spec?: { readonly conversion?: { readonly strategy?: string; readonly webhook?: Called } };
}

/** The addresses that the API server calls by a configuration or a CRD. */
function urlsOf(object: object): readonly string[] {
  const { webhooks = [], spec } = object as WithConversion & { readonly webhooks?: readonly Called[] };
  return [...webhooks, spec?.conversion?.webhook].flatMap((each) => each?.clientConfig?.url ?? []);
}

/** Whether the conversion of a CRD is that of an installation, which may have had another address. */
function ownsConversion({ metadata }: KubernetesObject): boolean {
  return (
    metadata.managedFields?.some(({ manager, operation, fieldsV1 }) => {
      const fields = fieldsV1 as { readonly "f:spec"?: { readonly "f:conversion"?: { readonly "f:webhook"?: object } } } | undefined;
      return manager === FIELD_MANAGER && operation === "Apply" && fields?.["f:spec"]?.["f:conversion"]?.["f:webhook"] !== undefined;
    }) === true
  );
}

/** Waits until the server serves a new kind, for some seconds: the informers of the operator look for it next. */
async function established(ref: Ref, { env, signal }: { readonly env: Env; readonly signal: AbortSignal }): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const { status } = (await env.client.get(CustomResourceDefinition, ref, { signal })) ?? {};
    if (status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True") === true) return;
    await sleep(env.clock, 100, signal);
  }
}
