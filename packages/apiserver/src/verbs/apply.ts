/** PATCH with an applied configuration (server-side apply). It creates a missing object, and merges an existing one by field ownership. */
import type { ApiResponse, ManagedFieldsEntry } from "@treadle/apimachinery";
import { emptyOf } from "../builtin/decode-object.ts";
import { type Call, entryOf } from "../request/context.ts";
import { complete } from "../request/draft.ts";
import type { AppliedOwnership } from "../managed-fields/field-ownership.ts";
import { goQuote, isObject, type JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { type Application, type Applied, groupVersionText } from "../managed-fields/apply.ts";
import { TypeMismatchError } from "../managed-fields/check-type.ts";
import { conflictAnswer } from "../managed-fields/conflicts.ts";
import { applyAsManager } from "../managed-fields/last-applied.ts";
import { modelOf } from "../managed-fields/model.ts";
import { ConflictError } from "../managed-fields/settle.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { matchNamespace } from "../objects/namespaces.ts";
import { secondsOf } from "../objects/object-meta.ts";
import { readBoolean, readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { representationOf } from "../storage/served-form.ts";
import { resourceOf } from "../storage/registry.ts";
import { badRequest, conflict, notFound, type StatusError, unreadableVersion, untypable } from "../errors/status-errors.ts";
import type { Entry } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { repeatedKeysText } from "../request/yaml-body.ts";
import { parseConfiguration } from "./apply-body.ts";
import { answerWritten, store } from "./create.ts";
import { NO_RESIDUE, type Residue, residueIn } from "../managed-fields/residue.ts";
import { change, checkName } from "./update.ts";

/** Handles an apply. @throws StatusError 400, 404, 409, 422, 500 */
export async function apply(call: Call): Promise<ApiResponse> {
  const { request, query, served, route } = call;
  if (route.name === "") throw badRequest("name must be provided");
  const options = readWriteOptions(query, request.headers["user-agent"], "ApplyOptions");
  // Awaited before the object is read: no other request may come between the read and the write.
  const configuration = await readConfiguration(request.body ?? "", options);
  const entry = entryOf(call);
  // A subresource needs an existing object.
  if (entry === undefined && route.subresource !== "") throw notFound(resourceOf(served.type), route.name);
  const { object, managed } = merged(call, configuration, { entry, options });
  const draft = converted(call, object);
  const applied = { managed, residue: residueOfApply(call, object) };
  if (entry === undefined) return answerWritten(call, 201, createApplied(call, draft, { applied, options }));
  matchNamespace(draft, served.type.isNamespaced ? route.namespace : "");
  checkName(call, draft);
  return answerWritten(call, 200, change(call, { entry, draft, subresource: route.subresource, options, applied }));
}

/** Reads the result as an object of its kind. @throws StatusError 500 for an invalid one, as the real server */
function converted({ served }: Call, object: JsonObject): Draft {
  try {
    return complete(served, object, { keepsNulls: true }).draft;
  } catch (error) {
    if (!(error instanceof MetaTypeError)) throw error;
    const { namespace = "", name = "" } = objectAt(object, "metadata");
    const kind = kindText(served.version.apiVersion, served.type.kind);
    const given = error.describe(served.type).replace(/Go struct field \S+ of/, "Go value of");
    const cause = `unable to convert unstructured object to ${kind}: ${given.startsWith("json: ") ? "" : "error decoding from json: "}${given}`;
    throw untypable(`failed to convert new object (${String(namespace)}/${String(name)}; ${kind}) to proper version: ${cause}`);
  }
}

/** An applied configuration. */
export interface Configuration {
  readonly config: JsonObject;
  /** Problems of duplicate keys. */
  readonly repeated: readonly string[];
}

/** Parses the configuration. @throws StatusError 400 */
export async function readConfiguration(text: string, { fieldValidation }: WriteOptions): Promise<Configuration> {
  const { config, repeated } = await parseConfiguration(text);
  return { config, repeated: fieldValidation === "Ignore" ? [] : await repeated() };
}

function repeatedlyKeyed(problems: readonly string[]): StatusError {
  return badRequest(`error strict decoding YAML: error converting YAML to JSON: ${repeatedKeysText(problems)}`);
}

/** Merges the configuration into the object, without defaults, and returns the owners of its fields. @throws StatusError 400, 409, 500 */
function merged(
  call: Call,
  configuration: Configuration,
  { entry, options }: { readonly entry: Entry | undefined; readonly options: WriteOptions },
): Applied {
  const { served, route } = call;
  const identity = { apiVersion: served.version.apiVersion, kind: served.type.kind };
  const live: JsonObject = entry === undefined ? identity : { ...representationOf(entry, served.version, served.type).object };
  const managed = entry?.object.metadata["managedFields"];
  return applyTo(call, configuration, {
    live,
    managed: Array.isArray(managed) ? (managed as ManagedFieldsEntry[]) : [], // stored by this server
    model: modelOf(call, route.subresource, true),
    empty: emptyOf(served),
    options,
  });
}

/** The object that a configuration is applied to. */
export interface Target extends Required<Pick<Application, "live" | "managed" | "model" | "empty">> {
  readonly options: WriteOptions;
}

/** Applies a configuration to an object. @throws StatusError 400, 409, 500 */
export function applyTo(
  { route, parts, query, warnings }: Call,
  { config, repeated }: Configuration,
  { options, ...target }: Target,
): Applied {
  checkConfiguration(target.live, config);
  const writer = { manager: options.fieldManager, subresource: route.subresource, time: secondsOf(parts.clock.now()) };
  const isForced = readBoolean(query, "force") ?? false;
  const applied = translated(() => applyAsManager({ ...target, config, writer, isForced }));
  if (repeated.length > 0 && options.fieldValidation === "Strict") throw repeatedlyKeyed(repeated);
  warnings.push(...repeated);
  return applied;
}

/** Translates errors of the merge. @throws StatusError 409, 500 */
function translated<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ConflictError) throw conflictAnswer(error.conflicts);
    if (error instanceof TypeMismatchError) throw untypable(error.message);
    throw error;
  }
}

