/** POST to a collection: creates an object. */
import { type ApiResponse, randomName } from "@treadle/apimachinery";
import { chosenFor } from "../request/deliberation.ts";
import { BodyError, encodingOf, parseBody } from "../request/content.ts";
import { type Call, representationFor } from "../request/context.ts";
import { checkFields, fieldProblems, type Incoming, readObject, undecodable, unrecognized } from "../request/draft.ts";
import { type AppliedOwnership, noteSent, prepareDraft, recordOwner, recordSentOwner } from "../managed-fields/field-ownership.ts";
import { dropRepeatedOwners } from "../objects/meta-warnings.ts";
import { validateDraft } from "../objects/validation.ts";
import { goJson, type JsonObject } from "../internal/json.ts";
import { duplicateMembers, memberPaths } from "../internal/json-text.ts";
import { checkNamespace, matchNamespace } from "../objects/namespaces.ts";
import { secondsOf } from "../objects/object-meta.ts";
import { repeatedKeys } from "../request/yaml-body.ts";
import { checkQuotas } from "../quota/admission.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { emptyStatus } from "../builtin/decode-object.ts";
import { definitionOf } from "../builtin/schemas.ts";
import { noteRepresentation } from "../storage/served-form.ts";
import { toStored } from "../request/stored-form.ts";
import { resourceOf, type Served } from "../storage/registry.ts";
import {
  alreadyExists,
  badRequest,
  forbiddenError,
  generateNameConflict,
  StatusError,
  versionOnCreate,
  whileDeleting,
} from "../errors/status-errors.ts";
import { type Entry, keyFor } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { objectAnswer } from "../table/table.ts";
import { Representation } from "../storage/representation.ts";
import { keepResidue, NO_RESIDUE } from "../managed-fields/residue.ts";

export async function create(call: Call): Promise<ApiResponse> {
  const { request, query } = call;
  const options = readWriteOptions(query, request.headers["user-agent"], "CreateOptions");
  const { draft } = await readSent(call, options);
  dropRepeatedOwners(call, draft);
  return answerWritten(call, 201, store(call, draft, options));
}

/** Checks and stores a new object. `applied` is set for an apply. */
export function store(call: Call, sent: Draft, options: WriteOptions, applied?: AppliedOwnership): Entry | Representation {
  const { route, served, collection, parts } = call;
  const { type } = served;
  const namespace = type.isNamespaced ? route.namespace : "";
  matchNamespace(sent, namespace);
  checkNamespace(parts, type, sent);
  parts.access.checkCreate(call);
  const admitted = { operation: "CREATE", live: undefined, subresource: "", isDryRun: options.isDryRun } as const;
  const draft = parts.admission.mutate(call, { ...admitted, draft: sent });
  matchNamespace(draft, namespace); // webhooks may have changed it
  dropRepeatedOwners(call, draft, { isAdmitted: true });
  parts.access.checkRoles(call, draft, undefined);
  const requested = draft.metadata["managedFields"];
  // An apply may have any version for a missing object, and a dry run stores none.
  if (applied === undefined && !options.isDryRun && /^0*[1-9]\d*$/.test(String(draft.metadata["resourceVersion"] ?? "")))
    throw versionOnCreate();
  prepareNew(call, draft);
  // Changes by webhooks have no manager.
  if (draft !== sent) noteSent(draft, sent);
  const written = { draft, live: undefined, subresource: "" };
  recordSentOwner(call, written, applied ?? { requested, options });
  validateDraft(served, written, call.warnings);
  parts.access.checkOwners(call, written);
  parts.admission.validate(call, { ...admitted, draft });
  type.hooks.admit?.(draft, undefined, { store: parts.store, isDryRun: options.isDryRun });
  const charge = checkQuotas(parts, type, written);
  if (parts.registry.isEnding(type.id))
    throw forbiddenError(resourceOf(type), draft.metadata.name, "create not allowed while custom resource definition is terminating");
  const key = keyFor(draft.metadata.namespace ?? "", draft.metadata.name);
  const taken = collection.get(key);
  if (taken !== undefined) {
    const error = (draft.metadata["generateName"] === undefined ? alreadyExists : generateNameConflict)(
      resourceOf(type),
      draft.metadata.name,
    );
    throw taken.object.metadata.deletionTimestamp === undefined ? error : whileDeleting(error);
  }
  recordOwner(call, written, applied ?? { requested, options });
  const { stored, shown } = toStored(call, draft);
  if (options.isDryRun) return shownAlone(shown); // complete but for its version
  charge();
  const entry = collection.create(stored);
  noteRepresentation(entry, served.version, shown);
  keepResidue(entry.object, applied?.residue ?? NO_RESIDUE);
  return entry;
}

