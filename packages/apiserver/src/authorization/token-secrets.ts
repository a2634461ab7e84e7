/**
 * Secrets of type `kubernetes.io/service-account-token`: fills them, and deletes those whose account does not exist. In a real
 * cluster a controller of kube-controller-manager does this. There are no timers: the work is done at the end of the request
 * that caused it.
 */
import { cloneJson, type JsonObject } from "../internal/json.ts";
import { objectAt, textAt } from "../internal/read.ts";
import { removeOrMark } from "../objects/deletion.ts";
import type { Parts } from "../request/context.ts";
import { localCall } from "../request/local-call.ts";
import { type Change, type Collection, type Entry, keyFor } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { change } from "../verbs/update.ts";

export class TokenSecrets {
  readonly #parts: Parts;
  readonly #authority: string;
  readonly #secrets: Collection;
  readonly #accounts: Collection;
  /** Keys of the Secrets to look at. */
  readonly #due = new Set<string>();
  readonly #unsubscribe: readonly (() => void)[];

  constructor(parts: Parts, caPem: string) {
    this.#parts = parts;
    this.#authority = Buffer.from(caPem).toString("base64");
    this.#secrets = parts.store.collection("secrets");
    this.#accounts = parts.store.collection("serviceaccounts");
    for (const entry of this.#secrets.all()) this.#note(entry);
    this.#unsubscribe = [
      this.#secrets.listen(({ type, entry }) => {
        if (type !== "DELETED") this.#note(entry);
      }),
      this.#accounts.listen((seen) => this.#noteSecretsOf(seen)),
    ];
  }

  close(): void {
    for (const end of this.#unsubscribe) end();
  }

  /** Does the work that is due. Called after each write. */
  settle(): void {
    // A write adds its own key again, and the next look at it finds nothing to do.
    for (const key of this.#due) {
      this.#due.delete(key);
      const entry = this.#secrets.get(key);
      if (entry !== undefined) this.#look(entry);
    }
  }

  #note({ key, object }: Entry): void {
    if (object["type"] === TYPE) this.#due.add(key);
  }

  #noteSecretsOf({ type, entry }: Change): void {
    // An update of an account changes nothing in its Secrets.
    if (type !== "MODIFIED") for (const secret of this.#secrets.all()) if (accountIn(secret) === entry.key) this.#note(secret);
  }

  #look(entry: Entry): void {
    const account = this.#accounts.get(accountIn(entry))?.object;
    const uid = textAt(entry.object, "metadata", "annotations", UID);
    if (account === undefined || (uid !== "" && uid !== account.metadata.uid)) {
      const type = this.#parts.registry.type("secrets");
      if (type !== undefined) removeOrMark(this.#parts, { type, collection: this.#secrets, entry });
      return;
    }
    const data = objectAt(entry.object, "data");
    const wanted: JsonObject = {
      ...(data["ca.crt"] === this.#authority ? {} : { "ca.crt": this.#authority }),
      ...(isFilled(data["namespace"]) ? {} : { namespace: base64(entry.namespace) }),
      ...(isFilled(data["token"])
        ? {}
        : { token: base64(this.#parts.access.accountTokens.issueForSecret(account, entry.object.metadata.name)) }),
    };
    if (Object.keys(wanted).length > 0 || uid === "") this.#write(entry, wanted, account.metadata.uid);
  }

  #write(entry: Entry, data: JsonObject, uid: string): void {
    const draft = cloneJson(entry.object) as unknown as Draft; // a copy of a stored object
    draft["data"] = { ...objectAt(draft, "data"), ...data };
    draft.metadata["annotations"] = { ...objectAt(draft.metadata, "annotations"), [UID]: uid };
    const { name, namespace = "" } = entry.object.metadata;
    const call = localCall(this.#parts, SECRETS, { name, namespace, subresource: "" });
    change(call, { entry, draft, subresource: "", options: { fieldManager: MANAGER, fieldValidation: "Ignore", isDryRun: false } });
  }
}

const TYPE = "kubernetes.io/service-account-token";
const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";
const SECRETS = { group: "", version: "v1", plural: "secrets" };
const MANAGER = "kube-controller-manager";

/** Returns the key of the account that a Secret names. */
function accountIn({ namespace, object }: Entry): string {
  return keyFor(namespace, textAt(object, "metadata", "annotations", NAME));
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
