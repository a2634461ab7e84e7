/** Validates an object before it is stored. */
import { metadataErrors } from "../builtin/validation/metadata.ts";
import { ruleErrorsAfter } from "../cel/run-rules.ts";
import { embeddedErrors } from "./embedded.ts";
import type { CompiledSchema } from "../schema/schema.ts";
import { listErrors, schemaErrors } from "../schema/validate-object.ts";
import { type FieldError, invalid } from "../errors/field-errors.ts";
import { goDynamicType, goValue, valueAt } from "../internal/json.ts";
import { finalizerWarnings, metaErrors, metaUpdateErrors } from "./object-meta.ts";
import type { ScalePaths, Served } from "../storage/registry.ts";
import { invalidObject } from "../errors/status-errors.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";

/** The part of a write that validation needs. */
export interface Written {
  readonly draft: Draft;
  readonly live: StoredObject | undefined;
  readonly subresource: string;
}

/**
 * Validates a draft. Errors that the stored object already had are added to `warnings`.
 * @throws StatusError 422 with all errors
 */
export function validateDraft(served: Served, { draft, live, subresource }: Written, warnings: string[]): void {
  const { type, version } = served;
  const errors: FieldError[] = [];
  const isBuiltIn = !type.isCustom && version.schema === undefined;
  if (isBuiltIn) errors.push(...metadataErrors(type, { draft, live, subresource }));
  else if (live !== undefined) {
    const found = metaUpdateErrors(draft.metadata, live.metadata);
    // The real server checks them once for all kinds and once for this kind, so its causes list them twice.
    errors.push(...found, ...found);
  }
  if (version.schema !== undefined) {
    errors.push(...metaErrors(type, draft));
    errors.push(...structureErrors(version.schema, draft, live, subresource));
    errors.push(...ruleErrorsAfter(errors, version.schema, draft, { old: live, warnings }));
  }
  if (version.scale !== undefined && !isBuiltIn) errors.push(...scaleErrors(version.scale, draft, subresource));
  if (subresource === "") errors.push(...(type.hooks.validate?.(draft, live, version.apiVersion) ?? []));
  if (errors.length === 0 && !isBuiltIn) errors.push(...metaErrors(type, draft));
  if (errors.length > 0) throw invalidObject({ group: type.group, kind: type.kind }, draft.metadata.name ?? "", errors);
  if (subresource !== "") return;
  warnings.push(...(type.hooks.warn?.(draft, live) ?? []));
  if (type.isCustom) warnings.push(...finalizerWarnings(draft.metadata, live?.metadata));
}

function structureErrors(schema: CompiledSchema, draft: Draft, live: StoredObject | undefined, subresource: string): FieldError[] {
  if (subresource === "status") {
    const sub = schema.properties.get("status");
    if (sub === undefined || draft["status"] === undefined) return [];
    const old = live?.["status"] === undefined ? undefined : { value: live["status"] };
    return [...schemaErrors({ value: draft["status"], schema: sub, path: "", old }, "status"), ...repeatedErrors(schema, draft, live)];
  }
  const old = live === undefined ? undefined : { value: live };
  return [
    ...schemaErrors({ value: draft, schema, path: "", old }),
    ...embeddedErrors(draft, schema),
    ...repeatedErrors(schema, draft, live),
  ];
}

/** Duplicate items are allowed when the stored object already has some. */
function repeatedErrors(schema: CompiledSchema, draft: Draft, live: StoredObject | undefined): FieldError[] {
  const errors = listErrors(draft, schema);
  return errors.length > 0 && live !== undefined && listErrors(live, schema).length > 0 ? [] : errors;
}

function scaleErrors(scale: ScalePaths, draft: Draft, subresource: string): FieldError[] {
  const errors: FieldError[] = [];
  const paths = subresource === "status" ? [scale.statusReplicas] : [scale.specReplicas, scale.statusReplicas];
  for (const path of paths) {
    const value = valueAt(draft, path);
    const at = `.${path.join(".")}`;
    if (value === undefined || value === null) continue;
    if (typeof value !== "number")
      errors.push(invalid(at, 0, `${at} accessor error: ${goValue(value)} is of the type ${goDynamicType(value)}, expected int64`));
    else if (value < 0) errors.push(invalid(at, value, "should be a non-negative integer"));
    else if (value > 2 ** 31 - 1) errors.push(invalid(at, value, `should be less than or equal to ${2 ** 31 - 1}`));
  }
  return errors;
}
