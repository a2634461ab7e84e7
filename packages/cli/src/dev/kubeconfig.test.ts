import { resolve } from "node:path";
import { expect, test } from "vitest";
import { overlay } from "./kubeconfig.ts";

const FILE = {
  path: "/home/me/.kube/config",
  text: `
current-context: a
contexts: [{ name: a, context: { cluster: c, user: u, namespace: n } }, { name: b, context: { cluster: gone } }]
clusters: [{ name: c, cluster: { server: "https://c", certificate-authority: ca.pem, tls-server-name: c } }]
users: [{ name: u, user: { token: secret } }]
`,
};

test("another context needs only its name, so no credentials are written", () => {
  expect(JSON.parse(overlay([FILE], { context: "b" }))).toEqual({ apiVersion: "v1", kind: "Config", "current-context": "b" });
});

test("another server keeps the user and the authority of the context", () => {
  const text = overlay([{ path: "/empty", text: "" }, FILE], { server: "https://other" });
  expect(text).not.toContain("secret");
  expect(JSON.parse(text)).toEqual({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "treadle-dev",
    contexts: [{ name: "treadle-dev", context: { cluster: "treadle-dev", user: "u", namespace: "n" } }],
    clusters: [
      {
        name: "treadle-dev",
        cluster: { server: "https://other", "certificate-authority": resolve("/home/me/.kube/ca.pem"), "tls-server-name": "c" },
      },
    ],
  });
});

test.for([
  ["no file", []],
  ["a context without a cluster", [{ ...FILE, text: FILE.text.replace("current-context: a", "current-context: b") }]],
] as const)("a server with %s is one without an authority", ([, files]) => {
  const { clusters } = JSON.parse(overlay(files, { server: "http://127.0.0.1:1" })) as { readonly clusters: unknown };
  expect(clusters).toEqual([{ name: "treadle-dev", cluster: { server: "http://127.0.0.1:1" } }]);
});
