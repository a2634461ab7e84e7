/** Replicas in steady state, over a change of the authority, and beside other releases. */
import { X509Certificate } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { changeSecret, grant, OPERATOR } from "./grant.ts";
import { failingCall, servedBy } from "./reader.ts";
import { Secret } from "@treadle/apimachinery/kinds";
import { CA_MS } from "../../src/certificates/plan.ts";
import { deploy, KINDS, NAMES, type Replica, type Rig, rig, SECRET } from "./rig.ts";

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

test("a Secret of type kubernetes.io/tls is filled", async () => {
  const one = await world();
  await deploy(one.client);
  await one.client.delete(Secret, SECRET);
  const data = { "tls.crt": "", "tls.key": "" };
  await one.client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: SECRET, type: "kubernetes.io/tls", data });
  const { certificates } = one.start("a");
  await one.settle();
  expect(certificates.problem()).toBeUndefined();
  expect(await failingCall(one)).toBeUndefined();
});

test("certificates are renewed by the previous authority while a configuration cannot be written", async () => {
  const one = await world({ authorization: "RBAC" });
  await deploy(one.client);
  await grant(one, { configurations: ["get", "list", "watch", "patch"] });
  const first = one.start("a", { as: OPERATOR });
  await one.advance((CA_MS * 2) / 3 - 3 * DAY);
  await end(one, first);
  await grant(one, { configurations: ["get", "list", "watch"] });
  // The authority is replaced in this time, and the configurations do not learn of the new one.
  const served = new Set<string | undefined>();
  const reasons: string[] = [];
  for (let day = 0; day < 100; day++) {
    await one.clock.advance(DAY);
    const replica = one.start("a", { as: OPERATOR });
    await one.settle();
    expect(await failingCall(one)).toBeUndefined();
    // Calls succeed, so the replica is ready.
    expect(replica.certificates.problem()).toBeUndefined();
    served.add(servedBy(replica.certificates));
    reasons.push(...replica.notes.map(({ reason }) => reason));
    await end(one, replica);
  }
  expect(reasons.filter((reason) => reason === "AuthorityCreated")).toHaveLength(1);
  expect(served.size).toBeGreaterThan(1);
  await grant(one, { configurations: ["get", "list", "watch", "patch"] });
  one.start("a", { as: OPERATOR });
  await one.advance(200 * DAY);
  expect(await failingCall(one)).toBeUndefined();
  expect(Object.keys((await one.client.get(Secret, SECRET))?.data ?? {})).not.toContain("ca-previous.crt");
});

test("a replica that missed a change of the authority does not take it out of the bundles", async () => {
  const one = await world();
  await deploy(one.client);
  const failures: unknown[] = [];
  const onWritten = async (): Promise<void> => void failures.push(await failingCall(one));
  let release = (): void => {};
  let gate = Promise.resolve();
  const a = one.start("a", { onWritten });
  const late = one.start("b", { onWritten, beforeEvent: (path) => (path.includes("/secrets") ? gate : Promise.resolve()) });
  await one.settle();
  gate = new Promise((resolve) => (release = resolve));
  await changeSecret(one, (data) => delete data["ca.key"]);
  await one.advance(60_000);
  const generation = (await one.client.get(KINDS.crd, { name: "websites.example.com" }))?.metadata.generation;
  // An event of the configuration makes the late replica look at it with the Secret that it knows.
  await one.client.patch(KINDS.crd, { name: "websites.example.com" }, { type: "merge", body: { metadata: { labels: { a: "b" } } } });
  await one.settle();
  release();
  await one.settle();
  expect(failures.filter((failure) => failure !== undefined)).toEqual([]);
  expect(servedBy(late.certificates)).toBe(servedBy(a.certificates));
  expect((await one.client.get(KINDS.crd, { name: "websites.example.com" }))?.metadata.generation).toBe(generation);
});

test("a certificate gets the names of a new release and keeps those of the old one until its renewal", async () => {
  const one = await world();
  await deploy(one.client);
  const old = one.start("old");
  await one.settle();
  const renamed = one.start("new", { dnsNames: [...NAMES, "renamed.ops.svc"] });
  await one.settle();
  expect(servedBy(renamed.certificates)).toBe(servedBy(old.certificates));
  expect(new X509Certificate(servedBy(old.certificates)!).subjectAltName).toBe(
    [...NAMES, "renamed.ops.svc"].map((name) => `DNS:${name}`).join(", "),
  );
  await end(one, renamed);
  const version = (await one.client.get(Secret, SECRET))?.metadata.resourceVersion;
  await one.advance(DAY);
  expect((await one.client.get(Secret, SECRET))?.metadata.resourceVersion).toBe(version);
});

test("nothing is sent in steady state, and the only timer is that of the next renewal", async () => {
  const one = await world();
  await deploy(one.client);
  const requests: string[] = [];
  one.start("a", { onRequest: ({ method, path }) => void requests.push(`${method} ${path}`) });
  await one.settle();
  expect(one.server.watchCount).toBe(4);
  requests.length = 0;
  const due = one.clock.nextDue() ?? 0;
  expect((due - one.clock.now()) / DAY).toBeGreaterThan(59);
  await one.advance(50 * DAY);
  expect(requests).toEqual([]);
  expect(one.clock.nextDue()).toBe(due);
});

test("a watch that ends and is opened again sends nothing else", async () => {
  const one = await world({ hasEqualTime: true });
  await deploy(one.client);
  const requests: string[] = [];
  one.start("a", {
    onRequest: ({ method, path }) => void requests.push(`${method} ${new URL(path, "http://a").searchParams.get("watch")}`),
  });
  await one.settle();
  requests.length = 0;
  await one.advance(DAY / 8);
  expect(requests.length).toBeGreaterThan(4 * 3 * 5);
  expect(new Set(requests)).toEqual(new Set(["GET true"]));
});

test("a certificate for addresses is accepted for them", async () => {
  const one = await world();
  await deploy(one.client);
  const { certificates } = one.start("a", { dnsNames: ["::1", "127.0.0.1", "localhost"] });
  await one.settle();
  const cert = new X509Certificate(certificates.current.cert);
  expect([cert.checkIP("::1"), cert.checkIP("127.0.0.1"), cert.checkHost("localhost"), cert.checkHost("other")]).toEqual([
    "::1",
    "127.0.0.1",
    "localhost",
    undefined,
  ]);
});

test("hooks and listeners that throw do not end the renewal", async () => {
  const one = await world();
  await deploy(one.client);
  const boom = (): never => {
    throw new Error("boom");
  };
  const { certificates, logs } = one.start("a", { onNote: boom, onRead: boom });
  certificates.onChange(boom);
  await one.advance(100 * DAY);
  expect(await failingCall(one)).toBeUndefined();
  expect(certificates.problem()).toBeUndefined();
  expect(logs).toContain('a listener for certificates threw an error {"error":"boom"}');
});

test("a replica that is stopped ends its watches and timers, and its start is rejected", async () => {
  const one = await world();
  const replica = one.start("a", { secretName: "none", targets: [] });
  await one.settle();
  const waiting = await rig();
  open.push(waiting);
  const early = waiting.start("b");
  await early.certificates.stop();
  expect(await early.started).toEqual(new Error("the certificates were stopped"));
  await replica.certificates.stop();
  await one.settle();
  expect(one.server.watchCount).toBe(0);
  expect(one.clock.nextDue()).toBeUndefined();
});

async function end({ replicas }: Rig, replica: Replica): Promise<void> {
  replicas.delete(replica);
  await replica.certificates.stop();
}
