/**
 * Tokens of service accounts: JSON Web Tokens that this server signs and checks. They are valid until they expire by the
 * clock of the server, and as long as the account exists.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "@treadle/apimachinery";
import { goQuote } from "../internal/json.ts";
import { keyFor, type Store } from "../storage/store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { accountName, type Identity } from "./identity.ts";
import { goTexts } from "./rules.ts";

/** Default audience and issuer of a cluster. */
export const ISSUER = "https://kubernetes.default.svc.cluster.local";

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

const INVALID = { error: "invalid bearer token" } as const;

export class AccountTokens {
  readonly #store: Store;
  readonly #clock: Clock;
  /** The key of this server. Tokens of other servers are invalid. */
  readonly #key = randomBytes(32);

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  issue({ account, audiences, seconds, id, bound }: TokenRequest): string {
    const { name, namespace = "", uid } = account.metadata;
    const now = Math.floor(this.#clock.now() / 1000);
    const claims = {
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: ISSUER,
      jti: id,
      "kubernetes.io": {
        namespace,
        ...(bound === undefined ? {} : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: accountName(namespace, name),
    };
    const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
    return `${signed}.${this.#sign(signed).toString("base64url")}`;
  }

  /** Returns the user of a token that is valid for one of the audiences. */
  read(token: string, audiences: readonly string[]): Holder {
    const [header, body, signature = "", ...more] = token.split(".");
    if (header === undefined || body === undefined || more.length > 0) return INVALID;
    const wanted = this.#sign(`${header}.${body}`);
    const given = Buffer.from(signature, "base64url");
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return INVALID;
    const claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as Claims; // signed by this server
    const shared = claims.aud.filter((audience) => audiences.includes(audience));
    if (shared.length === 0)
      return failed(`token audiences ${goTexts(claims.aud)} is invalid for the target audiences ${goTexts(audiences)}`);
    const now = this.#clock.now() / 1000;
    if (now >= claims.exp) return failed("service account token has expired");
    return this.#holderOf(claims, shared);
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

  #sign(text: string): Buffer {
    return createHmac("sha256", this.#key).update(text).digest();
  }
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

/** Makes the error of the real server, which tries two ways to read a token. */
function failed(cause: string): Holder {
  return { error: `[${INVALID.error}, ${cause}]` };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
