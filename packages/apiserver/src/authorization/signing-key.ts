/**
 * The key of a server for tokens of service accounts: RS256, as kube-apiserver uses it with an RSA key. The key is made at its
 * first use, because making it takes 10 to 60 ms.
 */
import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";

/** The public half of the key, as `/openid/v1/jwks` shows it. */
export interface PublicKey {
  readonly use: "sig";
  readonly kty: string | undefined;
  /** Id of the key: its SHA-256 digest. */
  readonly kid: string;
  readonly alg: "RS256";
  /** Modulus and exponent, in base64url. */
  readonly n: string | undefined;
  readonly e: string | undefined;
}

interface Pair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly id: string;
}

export class SigningKey {
  #pair: Pair | undefined;

  /** Returns `claims` as a signed JSON Web Token. */
  signed(claims: object): string {
    const { id, privateKey } = this.#keys();
    const text = `${encode({ alg: "RS256", kid: id })}.${encode(claims)}`;
    return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
  }

  /** Returns the claims of a token that this key signed, or `undefined` for any other text. */
  claimsOf(token: string): unknown {
    const [header, body, signature, ...more] = token.split(".");
    // Without a key this server has signed nothing.
    if (this.#pair === undefined || header === undefined || body === undefined || signature === undefined || more.length > 0)
      return undefined;
    const isOurs = verify("sha256", Buffer.from(`${header}.${body}`), this.#pair.publicKey, Buffer.from(signature, "base64url"));
    return isOurs ? (JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as unknown) : undefined;
  }

  publicKey(): PublicKey {
    const { publicKey, id } = this.#keys();
    const { kty, n, e } = publicKey.export({ format: "jwk" });
    return { use: "sig", kty, kid: id, alg: "RS256", n, e };
  }

  #keys(): Pair {
    if (this.#pair !== undefined) return this.#pair;
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const id = createHash("sha256")
      .update(publicKey.export({ format: "der", type: "spki" }))
      .digest("base64url");
    this.#pair = { privateKey, publicKey, id };
    return this.#pair;
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
