/** Tokens of service accounts for other programs. `conformance/scenarios/tokens.ts` compares the answers with the real ones. */
import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { get } from "node:https";
import { fakeClock } from "@treadle/apimachinery";
import { beforeEach, describe, expect, test } from "vitest";
import { createApiServer, serveHttps } from "../src/index.ts";
import { type Harness, harness, type Json } from "./harness.ts";

const NAMESPACE = "/api/v1/namespaces/default";
const ACCOUNT = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } };
const REQUEST = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
const TYPE = "kubernetes.io/service-account-token";
const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";
const CA = "-----BEGIN CERTIFICATE-----\n";

let made: Harness;
beforeEach(async () => {
  made = harness();
  await made.call("POST", `${NAMESPACE}/serviceaccounts`, ACCOUNT);
});

function secret(name: string, annotations: Json = {}, more: Json = {}): Json {
  return { apiVersion: "v1", kind: "Secret", type: TYPE, metadata: { name, annotations: { [NAME]: "robot", ...annotations } }, ...more };
}

async function dataOf(name: string): Promise<Json> {
  return (await made.call("GET", `${NAMESPACE}/secrets/${name}`)).body["data"] as Json;
}

function review(token: string, audiences?: readonly string[]): Json {
  return {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec: { token, ...(audiences === undefined ? {} : { audiences }) },
  };
}

async function reviewed(token: string, audiences?: readonly string[]): Promise<Json> {
  return (await made.call("POST", "/apis/authentication.k8s.io/v1/tokenreviews", review(token, audiences))).body["status"] as Json;
}

function text(base64: unknown): string {
  return Buffer.from(String(base64), "base64").toString();
}

describe("the issuer", () => {
  test("publishes a key that verifies a token of a TokenRequest", async () => {
    const { body } = await made.call("POST", `${NAMESPACE}/serviceaccounts/robot/token`, REQUEST);
    const [header = "", claims = "", signature = ""] = String(body["status"].token).split(".");
    const keys = await made.call("GET", "/openid/v1/jwks", undefined, { accept: "*/*" });
    const [key] = (JSON.parse(keys.text) as { readonly keys: readonly JsonWebKey[] }).keys;
    if (key === undefined) throw new Error("no key is published");
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "RS256", kid: key["kid"] });
    const publicKey = createPublicKey({ format: "jwk", key });
    const isSigned = (body: string): boolean =>
      verify("sha256", Buffer.from(`${header}.${body}`), publicKey, Buffer.from(signature, "base64url"));
    expect(isSigned(claims)).toBe(true);
    expect(isSigned(`${claims}A`)).toBe(false);
    expect(keys.headers["content-type"]).toBe("application/jwk-set+json");
  });

  test("names itself and the address of its keys", async () => {
    const clock = fakeClock();
    const server = createApiServer({ clock, serviceAccountIssuer: "https://issuer.example/" });
    const configuration = async (headers: Readonly<Record<string, string>>): Promise<Json> => {
      const { body } = await server.handle({ method: "GET", path: "/.well-known/openid-configuration", headers });
      return JSON.parse(body ?? "") as Json;
    };
    expect(await configuration({})).toEqual({
      issuer: "https://issuer.example/",
      jwks_uri: "https://issuer.example/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    });
    expect(await configuration({ host: "127.0.0.1:6443" })).toMatchObject({ jwks_uri: "https://127.0.0.1:6443/openid/v1/jwks" });
  });

  test("that is not an https URL is not published", async () => {
    const server = createApiServer({ serviceAccountIssuer: "me" });
    for (const path of ["/.well-known/openid-configuration", "/openid/v1/jwks"])
      expect(await server.handle({ method: "GET", path, headers: { accept: "*/*" } })).toMatchObject({ status: 404 });
  });

  test("is found by a client that knows only the address of the front", async () => {
    const front = await serveHttps(made.server);
    const read = (url: string): Promise<Json> =>
      new Promise((resolve, reject) => {
        get(url, { ca: front.caPem, headers: { accept: "*/*" }, agent: false }, (response) => {
          let body = "";
          response.on("data", (chunk) => (body += chunk)).on("end", () => resolve(JSON.parse(body) as Json));
        }).on("error", reject);
      });
    try {
      const { jwks_uri: keys } = await read(`${front.url}/.well-known/openid-configuration`);
      expect(keys).toBe(`${front.url}/openid/v1/jwks`);
      expect(await read(String(keys))).toMatchObject({ keys: [{ kty: "RSA", alg: "RS256", use: "sig", e: "AQAB" }] });
    } finally {
      await front.close();
    }
  });
});

