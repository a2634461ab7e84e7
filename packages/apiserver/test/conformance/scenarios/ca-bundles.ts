/** CA bundles that are no certificates: in webhook configurations, in CRDs with a conversion webhook, and in APIServices. */
import type { Json, Scenario } from "../session.ts";
import { makeCertificates } from "../../../src/front/certificates.ts";
import { ADMISSION, DEFINITIONS, withHooks } from "./sites.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const pem = (type: string, content: string): string => `-----BEGIN ${type}-----\n${content}\n-----END ${type}-----\n`;

/** Values of `caBundle` by their description. */
async function bundles(): Promise<Readonly<Record<string, unknown>>> {
  const made = await makeCertificates(["localhost"]);
  const [caPem, serverPem, keyPem] = [made.caPem, made.server.certPem, made.server.keyPem].map((text) => `${text.trim()}\n`) as [
    string,
    string,
    string,
  ];
  const other = pem("CERTIFICATE", base64("x"));
  return {
    "no base64": "%",
    "a number": 5,
    "an empty text": "",
    null: null,
    "a word": base64("x"),
    spaces: base64(" \n"),
    "a private key": base64(keyPem),
    "a certificate that is not one": base64(other),
    "a certificate without base64": base64(pem("CERTIFICATE", "%")),
    "a certificate without an end": base64(caPem.slice(0, -20)),
    "a certificate": base64(caPem),
    "a certificate after words": base64(`words\n${caPem}`),
    "a certificate before words": base64(`${caPem}words\n`),
    "a certificate and a private key": base64(keyPem + caPem),
    "a certificate before one that is not one": base64(caPem + other),
    "a certificate with headers": base64(caPem.replace("-----\n", "-----\na: b\n\n")),
    "two certificates": base64(caPem + serverPem),
  };
}

/** Certificates are made for each server. Only what an answer says of others is compared. */
function said({ kind, status, message, details, reason, code, spec, webhooks }: Json): Json {
  const length = (value: unknown): number => (typeof value === "string" ? 1 : 0);
  if (kind === "Status") return { kind, status, message, details, reason, code };
  return { kind, caBundle: length((spec?.conversion?.webhook ?? webhooks?.[0])?.clientConfig?.caBundle ?? spec?.caBundle) };
}

function configuration(name: string, caBundle: unknown): Json {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
    webhooks: [
      {
        name: "none.example.com",
        clientConfig: { url: "https://127.0.0.1:9", caBundle },
        rules: [{ operations: ["CREATE"], apiGroups: ["none.example.com"], apiVersions: ["*"], resources: ["none"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
}

function definition(group: string, plural: string, caBundle: unknown): Json {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: `Bundle${plural}`, plural },
      versions: [{ name: "v1", served: true, storage: true, schema }],
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig: { url: "https://127.0.0.1:9", caBundle }, conversionReviewVersions: ["v1"] },
      },
    },
  };
}

