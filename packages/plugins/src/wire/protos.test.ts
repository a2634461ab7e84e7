import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { newCertificate } from "./certificate.ts";
import { loadProtos } from "./protos.ts";

test("the services have the paths that go-plugin and gRPC serve", async () => {
  const protos = await loadProtos();
  const paths = Object.values(protos).flatMap((service) => Object.values(service as object).map((method: { path: string }) => method.path));
  expect(paths).toEqual([
    "/treadle.capability.v1.Capability/Describe",
    "/treadle.capability.v1.Capability/Plan",
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Watch",
    "/plugin.GRPCStdio/StreamStdio",
    "/plugin.GRPCController/Shutdown",
  ]);
});

test("an optional field that is not set is absent, and one that is false is false", async () => {
  const { capability } = await loadProtos();
  const plan = capability["Plan"];
  if (plan === undefined) throw new Error("no method Plan");
  const sent = { dependents: { dependents: [{ id: "a", object: Buffer.from("{}"), config: { updated: false } }] } };
  expect(plan.responseDeserialize(plan.responseSerialize(sent))).toMatchObject({
    answer: "dependents",
    dependents: { dependents: [{ id: "a", config: { updated: false }, state: null }] },
  });
  const { dependents } = plan.responseDeserialize(plan.responseSerialize(sent)) as { dependents: { dependents: [{ config: object }] } };
  expect(Object.keys(dependents.dependents[0].config)).not.toContain("owned");
});

test("a certificate is for localhost, for client and server, and belongs to its key", async () => {
  const { cert, key } = await newCertificate();
  const certificate = new X509Certificate(cert);
  expect(certificate.subjectAltName).toBe("DNS:localhost");
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
});
