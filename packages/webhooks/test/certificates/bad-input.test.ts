/** What is wrong in the Secret, the configurations or the rights: the message, and that calls go on. */
import { afterEach, expect, test } from "vitest";
import { changeSecret, type Data, grant, OPERATOR, text } from "./grant.ts";
import { failingCall, servedBy } from "./reader.ts";
import { seededRandom } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { makeAuthority } from "../../src/certificates/issue.ts";
import { CA_MS } from "../../src/certificates/plan.ts";
import { configuration, crd, deploy, KINDS, MANIFESTS, type Rig, rig, SECRET } from "./rig.ts";

const DAY = 24 * 60 * 60 * 1000;
const open: Rig[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

async function world(options: Parameters<typeof rig>[0] = {}): Promise<Rig> {
  const made = await rig(options);
  open.push(made);
  return made;
}

const FAULTS: readonly { name: string; change: (data: Data) => unknown; message: string; isCaLost: boolean }[] = [
  { name: "a Secret without ca.key", change: (data) => delete data["ca.key"], message: "ca.key is missing", isCaLost: true },
  { name: "a Secret without ca.crt", change: (data) => delete data["ca.crt"], message: "ca.crt is missing", isCaLost: true },
  {
    name: "half a CA key",
    change: (data) => (data["ca.key"] = data["ca.key"]!.slice(0, 100)),
    message: "ca.key contains no ECDSA key on P-256",
    isCaLost: true,
  },
  {
    name: "garbage as CA certificate",
    change: (data) => (data["ca.crt"] = text("garbage")),
    message: "ca.crt contains no authority",
    isCaLost: true,
  },
  {
    name: "a CA key of another certificate",
    change: async (data) => void (data["ca.key"] = text((await makeAuthority(0)).key)),
    message: "ca.key does not fit ca.crt",
    isCaLost: true,
  },
  {
    name: "an expired CA",
    change: async (data) => {
      const { cert, key } = await makeAuthority(Date.UTC(2026, 0, 1) - CA_MS - DAY);
      Object.assign(data, { "ca.crt": text(cert), "ca.key": text(key) });
    },
    message: "no authority of the Secret signed tls.crt",
    isCaLost: true,
  },
  {
    name: "a Secret whose data was removed",
    change: (data) => void Object.keys(data).forEach((key) => delete data[key]),
    message: "its data was removed",
    isCaLost: true,
  },
  {
    name: "half a serving key",
    change: (data) => (data["tls.key"] = data["tls.key"]!.slice(0, 80)),
    message: "tls.key contains no ECDSA key on P-256",
    isCaLost: false,
  },
  {
    name: "a serving key of another certificate",
    change: async (data) => void (data["tls.key"] = text((await makeAuthority(0)).key)),
    message: "tls.key does not fit tls.crt",
    isCaLost: false,
  },
  {
    name: "a serving certificate of another authority",
    change: async (data) => {
      const { cert, key } = await makeAuthority(Date.UTC(2026, 0, 1));
      Object.assign(data, { "tls.crt": text(cert), "tls.key": text(key) });
    },
    message: "no authority of the Secret signed tls.crt",
    isCaLost: false,
  },
];

test.for(FAULTS)("$name is replaced with an event, and no call fails meanwhile", async ({ change, message, isCaLost }) => {
  const one = await world();
  await deploy(one.client);
  const failures: unknown[] = [];
  const onWritten = async (): Promise<void> => void failures.push(await failingCall(one));
  const lag = seededRandom(5);
  const a = one.start("a", { onWritten, lag });
  const b = one.start("b", { onWritten, lag });
  await one.advance(DAY);
  const before = servedBy(a.certificates);
  await changeSecret(one, change);
  // A third replica, which has nothing in memory, may be the first to find it.
  const c = one.start("c", { onWritten, lag });
  await one.advance(60_000);
  const replicas = [a, b, c];
  const notes = replicas.flatMap(({ notes }) => notes);
  expect(notes.find((note) => note.message.includes(message))).toMatchObject(
    isCaLost ? { type: "Warning", reason: "CertificatesReplaced" } : { type: "Normal", reason: "CertificateIssued" },
  );
  expect(servedBy(a.certificates)).not.toBe(before);
  expect(new Set(replicas.map(({ certificates }) => servedBy(certificates))).size).toBe(1);
  expect(replicas.map(({ certificates }) => certificates.problem())).toEqual([undefined, undefined, undefined]);
  expect(failures.filter((failure) => failure !== undefined)).toEqual([]);
  const secret = await one.client.get(Secret, SECRET);
  expect(Object.keys(secret?.data ?? {})).toContain(isCaLost ? "ca-previous.crt" : "tls.crt");
  await one.advance(100 * DAY);
  expect(await failingCall(one)).toBeUndefined();
  expect(Object.keys((await one.client.get(Secret, SECRET))?.data ?? {}).sort()).toEqual(["ca.crt", "ca.key", "tls.crt", "tls.key"]);
  expectNoKey(
    replicas.flatMap(({ logs, notes }) => [...logs, ...notes.map((note) => note.message)]),
    secret!,
  );
});

/** No line of any private key is in the texts. */
function expectNoKey(texts: readonly string[], { data = {} }: Secret): void {
  const keys = Object.entries(data).flatMap(([key, value]) =>
    key.endsWith(".key") ? [value, Buffer.from(value, "base64").toString()] : [],
  );
  const parts = keys.flatMap((key) => key.split("\n")).filter((line) => line.length > 20 && !line.startsWith("-----"));
  expect(texts.filter((line) => parts.some((part) => line.includes(part)))).toEqual([]);
}

test("a Secret that another program breaks again and again is replaced with growing pauses", async () => {
  const one = await world();
  await deploy(one.client);
  const a = one.start("a");
  await one.settle();
  for (let n = 0; n < 600; n++) {
    await changeSecret(one, (data) => void (data["ca.crt"] = text("garbage")));
    await one.advance(1000);
  }
  expect(a.notes.filter(({ reason }) => reason === "CertificatesReplaced").length).toBeLessThan(20);
});

test("two operators do not share a Secret: the second says so and writes nothing", async () => {
  const one = await world();
  await deploy(one.client);
  const first = one.start("a");
  await one.settle();
  const version = (await one.client.get(Secret, SECRET))?.metadata.resourceVersion;
  const second = one.start("b", { name: "other-operator", targets: [] });
  await one.advance(DAY);
  expect(second.certificates.problem()).toBe(
    'Secret ops/website-operator-webhooks contains the certificates of the operator "website-operator": give this operator another secretName, or delete the Secret to take the name over; there is no serving certificate yet',
  );
  expect(first.certificates.problem()).toBeUndefined();
  expect((await one.client.get(Secret, SECRET))?.metadata.resourceVersion).toBe(version);
});

test("two installations that write the same configurations do so with growing pauses, and both name it", async () => {
  const one = await world();
  await deploy(one.client);
  const requests: string[] = [];
  const onRequest = ({ method, path }: { method: string; path: string }): void => void (method === "PATCH" && requests.push(path));
  const problems = new Set<string | undefined>();
  const a = one.start("a", { onRequest });
  const b = one.start("b", { onRequest, name: "second", secretName: "second" });
  for (let minute = 0; minute < 60; minute++) {
    await one.advance(60_000);
    for (const { certificates } of [a, b]) problems.add(certificates.problem());
  }
  expect(requests.length).toBeLessThan(200);
  expect([...problems].join()).toContain(
    "MutatingWebhookConfiguration website-operator does not contain the operator's CA yet: another program, such as a second installation of the operator, replaces it",
  );
});

test("a configuration that does not exist is named, and gets the CA when it is created", async () => {
  const one = await world();
  const { validating, ...rest } = MANIFESTS;
  await deploy(one.client, rest);
  const { certificates } = one.start("a");
  await one.settle();
  expect(certificates.problem()).toBe(
    "ValidatingWebhookConfiguration website-operator does not exist: apply the manifests of the operator",
  );
  await deploy(one.client, { validating });
  await one.settle();
  expect(certificates.problem()).toBeUndefined();
  expect(await failingCall(one)).toBeUndefined();
  await one.client.delete(KINDS.validating, { name: "website-operator" });
  await one.settle();
  expect(certificates.problem()).toContain("does not exist");
  // The API server makes no call for it, so no replica may leave the Service.
  expect(certificates.failure()).toBeUndefined();
});

test("a configuration without one of the entries, and a CRD without a conversion, are named", async () => {
  const one = await world();
  await deploy(one.client, { secret: MANIFESTS.secret, validating: MANIFESTS.validating });
  await one.client.apply(KINDS.mutating, configuration("MutatingWebhookConfiguration", ["a.example.com"]), { fieldManager: "deployer" });
  await one.client.apply(KINDS.crd, crd(false), { fieldManager: "deployer" });
  const { certificates } = one.start("a");
  await one.settle();
  expect(certificates.problem()).toBe(
    "MutatingWebhookConfiguration website-operator has no webhook b.example.com: apply the manifests of this version of the operator; CustomResourceDefinition websites.example.com has no conversion webhook: apply the manifests of this version of the operator",
  );
  expect(certificates.failure()).toBeUndefined();
  expect(await failingCall(one)).toBeUndefined();
});

test("without createSecret a Secret that does not exist is not created, and is filled when it is applied", async () => {
  const one = await world();
  const { secret, ...rest } = MANIFESTS;
  await deploy(one.client, rest);
  const { certificates } = one.start("a", { createSecret: false });
  await one.advance(60 * 60_000);
  expect(await one.client.get(Secret, SECRET)).toBeUndefined();
  expect(certificates.problem()).toContain("Secret ops/website-operator-webhooks does not exist, and the operator may not create it");
  await deploy(one.client, { secret });
  await one.settle();
  expect(certificates.problem()).toBeUndefined();
  expect(await failingCall(one)).toBeUndefined();
});

test("a Secret that does not exist and may not be created is named, with what to do", async () => {
  const one = await world({ authorization: "RBAC" });
  const { secret, ...rest } = MANIFESTS;
  await deploy(one.client, rest);
  await grant(one, { configurations: ["get", "list", "watch", "patch"] });
  const { certificates, logs } = one.start("a", { as: OPERATOR });
  await one.advance(1000);
  expect(certificates.problem()).toContain(
    "Secret ops/website-operator-webhooks does not exist, and the operator may not create it: apply the manifests of webhookManifests, which contain the Secret, or set createSecret: true in them and in webhookServer",
  );
  expect(logs.filter((line) => line.startsWith("cannot keep"))).toHaveLength(1);
  await deploy(one.client, { secret });
  await one.advance(5 * 60_000);
  expect(certificates.problem()).toBeUndefined();
});

test("a missing right to patch is named by its rule, and nothing else is needed after it is granted", async () => {
  const one = await world({ authorization: "RBAC" });
  await deploy(one.client);
  await grant(one, { configurations: ["get", "list", "watch"] });
  const { certificates } = one.start("a", { as: OPERATOR });
  await one.advance(1000);
  expect(certificates.problem()).toContain(
    'allow it by the RBAC rule { apiGroups: ["admissionregistration.k8s.io"], resources: ["mutatingwebhookconfigurations"], verbs: ["patch"] } in a ClusterRole',
  );
  // No call fails by the certificate: without the CA it has failed before.
  expect(servedBy(certificates)).toBeDefined();
  expect(certificates.failure()).toContain("MutatingWebhookConfiguration website-operator does not contain the operator's CA yet");
  await grant(one, { configurations: ["get", "list", "watch", "patch"] });
  await one.advance(5 * 60_000);
  expect(certificates.problem()).toBeUndefined();
  expect(await failingCall(one)).toBeUndefined();
});

test("a CRD that cannot be written does not keep the configurations from the first certificate", async () => {
  const one = await world({ authorization: "RBAC" });
  await deploy(one.client);
  await grant(one, { configurations: ["get", "list", "watch", "patch"], definitions: ["get", "list", "watch"] });
  const first = one.start("a", { as: OPERATOR });
  const second = one.start("b", { as: OPERATOR });
  await one.advance(1000);
  await Promise.all([first.started, second.started]);
  const served = servedBy(first.certificates);
  expect(served).toBeDefined();
  expect(servedBy(second.certificates)).toBe(served);
  expect(first.certificates.failure()).toMatch(/^CustomResourceDefinition websites.example.com does not contain the operator's CA yet: /);
  expect(first.certificates.failure()).not.toContain("Configuration website-operator");
  await grant(one, { configurations: ["get", "list", "watch", "patch"] });
  await one.advance(5 * 60_000);
  expect(first.certificates.problem()).toBeUndefined();
  expect(servedBy(first.certificates)).toBe(served);
  expect(await failingCall(one)).toBeUndefined();
});

test("a missing right to watch is named by its rule", async () => {
  const one = await world({ authorization: "RBAC" });
  await deploy(one.client);
  await grant(one, { configurations: ["get", "patch"] });
  const { certificates } = one.start("a", { as: OPERATOR });
  await one.advance(1000);
  expect(certificates.problem()).toMatch(/resources: \["validatingwebhookconfigurations"\], verbs: \["list"\]/);
});

test("a name that no certificate can have is an error that names it, and not an endless renewal", async () => {
  const one = await world();
  await deploy(one.client);
  const { certificates, logs } = one.start("a", { dnsNames: [""] });
  await one.advance(DAY);
  expect(servedBy(certificates)).toBeUndefined();
  expect(logs.filter((line) => line.includes("neither a host name nor an address"))).toHaveLength(1);
});