/** Makes the representation of an object that is not stored. @throws StatusError when its conversion failed */
export function shownAlone(shown: Draft | StatusError): Representation {
  if (shown instanceof StatusError) throw shown;
  return new Representation(shown as unknown as Representation["object"]); // validated, with the metadata of a stored object
}

/** Reads the object of a create or update. @throws StatusError 400, 415, 422 */
export async function readSent(call: Call, { fieldValidation }: WriteOptions): Promise<Incoming> {
  const { served, request } = call;
  const body = await readBody(call);
  const text = request.body ?? "";
  const given = encodingOf(request.headers["content-type"]);
  // The real server reads custom resources in another way when it does not check their fields.
  const json = fieldValidation === "Ignore" ? (given === "json" ? text : goJson(body)) : undefined;
  const incoming = readObject(served, body, { text, json });
  const encoding = fieldValidation === "Ignore" ? undefined : given;
  const duplicates = encoding === "json" ? duplicateMembers(text, body) : [];
  const shown = served.type.isCustom || encoding === undefined ? undefined : encoding === "yaml" ? JSON.stringify(body) : text;
  const problems = problemsOf(duplicates, incoming.unknown, shown);
  const repeated = encoding === "yaml" ? await repeatedKeys(text) : [];
  checkFields(call, { repeated, problems, validation: fieldValidation, refuse: (cause) => undecodable(served, cause) });
  return incoming;
}

/**
 * Returns the duplicate and unknown fields. For built-in kinds they are in the order of the text; for custom kinds the
 * duplicates come first.
 */
function problemsOf(duplicates: readonly string[], unknown: readonly string[], text: string | undefined): readonly string[] {
  if (text === undefined || duplicates.length + unknown.length < 2) return fieldProblems(duplicates, unknown);
  const members = memberPaths(text);
  const met = [
    ...duplicates.map((path) => ({ at: members.indexOf(path, members.indexOf(path) + 1), problem: fieldProblems([path], []) })),
    ...unknown.map((path) => ({ at: members.indexOf(path), problem: fieldProblems([], [path]) })),
  ];
  return met.toSorted((a, b) => a.at - b.at).flatMap(({ problem }) => problem);
}

/** Reads the body of a write. @throws StatusError 400, 415 */
export async function readBody(call: Call): Promise<unknown> {
  const encoding = encodingOf(call.request.headers["content-type"]);
  const text = call.request.body ?? "";
  try {
    return await parseBody(text, encoding);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    throw badRequest(unrecognized(call.served, error.message, text));
  }
}

/** Answers a write with the current object. */
export async function answerWritten(call: Call, status: number, result: Entry | Representation): Promise<ApiResponse> {
  const representation =
    result instanceof Representation
      ? call.accepted.metadataOf !== undefined
        ? result.metadataOnly
        : result
      : representationFor(call, result);
  return objectAnswer(call, status, representation);
}

function prepareNew(call: Call, draft: Draft): void {
  const { served } = call;
  const { type, version } = served;
  const meta: JsonObject = draft.metadata;
  if (!meta["name"] && typeof meta["generateName"] === "string")
    meta["name"] = keptName(call, meta["generateName"], draft.metadata.namespace ?? "");
  for (const field of ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"]) delete meta[field];
  const { uid, nowMs } = chosenFor(call);
  meta["uid"] = uid;
  meta["creationTimestamp"] = secondsOf(nowMs);
  if (type.countsGenerations) meta["generation"] = 1;
  if (version.status && !type.keepsStatus) resetStatus(served, draft);
  prepareDraft(call, draft, undefined);
}

/** Removes the status of a new object. In Go's structs it is an empty object. */
function resetStatus({ type, version }: Served, draft: Draft): void {
  const definition = type.isCustom ? undefined : definitionOf(type, version);
  const status = definition === undefined ? undefined : emptyStatus(definition);
  if (status === undefined) delete draft["status"];
  else draft["status"] = status;
}

/** Returns the name that an earlier try chose, if it is still free. */
function keptName(call: Call, base: string, namespace: string): string {
  const { deliberation, collection } = call;
  const chosen = deliberation?.name;
  if (chosen !== undefined && collection.get(keyFor(namespace, chosen)) === undefined) return chosen;
  const name = generatedName(call, base, namespace);
  if (deliberation !== undefined) deliberation.name = name;
  return name;
}

/** Generates a name (k8s.io/apiserver `storage/names`): at most 58 characters and five random ones. Since 1.32 there are several tries. */
function generatedName(call: Call, base: string, namespace: string): string {
  let name = "";
  for (let attempt = 0; attempt < 8; attempt++) {
    name = base.slice(0, 58) + randomName(call.parts.random, 5);
    if (call.collection.get(keyFor(namespace, name)) === undefined) break;
  }
  return name;
}
