/**
 * Tokens of service accounts: JSON Web Tokens that this server signs and checks, and that other programs can check by its
 * public key. They are valid as long as the account exists: those of a TokenRequest until they expire by the clock of the
 * server, those of a Secret until the Secret is deleted or changed.
 */
import type { Clock } from "@treadle/apimachinery";
import { goQuote } from "../internal/json.ts";
import { textAt } from "../internal/read.ts";
import { keyFor, type Store } from "../storage/store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { accountName, type Identity } from "./identity.ts";
import { goTexts } from "./rules.ts";
import { type PublicKey, SigningKey } from "./signing-key.ts";

/** Default audience and issuer of a cluster. */
export const DEFAULT_ISSUER = "https://kubernetes.default.svc.cluster.local";
/** Issuer of the tokens in Secrets. */
const LEGACY_ISSUER = "kubernetes/serviceaccount";

/** The object that a token is bound to. The token becomes invalid when the object is deleted. */
export interface BoundObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly uid: string;
}

export interface TokenRequest {
  readonly account: StoredObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  /** Id of the token. */
  readonly id: string;
  readonly bound?: BoundObject | undefined;
}

/** The user of a token, or the error of the real server. */
export type Holder = { readonly identity: Identity; readonly audiences: readonly string[] } | { readonly error: string };

/** Answer for a token that no authenticator knows. */
export const INVALID = { error: "invalid bearer token" } as const;

export interface AccountTokensOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Issuer of the tokens, and the audience of this server. */
  readonly issuer: string;
}

export class AccountTokens {
  readonly issuer: string;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #key = new SigningKey();

  constructor({ store, clock, issuer }: AccountTokensOptions) {
    this.#store = store;
    this.#clock = clock;
    this.issuer = issuer;
  }

  /** Keys by which other programs can check tokens. */
  publicKeys(): readonly PublicKey[] {
    return [this.#key.publicKey()];
  }

  issue({ account, audiences, seconds, id, bound }: TokenRequest): string {
    const { name, namespace = "", uid } = account.metadata;
    const now = Math.floor(this.#clock.now() / 1000);
    return this.#key.signed({
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: this.issuer,
      jti: id,
      "kubernetes.io": {
        namespace,
        ...(bound === undefined ? {} : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: accountName(namespace, name),
    });
  }

  /** Makes the token for a Secret of the account. It does not expire. */
  issueForSecret({ metadata: { name, namespace = "", uid } }: StoredObject, secret: string): string {
    return this.#key.signed({
      iss: LEGACY_ISSUER,
      "kubernetes.io/serviceaccount/namespace": namespace,
      "kubernetes.io/serviceaccount/secret.name": secret,
      "kubernetes.io/serviceaccount/service-account.name": name,
      "kubernetes.io/serviceaccount/service-account.uid": uid,
      sub: accountName(namespace, name),
    });
  }

  /** Returns the user of a token that is valid for one of the audiences. */
  read(token: string, audiences: readonly string[]): Holder {
    const claims = this.#key.claimsOf(token) as Claims | LegacyClaims | undefined; // signed by this server
    if (claims === undefined) return INVALID;
    const valid = "aud" in claims ? claims.aud : [this.issuer];
    const shared = valid.filter((audience) => audiences.includes(audience));
    if (shared.length === 0) return failed(`token audiences ${goTexts(valid)} is invalid for the target audiences ${goTexts(audiences)}`);
    if ("aud" in claims) {
      const now = this.#clock.now() / 1000;
      return now >= claims.exp ? failed("service account token has expired") : this.#holderOf(claims, shared);
    }
    return this.#holderOfSecret(claims, token, shared);
  }

  #holderOf(claims: Claims, audiences: readonly string[]): Holder {
    const { namespace, serviceaccount, pod, secret, node } = claims["kubernetes.io"];
    const needed = [
      ["serviceaccounts", namespace, serviceaccount],
      ["pods", namespace, pod],
      ["secrets", namespace, secret],
      ["nodes", "", node],
    ] as const;
    for (const [plural, where, object] of needed) {
      const found = object === undefined ? undefined : this.#store.collection(plural).get(keyFor(where, object.name));
      if (object === undefined || found?.object.metadata.uid === object.uid) continue;
      return failed(found === undefined ? `${plural} ${goQuote(object.name)} not found` : "service account token has been invalidated");
    }
    const extra: Record<string, readonly string[]> = { "authentication.kubernetes.io/credential-id": [`JTI=${claims.jti}`] };
    for (const [kind, object] of Object.entries({ pod, node })) {
      if (object === undefined) continue;
      extra[`authentication.kubernetes.io/${kind}-name`] = [object.name];
      extra[`authentication.kubernetes.io/${kind}-uid`] = [object.uid];
    }
    return { identity: { user: accountName(namespace, serviceaccount.name), uid: serviceaccount.uid, extra }, audiences };
  }

  #holderOfSecret(claims: LegacyClaims, token: string, audiences: readonly string[]): Holder {
    const namespace = claims["kubernetes.io/serviceaccount/namespace"];
    const name = claims["kubernetes.io/serviceaccount/service-account.name"];
    const uid = claims["kubernetes.io/serviceaccount/service-account.uid"];
    const secretName = claims["kubernetes.io/serviceaccount/secret.name"];
    const secret = this.#store.collection("secrets").get(keyFor(namespace, secretName))?.object;
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return failed("Token has been invalidated");
    if (textAt(secret, "data", "token") !== Buffer.from(token).toString("base64")) return failed("Token does not match server's copy");
    if (Object.hasOwn(secret.metadata.labels ?? {}, INVALID_SINCE)) return failed(markedInvalid(namespace, secretName, name));
    const account = this.#store.collection("serviceaccounts").get(keyFor(namespace, name))?.object;
    if (account === undefined) return failed(`serviceaccounts ${goQuote(name)} not found`);
    if (account.metadata.uid !== uid) return failed(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`);
    return { identity: { user: accountName(namespace, name), uid }, audiences };
  }
}

/** A user who sets this label on a Secret makes its token invalid. */
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

function markedInvalid(namespace: string, secret: string, account: string): string {
  const advice =
    `Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the ` +
    "secret to temporarily allow use of this token";
  return `the token in secret ${namespace}/${secret} for service account ${namespace}/${account} has been marked invalid. ${advice}`;
}

interface Named {
  readonly name: string;
  readonly uid: string;
}

interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly jti: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly serviceaccount: Named;
    readonly pod?: Named;
    readonly secret?: Named;
    readonly node?: Named;
  };
}

/** Claims of a token in a Secret. */
interface LegacyClaims {
  readonly iss: string;
  readonly "kubernetes.io/serviceaccount/namespace": string;
  readonly "kubernetes.io/serviceaccount/secret.name": string;
  readonly "kubernetes.io/serviceaccount/service-account.name": string;
  readonly "kubernetes.io/serviceaccount/service-account.uid": string;
}

/** Makes the error of the real server, which tries two ways to read a token. */
function failed(cause: string): Holder {
  return { error: `[${INVALID.error}, ${cause}]` };
}
