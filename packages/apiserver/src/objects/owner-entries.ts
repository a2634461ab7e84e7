/** Validates entries of managedFields (k8s.io/apimachinery `ValidateManagedFields`). */
import { type FieldError, invalid, tooLong } from "../errors/field-errors.ts";
import type { JsonObject } from "../internal/json.ts";
import { managerErrors } from "../request/write-options.ts";

/** k8s.io/apimachinery `MaxSubresourceNameLength`. */
const MAX_SUBRESOURCE_BYTES = 256;

/** Returns the errors of entries of managedFields. */
export function managedFieldsErrors(entries: unknown): FieldError[] {
  if (!Array.isArray(entries)) return [];
  return (entries as readonly JsonObject[]).flatMap((entry, i) => {
    // read by readMeta
    const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
    const at = `metadata.managedFields[${i}]`;
    return [
      ...(operation === "Apply" || operation === "Update" ? [] : [invalid(`${at}.operation`, operation, "must be `Apply` or `Update`")]),
      ...(fieldsType === "" || fieldsType === "FieldsV1" ? [] : [invalid(`${at}.fieldsType`, fieldsType, "must be `FieldsV1`")]),
      ...managerErrors(String(manager), `${at}.manager`),
      ...(Buffer.byteLength(String(subresource)) > MAX_SUBRESOURCE_BYTES ? [tooLong(`${at}.subresource`, MAX_SUBRESOURCE_BYTES)] : []),
    ];
  });
}
