import { expect, test } from "vitest";
import { kubeconfigText } from "./kubeconfig.ts";

const PEM = Buffer.from("-----BEGIN CERTIFICATE-----\n").toString("base64");

function text(cluster: object, user: object): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

test("a kubeconfig with data only uses no feature, and its credentials are in the text", async () => {
  const config = kubeconfigText(text({ server: "https://a.test", "certificate-authority-data": PEM }, { token: "t" }), "the text");
  expect(config).toMatchObject({ uses: [], server: "https://a.test", isInsecure: false, proxyUrl: undefined });
  expect(await config.credentials()({ renew: false })).toMatchObject({ headers: { authorization: "Bearer t" } });
});

test("a kubeconfig without a user is anonymous", async () => {
  const config = kubeconfigText(text({ server: "https://a.test" }, {}), "the text");
  expect((await config.credentials()({ renew: false })).headers).toEqual({});
});

test("a relative path of an allowed feature is refused, because a text has no folder", async () => {
  const config = kubeconfigText(text({ server: "https://a.test" }, { tokenFile: "token" }), "the text");
  expect(config.uses).toEqual(["tokenFile"]);
  await expect(Promise.resolve(config.credentials()({ renew: false }))).rejects.toThrow("relative path");
});

test("a certificate without a key is refused", () => {
  expect(() => kubeconfigText(text({ server: "https://a.test" }, { "client-certificate-data": PEM }), "the text")).toThrow("no client-key");
});
