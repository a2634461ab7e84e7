import { defineResource, isDefinitionError, type Kind } from "@treadle/apimachinery";
import { Namespace, Node, Pod } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Webhooks, webhooks } from "../index.ts";
import { webhookManifests, type WebhookConfigurationManifest, type WebhookManifest, type WebhookManifestsOptions } from "./manifests.ts";

const Website = defineResource({
  group: "web.example.com",
  kind: "Website",
  scope: "Namespaced",
  versions: { v1: { spec: z.object({ host: z.string().optional() }) }, v1alpha1: { spec: z.object({ domain: z.string().optional() }) } },
  version: "v1",
});

const convert = {
  v1alpha1: {
    up: ({ spec }: { spec: { domain?: string | undefined } }) => ({ spec: { host: spec.domain } }),
    down: ({ spec }: { spec: { host?: string | undefined } }) => ({ spec: { domain: spec.host } }),
  },
};
const website: Webhooks = webhooks(Website, { fill: () => undefined, problems: () => [], convert });
const pods: Webhooks = webhooks(Pod, {
  on: ["CREATE", "DELETE", "CONNECT"],
  subresources: ["exec"],
  objectSelector: { matchLabels: { team: "a" } },
  matchConditions: [{ name: "not-mine", expression: "true" }],
  failurePolicy: "Ignore",
  timeoutSeconds: 2,
  sideEffects: "NoneOnDryRun",
  reinvocation: "IfNeeded",
  fill: () => undefined,
});
const SERVICE = { service: { name: "website-operator", namespace: "ops" } };

const namesOf = (manifests: readonly WebhookManifest[]): readonly string[] =>
  manifests.map(({ kind, metadata }) => `${kind} ${"namespace" in metadata ? `${metadata.namespace}/` : ""}${metadata.name}`);

function configurationOf(manifests: readonly WebhookManifest[], kind: WebhookConfigurationManifest["kind"]): WebhookConfigurationManifest {
  const found = manifests.find((each): each is WebhookConfigurationManifest => each.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}

test("the manifests are in an order in which they can be applied, and the same each time", () => {
  const manifests = webhookManifests([website, pods], SERVICE);
  expect(namesOf(manifests)).toEqual([
    "Service ops/website-operator",
    "Secret ops/website-operator-webhook-certificate",
    "Role ops/website-operator-webhook-certificate",
    "RoleBinding ops/website-operator-webhook-certificate",
    "ClusterRole website-operator-webhooks",
    "ClusterRoleBinding website-operator-webhooks",
    "CustomResourceDefinition websites.web.example.com",
    "MutatingWebhookConfiguration website-operator",
    "ValidatingWebhookConfiguration website-operator",
  ]);
  expect(JSON.stringify(webhookManifests([website, pods], SERVICE))).toBe(JSON.stringify(manifests));
});

test("the entries have the options of the webhooks, in the order of the list", () => {
  const { webhooks: entries } = configurationOf(webhookManifests([website, pods], SERVICE), "MutatingWebhookConfiguration");
  const service = { name: "website-operator", namespace: "ops", port: 443 };
  expect(entries).toEqual([
    {
      name: "websites.web.example.com",
      clientConfig: { service: { ...service, path: "/mutate/web.example.com/websites" } },
      rules: [
        {
          operations: ["CREATE", "UPDATE"],
          apiGroups: ["web.example.com"],
          apiVersions: ["v1"],
          resources: ["websites"],
          scope: "Namespaced",
        },
      ],
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      sideEffects: "None",
      timeoutSeconds: 5,
      admissionReviewVersions: ["v1"],
      reinvocationPolicy: "Never",
    },
    {
      name: "pods.core.k8s.io",
      clientConfig: { service: { ...service, path: "/mutate/core/pods" } },
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods", "pods/exec"], scope: "Namespaced" }],
      failurePolicy: "Ignore",
      matchPolicy: "Equivalent",
      namespaceSelector: {
        matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system", "ops"] }],
      },
      objectSelector: { matchLabels: { team: "a" } },
      matchConditions: [{ name: "not-mine", expression: "true" }],
      sideEffects: "NoneOnDryRun",
      timeoutSeconds: 2,
      admissionReviewVersions: ["v1"],
      reinvocationPolicy: "IfNeeded",
    },
  ]);
});

test("a validating entry has no reinvocation policy, and neither configuration has a CA", () => {
  const manifests = webhookManifests([website], SERVICE);
  const [entry] = configurationOf(manifests, "ValidatingWebhookConfiguration").webhooks;
  expect(entry?.reinvocationPolicy).toBeUndefined();
  expect(JSON.stringify(manifests)).not.toContain("caBundle");
});

test.for<{ name: string; kind: Kind; given?: object; options?: WebhookManifestsOptions; want: readonly string[] | undefined }>([
  { name: "an own kind is reviewed in every namespace", kind: Website, want: undefined },
  { name: "pods of kube-system and of the operator are not reviewed", kind: Pod, want: ["kube-system", "ops"] },
  { name: "kube-system and the operator's namespace are not reviewed themselves", kind: Namespace, want: ["kube-system", "ops"] },
  { name: "other kinds of the cluster have no selector, because none applies to them", kind: Node, want: undefined },
  {
    name: "a selector of the author replaces the default",
    kind: Pod,
    given: { namespaceSelector: { matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }] } },
    want: ["b"],
  },
  {
    name: "an operator outside of the cluster has no namespace",
    kind: Pod,
    options: { name: "x", url: "https://a:1" },
    want: ["kube-system"],
  },
])("namespaces: $name", ({ kind, given = {}, options = SERVICE, want }) => {
  const manifests = webhookManifests([webhooks(kind, { problems: () => [], convert: "none", ...given })], options);
  const [entry] = configurationOf(manifests, "ValidatingWebhookConfiguration").webhooks;
  expect(entry?.namespaceSelector?.matchExpressions?.flatMap(({ values }) => values ?? [])).toEqual(want);
});

