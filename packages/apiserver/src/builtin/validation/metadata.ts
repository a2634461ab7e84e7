/** The metadata of built-in kinds, as often as the real server looks at it: each time adds its own causes. */
import { type FieldError, invalid } from "../../errors/field-errors.ts";
import type { JsonObject } from "../../internal/json.ts";
import { metaContentErrors, metaErrors, metaUpdateErrors, stringsOf } from "../../objects/object-meta.ts";
import type { ResourceType } from "../../storage/registry.ts";
import type { Draft } from "../../storage/stored-object.ts";

export function metadataErrors(
  type: ResourceType,
  {
    draft,
    live,
    subresource,
  }: { readonly draft: Draft; readonly live: { readonly metadata: JsonObject } | undefined; readonly subresource: string },
): FieldError[] {
  const whole = [...metaErrors(type, draft), ...finalizerNames(type, draft.metadata)];
  if (live === undefined) return whole;
  const common = metaErrors({ ...type, nameRule: "segment" }, draft);
  const changed = [...metaUpdateErrors(draft.metadata, live.metadata), ...metaContentErrors(draft.metadata)];
  const again = type.hooks.rechecksMetadata === true && subresource === "" ? whole : [];
  const own = type.id === EVENTS ? [] : changed; // Only the newer version of these looks at metadata itself.
  return [...common, ...changed, ...own, ...finalizerNames(type, draft.metadata), ...again];
}

/** Finalizers belong to somebody, but for those of Kubernetes itself; newer kinds take any. */
function finalizerNames({ id }: ResourceType, metadata: JsonObject): FieldError[] {
  if (ANY_FINALIZER.has(id)) return [];
  return stringsOf(metadata["finalizers"]).flatMap((name, i) =>
    name.includes("/") || STANDARD.includes(name)
      ? []
      : [invalid(`metadata.finalizers[${i}]`, name, "name is neither a standard finalizer name nor is it fully qualified")],
  );
}

const EVENTS = "events";

/** core/helper `IsStandardFinalizerName`. */
const STANDARD = ["kubernetes", "orphan", "foregroundDeletion"];

/** Kinds that are checked by apimachinery's `ValidateObjectMeta`, not by that of the core group. */
const ANY_FINALIZER: ReadonlySet<string> = new Set([
  "customresourcedefinitions.apiextensions.k8s.io",
  "apiservices.apiregistration.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingadmissionpolicies.admissionregistration.k8s.io",
  "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  "leases.coordination.k8s.io",
  "poddisruptionbudgets.policy",
  "events",
  "events.events.k8s.io",
]);
