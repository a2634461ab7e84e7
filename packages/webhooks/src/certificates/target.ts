/** The objects that contain a `caBundle`: what of them is ours, and the patch that changes nothing else. */
import type { Kind } from "@treadle/apimachinery";
import { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import type { Patch } from "@treadle/client";
import { type Certificate, certificatesIn } from "./pem.ts";

/** An object whose `caBundle` the operator keeps. */
export type Target =
  | {
      readonly type: "mutating" | "validating";
      /** Name of the configuration. */
      readonly name: string;
      /** Names of the operator's entries in it. */
      readonly entries: readonly string[];
    }
  | {
      readonly type: "crd";
      /** Name of the CRD. */
      readonly name: string;
    };

/** The kind of a target's object. */
export function kindOf({ type }: Target): Kind {
  switch (type) {
    case "mutating":
      return MutatingWebhookConfiguration;
    case "validating":
      return ValidatingWebhookConfiguration;
    case "crd":
      return CustomResourceDefinition;
  }
}

/** How messages name a target. */
export function titleOf(target: Target): string {
  return `${kindOf(target).kind} ${target.name}`;
}

/** One place of a target's object that contains a `caBundle`. */
export interface Place {
  /** Name of the entry; empty for a CRD. */
  readonly entry: string;
  readonly trusted: readonly Certificate[];
}

/** What a target's object contains. */
export interface TargetContent {
  readonly places: readonly Place[];
  /** What the object lacks, as a sentence without a subject. */
  readonly missing: readonly string[];
}

interface ClientConfig {
  readonly caBundle?: string;
}

/** The fields that are read, which the kinds of the targets have in common with no other. */
interface TargetObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig?: ClientConfig }[];
  readonly spec?: { readonly conversion?: { readonly strategy?: string; readonly webhook?: { readonly clientConfig?: ClientConfig } } };
}

/** Reads the places of a target. */
export function contentOfTarget(target: Target, object: object): TargetContent {
  const { webhooks = [], spec } = object as TargetObject; // an object of one of three kinds
  if (target.type === "crd") {
    return spec?.conversion?.strategy === "Webhook"
      ? { places: [{ entry: "", trusted: trustedBy(spec.conversion.webhook?.clientConfig) }], missing: [] }
      : { places: [], missing: ["has no conversion webhook"] };
  }
  const found = target.entries.flatMap((entry) => {
    const webhook = webhooks.find(({ name }) => name === entry);
    return webhook === undefined ? [] : [{ entry, trusted: trustedBy(webhook.clientConfig) }];
  });
  const missing = target.entries.filter((entry) => !found.some((place) => place.entry === entry));
  return { places: found, missing: missing.map((entry) => `has no webhook ${entry}`) };
}

function trustedBy(config: ClientConfig | undefined): readonly Certificate[] {
  return certificatesIn(Buffer.from(config?.caBundle ?? "", "base64").toString("utf8"));
}

/**
 * Returns the patch that sets `caBundle` in the places of an object, and nothing else. It fails when the object was changed
 * after it was read.
 *
 * It is a patch and not a server-side apply, which would own the entry itself. Then a deployer that applies server-side could not
 * remove the entry: the server would keep its name and its `caBundle`, and refuse the rest as incomplete (tried on both
 * servers). A patch never creates an object, and a field that it sets stays when a deployer applies its manifest.
 */
export function patchOf(
  target: Target,
  places: readonly Place[],
  given: { readonly bundle: string; readonly resourceVersion: string },
): Patch {
  const { resourceVersion } = given;
  const clientConfig = { caBundle: Buffer.from(given.bundle).toString("base64") };
  return target.type === "crd"
    ? { type: "merge", body: { metadata: { resourceVersion }, spec: { conversion: { webhook: { clientConfig } } } } }
    : { type: "strategic", body: { metadata: { resourceVersion }, webhooks: places.map(({ entry }) => ({ name: entry, clientConfig })) } };
}
