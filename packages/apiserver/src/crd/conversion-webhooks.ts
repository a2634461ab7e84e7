/**
 * Conversion webhooks of CRDs. A webhook converts a stored object when it is first read in another version. The result is
 * kept with the object, so each object is converted once. As with admission, a request that needs an answer is handled again
 * when the answer has arrived.
 */
import { applyDefaults, pruneObject } from "../schema/coerce.ts";
import { freezeJson, goQuote, isObject, type JsonObject } from "../internal/json.ts";
import { currentForm } from "../storage/served-form.ts";
import type { ConversionWebhook, Served, ServedVersion } from "../storage/registry.ts";
import { untypable } from "../errors/status-errors.ts";
import type { Collection } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import { Representation } from "../storage/representation.ts";
import { type Deliberation, Suspension } from "../request/deliberation.ts";
import type { UnreadError } from "../storage/served-form.ts";
import { type WebhookClient, WebhookError } from "../admission/webhook-client.ts";

/** Maximum time of a conversion, in seconds (k8s.io/apiextensions-apiserver). */
const TIMEOUT_SECONDS = 30;

interface Wanted {
  readonly objects: readonly JsonObject[];
  readonly webhook: ConversionWebhook;
  readonly to: ServedVersion;
}

/** The part of a request that a conversion needs. */
interface Writing {
  readonly served: Served;
  /** Absent for writes of the server itself. */
  readonly deliberation?: Deliberation | undefined;
}

export class Conversions {
  readonly #client: WebhookClient;
  readonly #uid: () => string;

  constructor(client: WebhookClient, uid: () => string) {
    this.#client = client;
    this.#uid = uid;
  }

  /** Converts all objects of the collection that were not yet read in the version, and `also`. @throws StatusError 500 */
  async fill(collection: Collection, { version, storage, entry: also }: UnreadError): Promise<void> {
    const { conversion: webhook } = version;
    if (webhook === undefined) return;
    const entries = [...new Set([...collection.all(), also])].filter(({ representation }) => representation.as(version) === undefined);
    const objects = entries.map(({ representation }) => currentForm(representation.object, storage) as unknown as JsonObject); // any fields
    const converted = await this.#convert({ objects, webhook, to: version });
    converted.forEach((object, i) => {
      const entry = entries[i];
      if (entry !== undefined) entry.representation.noteAs(version, new Representation(readable(object, version)));
    });
  }

  /** Returns the object in the storage version. @throws Suspension, StatusError 500 */
  toStored({ served, deliberation }: Writing, draft: Draft): Draft {
    const { type, version } = served;
    const { conversion: webhook } = version;
    // The server itself writes in the storage version.
    if (webhook === undefined || deliberation === undefined) return draft;
    // The key has only what a conversion can depend on. Times differ at each try.
    const { managedFields: _, creationTimestamp: __, ...metadata } = draft.metadata as JsonObject;
    const shown = { ...draft, metadata };
    const key = JSON.stringify(["convert", type.storage.apiVersion, shown]);
    const known = deliberation.converted.get(key);
    if (known === undefined) {
      const asked = this.#convert({ objects: [{ ...draft }], webhook, to: type.storage });
      throw new Suspension(asked.then(([object]) => void deliberation.converted.set(key, object ?? {})));
    }
    return { ...known, metadata: { ...draft.metadata, ...changeable(known) } } as Draft; // checked by #convert
  }