describe("a TokenReview", () => {
  test("accepts the administrator's token of an open front", async () => {
    const front = await serveHttps(made.server, { auth: { token: "root" } });
    try {
      expect(await reviewed("root")).toEqual({
        authenticated: true,
        user: { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
        audiences: ["https://kubernetes.default.svc.cluster.local"],
      });
      expect(await reviewed("root", ["other"])).toEqual({ user: {}, error: "invalid bearer token" });
    } finally {
      await front.close();
    }
    expect(await reviewed("root")).toEqual({ user: {}, error: "invalid bearer token" });
  });
});

describe("a Secret for a token", () => {
  test("is not filled by a server without the controller", async () => {
    await made.call("POST", `${NAMESPACE}/secrets`, secret("s"));
    expect(await dataOf("s")).toBeUndefined();
  });

  test("is filled when it is created, and when it existed before", async () => {
    await made.call("POST", `${NAMESPACE}/secrets`, secret("before"));
    made.server.fillTokenSecrets(CA);
    await made.call("POST", `${NAMESPACE}/secrets`, secret("after"));
    const { uid } = (await made.call("GET", `${NAMESPACE}/serviceaccounts/robot`)).body["metadata"] as Json;
    for (const name of ["before", "after"]) {
      const { metadata, data } = (await made.call("GET", `${NAMESPACE}/secrets/${name}`)).body;
      expect(metadata.annotations).toEqual({ [NAME]: "robot", [UID]: uid });
      expect([text(data["ca.crt"]), text(data.namespace)]).toEqual([CA, "default"]);
      expect(await reviewed(text(data.token))).toMatchObject({
        authenticated: true,
        user: { username: "system:serviceaccount:default:robot", uid },
      });
    }
  });

  test("is filled again after a change, and keeps data of the user", async () => {
    made.server.fillTokenSecrets(CA);
    await made.call("POST", `${NAMESPACE}/secrets`, secret("s", {}, { data: { token: "YQ==", "ca.crt": "Yw==" } }));
    expect(await dataOf("s")).toEqual({ token: "YQ==", "ca.crt": Buffer.from(CA).toString("base64"), namespace: "ZGVmYXVsdA==" });
    await made.merge(`${NAMESPACE}/secrets/s`, { data: { token: null } });
    const { token } = await dataOf("s");
    expect(await reviewed(text(token))).toMatchObject({ authenticated: true });
    await made.merge(`${NAMESPACE}/secrets/s`, { data: { token: "YQ==" } });
    expect(await reviewed(text(token))).toEqual({ user: {}, error: "[invalid bearer token, Token does not match server's copy]" });
  });

  test.for([
    { name: "a missing account", annotations: { [NAME]: "missing" } },
    { name: "an earlier account of this name", annotations: { [UID]: "11111111-2222-3333-4444-555555555555" } },
  ])("of $name is deleted", async ({ annotations }) => {
    made.server.fillTokenSecrets(CA);
    expect((await made.call("POST", `${NAMESPACE}/secrets`, secret("s", annotations))).status).toBe(201);
    expect((await made.call("GET", `${NAMESPACE}/secrets/s`)).status).toBe(404);
  });

  test("is deleted with its account, and its token is invalid then", async () => {
    made.server.fillTokenSecrets(CA);
    await made.call("POST", `${NAMESPACE}/secrets`, secret("s"));
    const token = text((await dataOf("s"))["token"]);
    await made.call("DELETE", `${NAMESPACE}/serviceaccounts/robot`);
    expect((await made.call("GET", `${NAMESPACE}/secrets/s`)).status).toBe(404);
    expect(await reviewed(token)).toEqual({ user: {}, error: "[invalid bearer token, Token has been invalidated]" });
  });

  test("is not filled after the controller ended", async () => {
    made.server.fillTokenSecrets(CA)();
    await made.call("POST", `${NAMESPACE}/secrets`, secret("s"));
    expect(await dataOf("s")).toBeUndefined();
  });
});