describe("rights", () => {
  const rulesOf = (manifests: readonly WebhookManifest[]): unknown => manifests.flatMap((each) => ("rules" in each ? each.rules : []));
  const read = ["get", "list", "watch"];
  const secret = {
    apiGroups: [""],
    resources: ["secrets"],
    verbs: [...read, "update"],
    resourceNames: ["website-operator-webhook-certificate"],
  };
  const events = { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] };

  test("all of them name their objects, and none creates a Secret", () => {
    expect(rulesOf(webhookManifests([website], SERVICE))).toEqual([
      secret,
      events,
      {
        apiGroups: ["admissionregistration.k8s.io"],
        resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
        verbs: [...read, "patch"],
        resourceNames: ["website-operator"],
      },
      {
        apiGroups: ["apiextensions.k8s.io"],
        resources: ["customresourcedefinitions"],
        verbs: [...read, "patch"],
        resourceNames: ["websites.web.example.com"],
      },
    ]);
  });

  test("webhooks without conversion need no right on CRDs", () => {
    expect(rulesOf(webhookManifests([webhooks(Website, { problems: () => [], convert: "none" })], SERVICE))).toEqual([
      secret,
      events,
      {
        apiGroups: ["admissionregistration.k8s.io"],
        resources: ["validatingwebhookconfigurations"],
        verbs: [...read, "patch"],
        resourceNames: ["website-operator"],
      },
    ]);
  });

  test("createSecret grants the creation of Secrets in the operator's namespace, and leaves the Secret out", () => {
    const manifests = webhookManifests([website], { ...SERVICE, createSecret: true });
    expect(rulesOf(manifests)).toContainEqual({ apiGroups: [""], resources: ["secrets"], verbs: ["create"] });
    expect(namesOf(manifests).filter((name) => name.startsWith("Secret"))).toEqual([]);
  });

  test("with cert-manager there are annotations in place of Secret and rights", () => {
    const manifests = webhookManifests([website], { ...SERVICE, certManager: "ops/website" });
    expect(namesOf(manifests)).toEqual([
      "Service ops/website-operator",
      "CustomResourceDefinition websites.web.example.com",
      "MutatingWebhookConfiguration website-operator",
      "ValidatingWebhookConfiguration website-operator",
    ]);
    expect(manifests.slice(1).map(({ metadata }) => ("annotations" in metadata ? metadata.annotations : undefined))).toEqual(
      Array(3).fill({ "cert-manager.io/inject-ca-from": "ops/website" }),
    );
  });
});