  async #convert({ objects, webhook, to }: Wanted): Promise<readonly JsonObject[]> {
    const pending = objects.filter((object) => object["apiVersion"] !== to.apiVersion);
    const [first] = pending;
    if (first === undefined) return objects;
    const { group, version } = partsOf(String(first["apiVersion"]));
    const of = `${group}/${version}, Kind=${String(first["kind"])}`;
    try {
      const converted = [...(await this.#ask(webhook, pending, to))];
      if (converted.length !== pending.length)
        throw untypable(`conversion webhook for ${of} returned ${converted.length} objects, expected ${pending.length}`);
      const checked = pending.map((original, i) => checkConverted(original, converted[i], { of, to }));
      return objects.map((object) => (object["apiVersion"] === to.apiVersion ? object : (checked.shift() ?? object)));
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      throw untypable(`conversion webhook for ${of} failed: ${error.message}`);
    }
  }

  /** Calls the webhook. @throws WebhookError */
  async #ask(
    { clientConfig, reviewVersions }: ConversionWebhook,
    objects: readonly JsonObject[],
    to: ServedVersion,
  ): Promise<readonly unknown[]> {
    const uid = this.#uid();
    const version = reviewVersions.find((one) => one === "v1" || one === "v1beta1");
    if (version === undefined) throw new WebhookError("no supported conversion review versions");
    const apiVersion = `apiextensions.k8s.io/${version}`;
    const body = {
      kind: "ConversionReview",
      apiVersion,
      request: { uid, desiredAPIVersion: to.apiVersion, objects },
      response: null,
    };
    const answered = await this.#client.post({ clientConfig, body, timeoutSeconds: TIMEOUT_SECONDS });
    const response = isObject(answered) ? answered["response"] : undefined;
    if (isObject(answered) && (answered["kind"] !== "ConversionReview" || answered["apiVersion"] !== apiVersion)) {
      const got = partsOf(String(answered["apiVersion"] ?? ""));
      throw new WebhookError(
        `expected webhook response of apiextensions.k8s.io/${version}, Kind=ConversionReview, got ${got.group}/${got.version}, Kind=${String(answered["kind"] ?? "")}`,
      );
    }
    if (!isObject(response)) throw new WebhookError("no response provided");
    const { result, convertedObjects } = response;
    if (response["uid"] !== uid && version === "v1")
      throw new WebhookError(`expected response.uid=${goQuote(uid)}, got ${goQuote(String(response["uid"] ?? ""))}`);
    const { status = "", message = "" } = isObject(result) ? result : {};
    if (status !== "Success") throw new WebhookError(String(message) || `response.result.status was '${String(status)}', not 'Success'`);
    return Array.isArray(convertedObjects) ? convertedObjects : [];
  }
}

/** Returns the metadata that a conversion may change. */
function changeable(converted: JsonObject): JsonObject {
  const { labels, annotations } = isObject(converted["metadata"]) ? converted["metadata"] : {};
  return { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
}

function checkConverted(
  original: JsonObject,
  converted: unknown,
  { of, to }: { readonly of: string; readonly to: ServedVersion },
): JsonObject {
  const wrong = (cause: string): Error => untypable(`conversion webhook for ${of} returned invalid ${cause}`);
  const result = isObject(converted) ? converted : {};
  const { group, version } = partsOf(String(result["apiVersion"] ?? ""));
  if (result["apiVersion"] !== to.apiVersion)
    throw wrong(
      `object at index 0: invalid groupVersion (expected ${to.apiVersion}, received ${group === "" ? version : `${group}/${version}`})`,
    );
  if (result["kind"] !== original["kind"])
    throw wrong(`object at index 0: invalid kind (expected ${String(original["kind"])}, received ${String(result["kind"])})`);
  const before = isObject(original["metadata"]) ? original["metadata"] : {};
  const after = isObject(result["metadata"]) ? result["metadata"] : undefined;
  if (after === undefined) throw wrong("metadata: invalid metadata of type <nil> in converted object, metadata must be a JSON object");
  for (const [field, name] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [was, is] = [before[field] ?? "", after[field] ?? ""];
    if (was !== is) throw wrong(`object: must have the same ${name}: ${String(was)} != ${String(is)}`);
  }
  const { labels: _, annotations: __, ...kept } = before;
  return { ...result, metadata: { ...kept, ...changeable(result) } };
}

function readable(object: JsonObject, { schema }: ServedVersion): StoredObject {
  const read = schema === undefined ? object : applyDefaults(pruneObject(object, schema), schema);
  return freezeJson(read) as unknown as StoredObject; // metadata is that of a stored object
}

function partsOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}