/** Checks that the configuration has the kind and version of the object, and no managedFields. @throws StatusError 400 */
export function checkConfiguration(live: JsonObject, config: JsonObject): void {
  const [apiVersion, kind] = [config["apiVersion"], config["kind"]].map((value) => (typeof value === "string" ? value : ""));
  if (apiVersion !== live["apiVersion"] || kind !== live["kind"])
    throw badRequest(`invalid object type: ${kindText(apiVersion ?? "", kind ?? "")}`);
  const metadata = config["metadata"];
  if (isObject(metadata) && Array.isArray(metadata["managedFields"])) throw badRequest("metadata.managedFields must be nil");
}

/** Returns a kind as Go prints it. An invalid version hides the kind. */
function kindText(apiVersion: string, kind: string): string {
  if (apiVersion.split("/").length > 2) return "/, Kind=";
  return `${groupVersionText(apiVersion)}, Kind=${kind}`;
}

/** Creates the object of a configuration. @throws StatusError 400, 404, 409, 422, 500 */
function createApplied(
  call: Call,
  draft: Draft,
  { applied, options }: { readonly applied: AppliedOwnership; readonly options: WriteOptions },
): ReturnType<typeof store> {
  const { uid, resourceVersion } = draft.metadata;
  if (typeof uid === "string") throw noSuchUid(call, uid);
  matchNamespace(draft, call.served.type.isNamespaced ? call.route.namespace : "");
  checkName(call, draft);
  if (typeof resourceVersion === "string" && !/^\d+$/.test(resourceVersion))
    throw unreadableVersion(`strconv.ParseUint: parsing ${goQuote(resourceVersion)}: invalid syntax`);
  return store(call, draft, options, applied);
}

/** The uid of the configuration belongs to an earlier object of this name. */
function noSuchUid({ served, route }: Call, uid: string): StatusError {
  const cause = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(resourceOf(served.type), route.name, cause);
}

/** Returns the empty metadata to keep. Conversion and the structs of built-in kinds keep none. */
function residueOfApply({ served: { type, version } }: Call, object: JsonObject): Residue {
  return type.isCustom && version === type.storage ? residueIn(object) : NO_RESIDUE;
}