export const caBundles: readonly Scenario[] = [
  {
    name: "bundles of certificates",
    async run({ quietly, note, namespace }) {
      const configurations = `${ADMISSION}/validatingwebhookconfigurations`;
      const group = `${namespace}.example.com`;
      const service = { apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name: `v1.${group}` } };
      const all = await bundles();
      for (const [name, caBundle] of Object.entries(all)) {
        const query = "dryRun=All";
        note(`a webhook with ${name}`, said(await quietly("POST", configurations, { body: configuration(namespace, caBundle), query })));
        note(`a CRD with ${name}`, said(await quietly("POST", DEFINITIONS, { body: definition(group, "bundles", caBundle), query })));
        const spec = { group, version: "v1", groupPriorityMinimum: 1, versionPriority: 1, service: { name: "x", namespace }, caBundle };
        note(
          `an APIService with ${name}`,
          said(await quietly("POST", "/apis/apiregistration.k8s.io/v1/apiservices", { body: { ...service, spec }, query })),
        );
      }
      const path = `${DEFINITIONS}/updates.${group}`;
      const good = definition(group, "updates", all["a certificate"]);
      await quietly("POST", DEFINITIONS, { body: good });
      const isEstablished = async (): Promise<boolean> =>
        (await quietly("GET", path))["status"]?.conditions?.some(({ type, status }: Json) => type === "Established" && status === "True");
      for (let tries = 0; tries < 100 && !(await isEstablished()); tries++) await new Promise((resolve) => setTimeout(resolve, 100));
      const patch = (caBundle: unknown): Promise<Json> =>
        quietly("PATCH", path, {
          body: { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } },
          headers: { "content-type": "application/merge-patch+json" },
        });
      note("an update to a word", said(await patch(base64("x"))));
      note("an update to another certificate", said(await patch(all["two certificates"])));
      note("an update to none", said(await patch(null)));
      note("an update from none to a word", said(await patch(base64("x"))));
      const none = await quietly("PATCH", path, {
        body: { spec: { conversion: { strategy: "None", webhook: { clientConfig: { caBundle: base64("x") } } } } },
        headers: { "content-type": "application/merge-patch+json" },
      });
      note("an update to a word without a webhook", said(none));
      await quietly("DELETE", path);
    },
  },
  {
    name: "calls with bundles of certificates",
    async run(session) {
      const { send, quietly, note, namespace } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const group = `${namespace}.example.com`;
      const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
      // The real server serves a kind that is not established when its bundle has nothing but spaces.
      const usable = Object.entries(await bundles()).flatMap(([name, caBundle]) =>
        typeof caBundle === "string" && caBundle !== "%" && name !== "spaces" ? [{ name, caBundle }] : [],
      );
      const reviews = usable.flatMap(({ name, caBundle }, index) =>
        ["Fail", "Ignore"].map((failurePolicy) => ({ name, caBundle, failurePolicy, labels: { bundle: `${index}-${failurePolicy}` } })),
      );
      const hooks = reviews.map(({ caBundle, failurePolicy, labels }, index) => {
        const clientConfig = { url: "https://127.0.0.1:9", caBundle };
        return [`bundle-${index}`, { clientConfig, failurePolicy, rules, objectSelector: { matchLabels: labels } }] as const;
      });
      await withHooks(
        session,
        () => ({ allowed: true }),
        { validating: Object.fromEntries(hooks) },
        async () => {
          for (const { name, failurePolicy, labels } of reviews) {
            const body = { metadata: { name: "a", labels } };
            await send(`${failurePolicy}: a review with ${name}`, "POST", maps, { body, query: "dryRun=All" });
          }
        },
      );
      for (const [index, { name, caBundle }] of usable.entries()) {
        const plural = `bundles${index}`;
        const crd = definition(group, plural, caBundle);
        const [first] = crd["spec"].versions;
        await quietly("POST", DEFINITIONS, {
          body: { ...crd, spec: { ...crd["spec"], versions: [first, { ...first, name: "v2", storage: false }] } },
        });
        const path = (version: string): string => `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
        // A real server reads its CRDs by a watch.
        const isUnknown = ({ kind, code }: Json): boolean => kind === undefined || code === 404 || code === 429;
        for (let tries = 0; tries < 100 && isUnknown(await quietly("GET", path("v2"))); tries++)
          await new Promise((resolve) => setTimeout(resolve, 100));
        await send(`an empty list with ${name}`, "GET", path("v2"));
        const { status } = await quietly("GET", `${DEFINITIONS}/${plural}.${group}`);
        note(
          `the conditions with ${name}`,
          status.conditions.map(({ type, status: is, reason, message }: Json) => ({ type, status: is, reason, message })),
        );
        const object = { apiVersion: `${group}/v1`, kind: `Bundle${plural}`, metadata: { name: "a" } };
        await send(`create with ${name}`, "POST", path("v1"), { body: object });
        await send(`create in the other version with ${name}`, "POST", path("v2"), {
          body: { ...object, apiVersion: `${group}/v2`, metadata: { name: "b" } },
        });
        await send(`get with ${name}`, "GET", `${path("v1")}/a`);
        await send(`get in the other version with ${name}`, "GET", `${path("v2")}/a`);
        await quietly("DELETE", `${DEFINITIONS}/${plural}.${group}`);
      }
    },
  },
];
