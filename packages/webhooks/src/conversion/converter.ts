/**
 * Converts objects of one kind between all its versions, through the hub.
 *
 * Guarantees:
 * - A client of another version loses nothing that it does not touch: what its version cannot say is kept in the annotation
 *   `treadle.dev/conversion`, and is merged with the client's changes on the way up. Objects of the hub never have the annotation.
 * - Defaults that the server fills in for a version do not count as changes of a client.
 * - An annotation that is broken, or that leads to a hub which breaks its schema, is ignored for that object as a whole.
 * - Results are pruned, and have the defaults of their version, as after a write in that version.
 *
 * Caveats: a client that removes the annotation loses what only it said. An annotation in a manifest keeps what the hub said when the manifest
 * was read. A user who may write an object in another version may write the annotation, and with it
 * fields of the status that this version lacks.
 */
import { apiVersionOf, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import type { AnyWebhooks } from "../definition.ts";
import { ConversionError } from "./errors.ts";
import { nameOf } from "./functions.ts";
import { freeze } from "../json.ts";
import { viewsOf } from "./views.ts";
import { type OnIgnored, Way } from "./way.ts";

/** The conversions of one kind. */
export interface Converter {
  /** The kind, in the version of the hub. */
  readonly kind: Kind;
  /**
   * Returns the object in another version; an object that is in it as it is. Pure, and the object is frozen. `onIgnored` is called with the
   * reason when the annotation of the object is not used.
   * @throws ConversionError for an unknown version, and for a function of the author that throws or returns no object
   */
  convert(object: KubernetesObject, apiVersion: string, onIgnored?: OnIgnored): KubernetesObject;
}

/** Returns the conversions of a kind. Its functions are complete: `webhooks()` has checked them. */
export function converterOf({ kind, convert }: Pick<AnyWebhooks, "kind" | "convert">): Converter {
  const views = viewsOf(kind);
  const hub = views.get(apiVersionOf(kind));
  const ways = new Map<string, Way>();
  for (const view of views.values()) {
    const functions = Object.hasOwn(convert, view.kind.version) ? convert[view.kind.version] : undefined;
    if (hub !== undefined && functions !== undefined) ways.set(view.apiVersion, new Way(hub, view, functions));
  }
  return {
    kind,
    convert(object, apiVersion, onIgnored = () => {}) {
      const [from, to] = [ways.get(object.apiVersion), ways.get(apiVersion)];
      const isKnown = (way: Way | undefined, version: string): boolean => way !== undefined || version === hub?.apiVersion;
      if (object.kind !== kind.kind || !isKnown(from, object.apiVersion) || !isKnown(to, apiVersion))
        throw unknownVersion(object, apiVersion, kind);
      if (object.apiVersion === apiVersion) return object;
      const source = freeze(object);
      const atHub = from === undefined ? source : from.up(source, onIgnored);
      return to === undefined ? atHub : to.down(freeze(atHub), onIgnored);
    },
  };
}

function unknownVersion(object: KubernetesObject, apiVersion: string, kind: Kind): ConversionError {
  const versions = kind.resource?.crd().spec.versions.map(({ name }) => name) ?? [];
  const from = `${object.kind} ${nameOf(object)} from ${object.apiVersion}`;
  const known = `${kind.kind} of ${kind.group} in ${versions.join(", ")}`;
  return new ConversionError("ERR_UNKNOWN_VERSION", `cannot convert ${from} to ${apiVersion}: the operator knows ${known}`);
}
