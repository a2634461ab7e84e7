/** The objects that contain a `caBundle`: what of them is ours, and the patch that changes nothing else. */
import { type ConversionWebhook, crdOf, type Kind } from "@treadle/apimachinery";
import { CustomResourceDefinition, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@treadle/apimachinery/kinds";
import type { Patch } from "@treadle/client";
import type { AnyWebhooks } from "../definition.ts";
import { callPath, entryName } from "../paths.ts";
import type { SettledPlacement } from "../placement.ts";
import { type Certificate, certificatesIn } from "./pem.ts";

/** An object whose `caBundle` the operator keeps. */
export type Target = {
  /** Where the API server must call by each entry; that of a CRD has the name "". Absent entries may lead anywhere. */
  readonly addresses?: Readonly<Record<string, ConversionWebhook>>;
} & (
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
    }
);

/**
 * Returns the configurations, with the entries of these webhooks, and the CRDs with conversion.
 * @param placement the name of both configurations, and where the API server reaches the operator
 */
export function targetsOf(
  webhooks: readonly AnyWebhooks[],
  { name, address }: Pick<SettledPlacement, "name" | "address">,
): readonly Target[] {
  const of = (type: "mutating" | "validating"): Target[] => {
    const [part, call] = type === "mutating" ? (["fill", "mutate"] as const) : (["problems", "validate"] as const);
    const called = webhooks.filter((each) => each[part] !== undefined);
    const addresses = Object.fromEntries(called.map((each) => [entryName(each), address(callPath(call, each))]));
    return called.length === 0 ? [] : [{ type, name, entries: called.map(entryName), addresses }];
  };
  const converted = webhooks.filter(({ convert }) => Object.keys(convert).length > 0);
  return [
    ...of("mutating"),
    ...of("validating"),
    ...converted.map((each) => {
      const addresses = { "": address(callPath("convert", each)) };
      return { type: "crd", name: crdOf(each.kind).metadata.name, addresses } as const;
    }),
  ];
}

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
  /** Places that lead to another server, as sentences without a subject. Its CA is not ours, so they are not among {@link places}. */
  readonly elsewhere: readonly string[];
}

interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly name: string; readonly namespace: string; readonly port?: number; readonly path?: string };
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
  if (target.type === "crd" && spec?.conversion?.strategy !== "Webhook")
    return { places: [], missing: ["has no conversion webhook"], elsewhere: [] };
  const found =
    target.type === "crd"
      ? [{ name: "", clientConfig: spec?.conversion?.webhook?.clientConfig }]
      : webhooks.filter(({ name }) => target.entries.includes(name));
  const strange = found.flatMap(({ name, clientConfig }) => elsewhere(target, name, clientConfig) ?? []);
  const own = found.filter(({ name, clientConfig }) => elsewhere(target, name, clientConfig) === undefined);
  const missing = target.type === "crd" ? [] : target.entries.filter((entry) => !found.some(({ name }) => name === entry));
  return {
    places: own.map(({ name, clientConfig }) => ({ entry: name, trusted: trustedBy(clientConfig) })),
    missing: missing.map((entry) => `has no webhook ${entry}`),
    elsewhere: strange,
  };
}

/** Says where a place leads when it does not lead to the operator. */
function elsewhere({ addresses = {} }: Target, entry: string, found: ClientConfig = {}): string | undefined {
  const wanted = Object.hasOwn(addresses, entry) ? addresses[entry] : undefined;
  if (wanted === undefined || shown(wanted) === shown(found)) return undefined;
  return `sends ${entry === "" ? "conversions" : entry} to ${shown(found)} instead of ${shown(wanted)}`;
}

/** The API server calls port 443 of a Service by default. */
function shown({ url, service }: ClientConfig): string {
  if (service === undefined) return url ?? "no address";
  return `Service ${service.namespace}/${service.name}, port ${service.port ?? 443}, path ${service.path ?? "/"}`;
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
