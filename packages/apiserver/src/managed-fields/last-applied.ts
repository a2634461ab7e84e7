/**
 * Migration from client-side to server-side `kubectl apply` (apimachinery `managedfields` last-applied). The manager
 * `kubectl` does not conflict with what it applied before, and the annotation stays up to date.
 */
import { isObject, type JsonObject, valueAt } from "../internal/json.ts";
import { goJson } from "../internal/json.ts";
import { type Application, type Applied, applyConfiguration } from "./apply.ts";
import { typeProblems } from "./check-type.ts";
import { compareObjects, unchanged } from "./compare.ts";
import { type FieldSet, hasPath } from "./field-set.ts";
import { ConflictError } from "./settle.ts";
import { fieldsOf } from "./typed-sets.ts";

/** The only manager with this migration. */
const KUBECTL = "kubectl";
const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

/** As {@link applyConfiguration}. @throws ConflictError, TypeMismatchError */
export function applyAsManager(application: Application): Applied {
  if (application.writer.manager !== KUBECTL) return applyConfiguration(application);
  return withAnnotation(applyUpgraded(application), application.config);
}

function applyUpgraded(application: Application): Applied {
  try {
    return applyConfiguration(application);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const allowed = lastAppliedFields(application);
    if (allowed === undefined) throw error;
    const others = error.conflicts.filter(({ path }) => !hasPath(allowed, path));
    if (others.length > 0) throw new ConflictError(others);
    return applyConfiguration({ ...application, isForced: true });
  }
}

/** Returns the fields that `kubectl` applied by the annotation and that did not change since. */
function lastAppliedFields({ live, model }: Application): FieldSet | undefined {
  const type = model.typeIn(model.apiVersion);
  const config = parsed(valueAt(live, ["metadata", "annotations", ANNOTATION]));
  if (type === undefined || config === undefined || config["apiVersion"] !== model.apiVersion) return undefined;
  if (typeProblems(config, type, false).length > 0 || typeProblems(live, type, false).length > 0) return undefined;
  return unchanged(fieldsOf(config, type), compareObjects(config, live, type));
}

function withAnnotation({ object, managed }: Applied, config: JsonObject): Applied {
  if (!valueAt(object, ["metadata", "annotations", ANNOTATION])) return { object, managed };
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const value = `${goJson(withoutAnnotation(config))}\n`;
  return { object: { ...object, metadata: { ...metadata, annotations: { ...annotations, [ANNOTATION]: value } } }, managed };
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const metadata = isObject(config["metadata"]) ? config["metadata"] : {};
  if (!isObject(metadata["annotations"])) return config;
  const { [ANNOTATION]: _, ...annotations } = metadata["annotations"];
  const { annotations: __, ...rest } = metadata;
  return { ...config, metadata: { ...rest, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) } };
}

function parsed(text: unknown): JsonObject | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
