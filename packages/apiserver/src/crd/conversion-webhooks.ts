/**
 * Conversion webhooks of CRDs. A webhook converts a stored object when it is first read in another version. The result is
 * kept with the object, so each object is converted once. As with admission, a request that needs an answer is handled again
 * when the answer has arrived.
 */
import { applyDefaults, dropNulls, pruneObject } from "../schema/coerce.ts";
import { checkConverted, partsOf, withNotesOf } from "./converted-object.ts";
import { cloneJson, freezeJson, goQuote, isObject, type JsonObject } from "../internal/json.ts";
import { currentForm } from "../storage/served-form.ts";
import type { ConversionWebhook, ResourceType, Served, ServedVersion } from "../storage/registry.ts";
import { StatusError, untypable } from "../errors/status-errors.ts";
import type { Collection, Entry } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import { Representation } from "../storage/representation.ts";
import { type Deliberation, type Stored, Suspension } from "../request/deliberation.ts";
import type { UnreadError } from "../storage/served-form.ts";
import type { WebhookClient } from "../admission/webhook-client.ts";
import { WebhookError } from "../admission/webhook-errors.ts";

/** Number of reviews that are sent at once for a list. */
const AT_ONCE = 20;
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

  /**
   * Converts all objects of the collection that were not yet read in the version, and `also`. When that fails, each object has
   * a review of its own, as on the real server. Only the failure of `also` is an error then. @throws StatusError 500
   */
  async fill(collection: Collection, unread: UnreadError): Promise<void> {
    const { version, entry: also } = unread;
    if (version.conversion === undefined) return;
    const entries = [...new Set([...collection.all(), also])].filter(({ representation }) => representation.as(version) === undefined);
    try {
      await this.#fill(entries, unread);
    } catch (error) {
      if (entries.length === 1) throw error;
      const failures = new Map<Entry, unknown>();
      const fillAlone = (entry: Entry): Promise<void> => this.#fill([entry], unread).catch((cause) => void failures.set(entry, cause));
      for (let at = 0; at < entries.length; at += AT_ONCE) await Promise.all(entries.slice(at, at + AT_ONCE).map(fillAlone));
      if (failures.has(also)) throw failures.get(also);
    }
  }

  async #fill(entries: readonly Entry[], { version, type }: UnreadError): Promise<void> {
    const { conversion: webhook } = version;
    if (webhook === undefined) return;
    const objects = entries.map(({ representation }) => currentForm(representation.object, type) as unknown as JsonObject); // any fields
    const converted = await this.#convert({ objects, webhook, to: version });
    converted.forEach((object, i) => {
      const shown = pruned(object, version) as unknown as StoredObject; // metadata is that of a stored object
      entries[i]?.representation.noteAs(version, new Representation(shown));
    });
  }

  /**
   * Returns the object in the storage version, and as a reader of the written version sees it then.
   * @throws Suspension, StatusError 500 when the object cannot be converted to the storage version
   */
  toStored({ served, deliberation }: Writing, draft: Draft): Stored {
    const { type, version } = served;
    const { conversion: webhook } = version;
    // The server itself writes in the storage version.
    if (webhook === undefined || deliberation === undefined) return { stored: draft, shown: draft };
    // The key has only what a conversion can depend on. Times differ at each try.
    const { managedFields: _, creationTimestamp: __, ...metadata } = draft.metadata as JsonObject;
    const key = JSON.stringify(["convert", type.storage.apiVersion, { ...draft, metadata }]);
    const known = deliberation.converted.get(key);
    if (known === undefined) {
      const asked = this.#thereAndBack(served, draft, webhook);
      throw new Suspension(asked.then((both) => void deliberation.converted.set(key, both)));
    }
    // The times of this try.
    const withMeta = (converted: JsonObject): Draft => ({ ...converted, metadata: withNotesOf(draft.metadata, converted) }) as Draft;
    return { stored: withMeta(known.stored), shown: known.shown instanceof StatusError ? known.shown : withMeta(known.shown) };
  }

  /**
   * Returns an object in another version of its kind, for admission. It is neither pruned nor completed.
   * @throws StatusError 500
   */
  async between({ versions }: ResourceType, object: JsonObject, to: ServedVersion): Promise<JsonObject> {
    const { apiVersion } = object;
    if (apiVersion === to.apiVersion) return object;
    if (to.conversion !== undefined) return (await this.#convert({ objects: [object], webhook: to.conversion, to }))[0] ?? object;
    const from = versions.find((one) => one.apiVersion === apiVersion);
    const stored = from?.toStored === undefined ? object : from.toStored(cloneJson(object));
    const shown = to.fromStored === undefined ? stored : to.fromStored(cloneJson(stored));
    return { ...shown, apiVersion: to.apiVersion };
  }

  async #thereAndBack({ type: { storage }, version }: Served, draft: Draft, webhook: ConversionWebhook): Promise<Stored<JsonObject>> {
    const [there = {}] = await this.#convert({ objects: [{ ...draft }], webhook, to: storage });
    const stored = pruned(there, storage);
    try {
      // Objects are read with the defaults of the stored version.
      const read = storage.schema === undefined ? stored : applyDefaults(stored, storage.schema);
      const [back = {}] = await this.#convert({ objects: [read], webhook, to: version });
      return { stored, shown: pruned(back, version) };
    } catch (error) {
      // The object is stored before it is converted back.
      if (error instanceof StatusError) return { stored, shown: error };
      throw error;
    }
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

/** Returns a converted object without unknown fields. It gets no defaults, and it is not validated. */
function pruned(object: JsonObject, { schema }: ServedVersion): JsonObject {
  return freezeJson(schema === undefined ? object : dropNulls(pruneObject(object, schema), schema));
}