test("only a kind with conversion has a CRD with one", () => {
  const Plain = defineResource({ group: "web.example.com", kind: "Plain", scope: "Cluster", version: "v1", spec: z.object({}) });
  const manifests = webhookManifests(
    [webhooks(Website, { problems: () => [], convert: "none" }), webhooks(Plain, { problems: () => [] })],
    SERVICE,
  );
  const strategies = manifests.flatMap((each) =>
    each.kind === "CustomResourceDefinition" && "spec" in each && "versions" in each.spec ? [each.spec.conversion?.strategy] : [],
  );
  expect(strategies).toEqual(["None", undefined]);
});

test("with a URL the API server calls it, and there is no Service", () => {
  const manifests = webhookManifests([website], { name: "site", url: "https://192.168.1.7:9443/" });
  expect(namesOf(manifests).slice(0, 2)).toEqual(["Secret default/site-webhook-certificate", "Role default/site-webhook-certificate"]);
  const [entry] = configurationOf(manifests, "ValidatingWebhookConfiguration").webhooks;
  expect(entry?.clientConfig).toEqual({ url: "https://192.168.1.7:9443/validate/web.example.com/websites" });
});

test.for<{ name: string; webhooks?: readonly unknown[]; options?: object; want: string }>([
  { name: "neither Service nor URL", options: {}, want: "service: neither service nor url is given" },
  { name: "both", options: { ...SERVICE, url: "https://a" }, want: "service: both service and url are given" },
  { name: "a Service without a namespace", options: { service: { name: "a" } as never }, want: "service.namespace: it is missing" },
  { name: "a URL without a name", options: { url: "https://a" }, want: "name: with a url there is no default" },
  { name: "a URL without TLS", options: { name: "a", url: "http://a" }, want: 'url: "http://a" is not an address for webhooks' },
  {
    name: "a URL with a password",
    options: { name: "a", url: "https://:pw@a" },
    want: 'url: "https://<redacted>@a" is not an address for webhooks',
  },
  { name: "a URL with a query", options: { name: "a", url: "https://a?b=c" }, want: 'url: "https://a?b=c" is not an address' },
  { name: "a wrong name", options: { service: { name: "A_b", namespace: "ops" } }, want: 'service.name: "A_b" is not a name' },
  { name: "a wrong port", options: { service: { name: "a", namespace: "ops", port: 0 } }, want: "service.port: 0 is not a port" },
  { name: "a Certificate without namespace", options: { ...SERVICE, certManager: "a" }, want: 'certManager: "a" is not namespace/name' },
  { name: "something else in the list", webhooks: [Website], want: "webhooks[0]: webhooks() did not make it" },
  {
    name: "two webhooks of one name",
    webhooks: [website, webhooks(Website, { problems: () => [], convert: "none" })],
    want: 'webhooks[1]: it has the name websites.web.example.com of webhooks[0]. Give it another name: webhooks(Website, { name: "second", ... })',
  },
  {
    name: "two conversions of one kind",
    webhooks: [website, webhooks(Website, { name: "b", convert })],
    want: "webhooks[1].convert: webhooks[0] converts Website.web.example.com. Convert each kind once",
  },
  { name: "no list", webhooks: website as never, want: "webhooks: it is not a list. Pass a list, also of one" },
  {
    name: "CONNECT without subresources",
    webhooks: [webhooks(Pod, { on: ["CONNECT"], problems: () => [] })],
    want: "webhooks[0].on: CONNECT is an operation of subresources only",
  },
])("$name is refused with the fix", ({ webhooks: list = [website], options = SERVICE, want }) => {
  let error: unknown;
  try {
    webhookManifests(list as readonly Webhooks[], options);
  } catch (thrown) {
    error = thrown;
  }
  expect(isDefinitionError(error)).toBe(true);
  expect(String(error)).toContain(want);
});
