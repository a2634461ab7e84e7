import { expect, test } from "vitest";
import { readingOf } from "./texts.ts";

test.for([
  {
    text: 'pods "web-1" is forbidden: exceeded quota: small, requested: pods=1,limits.cpu=1, used: pods=2, limited: pods=2',
    want: {
      code: "QuotaExceeded",
      clause: "the quota small of the namespace shop is used up: requested pods=1,limits.cpu=1, used pods=2, limited to pods=2",
    },
  },
  {
    text: 'Error creating: Internal error occurred: failed calling webhook "a.example.dev": failed to call webhook: Post "https://a.ops.svc:443/": service "a" not found',
    want: {
      code: "WebhookDown",
      clause: 'the webhook a.example.dev does not answer: Post "https://a.ops.svc:443/": service "a" not found',
    },
  },
  {
    text: "conversion webhook for example.dev/v1, Kind=Shop failed: Post https://x: connection refused",
    want: {
      code: "WebhookDown",
      clause: "the conversion webhook for example.dev/v1, Kind=Shop does not answer: Post https://x: connection refused",
    },
  },
  {
    text: 'admission webhook "a.example.dev" denied the request: no latest tags.',
    want: { code: "WebhookDenied", clause: "the webhook a.example.dev refuses the object: no latest tags" },
  },
  {
    text: 'deployments.apps is forbidden: User "system:serviceaccount:ops:x" cannot list resource "deployments" in API group "apps" at the cluster scope',
    want: { code: "Forbidden", clause: "system:serviceaccount:ops:x may not list deployments.apps in the whole cluster" },
  },
  { text: "couldn't find key color in Secret shop/in", want: { code: "MissingKey", clause: "Secret shop/in has no key color" } },
  {
    text: 'no matches for kind "Certificate" in version "cert-manager.io/v1"',
    want: { code: "MissingKind", clause: "the server does not serve the kind Certificate (cert-manager.io/v1)" },
  },
  { text: 'secret "in" not found', want: { code: "MissingSecret", clause: "Secret shop/in does not exist" } },
  {
    text: 'pods "web-" is forbidden: error looking up service account shop/bot: serviceaccount "bot" not found',
    want: { code: "MissingServiceAccount", clause: "ServiceAccount shop/bot does not exist" },
  },
  { text: 'storageclass.storage.k8s.io "fast" not found', want: { code: "MissingObject", clause: "StorageClass fast does not exist" } },
])("the text $text names its cause", ({ text, want }) => {
  const { code, clause, advice } = readingOf(text, "shop") ?? {};
  expect({ code, clause }).toEqual(want);
  expect(advice?.length).toBeGreaterThan(0);
});

test.for(["", "0 of 1 replicas are available", "waiting for the bank", "User cannot log in", 'the page "x" was not found'])(
  "the text %o names no known cause",
  (text) => {
    expect(readingOf(text, "shop")).toBeUndefined();
  },
);
