/** Tokens of service accounts as other programs see them: Secrets with tokens, and the documents by which tokens are checked. */
import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import type { Json, Scenario, Send, Session } from "../session.ts";

const REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const KEYS = "/openid/v1/jwks";
const CONFIGURATION = "/.well-known/openid-configuration";
const ANY: Send = { headers: { accept: "*/*" } };
const MERGE = { "content-type": "application/merge-patch+json" };

export const tokens: readonly Scenario[] = [
  {
    name: "token issuer",
    async run({ send, quietly, note, namespace }) {
      await send("configuration", "GET", CONFIGURATION);
      await send("configuration with a slash", "GET", `${CONFIGURATION}/`);
      await send("configuration as YAML", "GET", CONFIGURATION, { headers: { accept: "application/yaml" } });
      await send("configuration as any application type", "GET", CONFIGURATION, { headers: { accept: "application/*" } });
      await send("configuration as a table", "GET", CONFIGURATION, { headers: { accept: "application/json;as=Table" } });
      await send("configuration by POST", "POST", CONFIGURATION, { body: {} });
      await send("keys as JSON", "GET", KEYS);
      await send("keys with a slash as JSON", "GET", `${KEYS}/`);
      await send("keys by PUT", "PUT", KEYS, { ...ANY, body: {} });
      await send("keys for a user without rights", "GET", KEYS, { headers: { accept: "*/*", "impersonate-user": "mallory" } });
      await send("parent of the keys", "GET", "/openid/v1", ANY);
      const keys = (await quietly("GET", KEYS, ANY))["keys"] as readonly Json[];
      note(
        "keys",
        keys.map(({ kid, n, ...rest }) => ({ ...rest, kid: typeof kid, bits: Buffer.from(String(n), "base64url").length * 8 })),
      );
      const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
      await quietly("POST", accounts, { body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } } });
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      await send("request", "POST", `${accounts}/robot/token`, { body: request });
      const { status } = await quietly("POST", `${accounts}/robot/token`, { body: request });
      note("token", checked(String(status?.token), keys));
    },
  },
  {
    name: "token secrets",
    async run(session) {
      const { send, quietly, note, namespace } = session;
      const secrets = `/api/v1/namespaces/${namespace}/secrets`;
      const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
      await quietly("POST", accounts, { body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } } });
      await send("create", "POST", secrets, secret("filled"));
      await send("create with data", "POST", secrets, secret("own", {}, { data: { token: "YQ==", other: "Yg==", "ca.crt": "Yw==" } }));
      await until(session, `${secrets}/filled`, ({ data }) => data?.token !== undefined);
      await until(session, `${secrets}/own`, ({ data }) => data?.namespace !== undefined);
      await send("filled", "GET", `${secrets}/filled`);
      await send("filled with own data", "GET", `${secrets}/own`);
      const { data } = await quietly("GET", `${secrets}/filled`);
      const token = Buffer.from(String(data?.token), "base64").toString();
      note("token", checked(token, (await quietly("GET", KEYS, ANY))["keys"] as readonly Json[]));
      await send("review", "POST", REVIEWS, review(token));
      await send("review for another audience", "POST", REVIEWS, review(token, ["other"]));
      await quietly("POST", secrets, secret("changed"));
      await until(session, `${secrets}/changed`, ({ data: found }) => found?.token !== undefined);
      const changed = await quietly("GET", `${secrets}/changed`);
      const old = Buffer.from(String(changed["data"]?.token), "base64").toString();
      await quietly("PATCH", `${secrets}/changed`, { headers: MERGE, body: { data: { token: "YQ==" } } });
      await send("review of a token that was replaced", "POST", REVIEWS, review(old));
      await send("remove the token", "PATCH", `${secrets}/own`, { headers: MERGE, body: { data: { token: null, namespace: "YQ==" } } });
      await until(session, `${secrets}/own`, ({ data: found }) => found?.token !== undefined);
      await send("refilled", "GET", `${secrets}/own`);
      await quietly("POST", secrets, secret("marked"));
      await until(session, `${secrets}/marked`, ({ data: found }) => found?.token !== undefined);
      const marked = Buffer.from(String((await quietly("GET", `${secrets}/marked`))["data"]?.token), "base64").toString();
      const since = { "kubernetes.io/legacy-token-invalid-since": "2020-01-01" };
      await quietly("PATCH", `${secrets}/marked`, { headers: MERGE, body: { metadata: { labels: since } } });
      await send("review of a token that is marked invalid", "POST", REVIEWS, review(marked));
      await send("create for a missing account", "POST", secrets, secret("orphan", { "kubernetes.io/service-account.name": "missing" }));
      await send("create for another uid", "POST", secrets, secret("foreign", { "kubernetes.io/service-account.uid": "x" }));
      const held = secret("held", { "kubernetes.io/service-account.name": "missing" }, { metadata: { finalizers: ["example.com/f"] } });
      await quietly("POST", secrets, held);
      for (const name of ["orphan", "foreign"]) await until(session, `${secrets}/${name}`, ({ kind }) => kind === "Status");
      await until(session, `${secrets}/held`, ({ metadata }) => metadata?.deletionTimestamp !== undefined);
      await send("for a missing account", "GET", `${secrets}/orphan`);
      await send("for another uid", "GET", `${secrets}/foreign`);
      await send("for a missing account, with a finalizer", "GET", `${secrets}/held`);
      await quietly("DELETE", `${accounts}/robot`);
      for (const name of ["filled", "own"]) await until(session, `${secrets}/${name}`, ({ kind }) => kind === "Status");
      await send("of a deleted account", "GET", `${secrets}/filled`);
      await quietly("PATCH", `${secrets}/held`, { headers: MERGE, body: { metadata: { finalizers: null } } });
    },
  },
];

function secret(name: string, annotations: Json = {}, more: { readonly data?: Json; readonly metadata?: Json } = {}): Send {
  const named = { "kubernetes.io/service-account.name": "robot", ...annotations };
  const body = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/service-account-token" };
  return { body: { ...body, ...more, metadata: { name, annotations: named, ...more.metadata } } };
}

function review(token: string, audiences?: readonly string[]): Send {
  const spec = { token, ...(audiences === undefined ? {} : { audiences }) };
  return { body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec } };
}

/** Waits until a controller has acted. On a server without it the next step shows the difference. */
async function until({ quietly }: Session, path: string, isDone: (object: Json) => boolean): Promise<void> {
  for (let tries = 0; tries < 50 && !isDone(await quietly("GET", path)); tries++) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Returns the header and the names of the claims of a token, and whether one of the keys signed it. */
function checked(token: string, keys: readonly Json[]): unknown {
  const [header = "", body = "", signature = ""] = token.split(".");
  const { kid, ...head } = read(header);
  const key = keys.find((one) => one["kid"] === kid);
  const isSigned =
    key !== undefined &&
    verify(
      "sha256",
      Buffer.from(`${header}.${body}`),
      createPublicKey({ format: "jwk", key: key as JsonWebKey }),
      Buffer.from(signature, "base64url"),
    );
  const { exp, iat, nbf, ...claims } = read(body);
  return { head, isSigned, claims, lifetime: Number(exp) - Number(iat), startsAtOnce: nbf === iat };
}

function read(part: string): Json {
  return JSON.parse(Buffer.from(part, "base64url").toString() || "{}") as Json;
}
