/** `treadle generate types`: modules of CRDs in files and clusters, and what a user does with them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CustomResourceDefinition } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { conditions, defineResource, dependentApply, handler } from "treadle";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { runTreadle } from "../src/index.ts";
import { fakeTerminal, treadle } from "./fake-terminal.ts";
import { Certificate, type CertificateSpec } from "./kinds/certificates.cert-manager.io.ts";

const CRD = join(import.meta.dirname, "crds", "certificates.yaml");
const MODULE = "certificates.cert-manager.io.ts";
let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), "treadle-types-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function types(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const terminal = fakeTerminal();
  return { code: await runTreadle(["generate", "types", ...args], terminal), ...terminal.output };
}

test("the module of cert-manager's Certificate is as in its file, which is compiled", async () => {
  const { code, out } = await types(CRD, "--out", "-");
  expect(code).toBe(0);
  await expect(out).toMatchFileSnapshot(`kinds/${MODULE}`);
});

test("a kind of a module is used as any other kind", { tags: ["memory"] }, async () => {
  expectTypeOf<Certificate["status"]>().toExtend<{ readonly notAfter?: string } | undefined>();
  // @ts-expect-error an issuer needs a name
  const wrong: CertificateSpec = { secretName: "a", issuerRef: {} };
  expect(wrong).toBeDefined();
  const Site = defineResource({
    group: "example.dev",
    version: "v1",
    kind: "Site",
    scope: "Namespaced",
    dependents: true,
    stepState: true,
    spec: z.object({}),
    status: z.object({}),
  });
  const certificate = dependentApply(Site, {
    name: "certificate",
    kind: Certificate,
    desired: ({ metadata }) => ({
      spec: {
        secretName: metadata.name,
        dnsNames: ["a.example.com"],
        issuerRef: { name: "ca" },
        privateKey: { algorithm: "ECDSA" as const },
      },
    }),
  });
  await using cluster = await startTestCluster({ objects: [parse(readFileSync(CRD, "utf8")) as object] });
  const operator = await cluster.start(handler(Site).step(conditions()).step(certificate).build());
  await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
  await operator.settled();
  const made = await cluster.get(Certificate, "a");
  expect(made?.spec?.privateKey?.algorithm).toBe("ECDSA");
});

test("modules are written, checked, and written again when they are stale", async () => {
  const out = join(dir, "written");
  expect(await types(CRD, "--out", out, "--check")).toMatchObject({ code: 1, out: expect.stringContaining(`missing  ${MODULE}`) });
  expect(await types(CRD, "--out", out)).toMatchObject({ code: 0, out: expect.stringContaining(`written  ${MODULE}`) });
  expect(await types(CRD, "--out", out, "--check")).toMatchObject({ code: 0, out: `${out} is up to date: 1 file.\n` });
  const file = join(out, MODULE);
  writeFileSync(file, `${readFileSync(file, "utf8")}// more\n`);
  const { code, out: text } = await types(CRD, "--out", out, "--check", "-o", "json");
  expect([code, JSON.parse(text).files]).toEqual([1, [{ path: MODULE, state: "stale", isAccepted: false }]]);
  await types(CRD, "--out", out);
  expect((await types(CRD, "--out", out, "--check")).code).toBe(0);
});

test("modules of other runs stay, and files of the user are not overwritten", async () => {
  const out = join(dir, "other");
  await types(CRD, "--out", out);
  const other = join(dir, "gadgets.json");
  const crd = parse(readFileSync(CRD, "utf8").replaceAll("cert-manager.io", "example.dev")) as object;
  writeFileSync(other, JSON.stringify(crd));
  expect((await types(other, "--out", out)).code).toBe(0);
  expect(readFileSync(join(out, MODULE), "utf8")).toContain("cert-manager.io");
  writeFileSync(join(out, MODULE), "export const mine = 1;\n");
  const { code, err } = await types(CRD, "--out", out);
  expect([code, err]).toEqual([2, expect.stringContaining(`nothing was written: ${join(out, MODULE)} was not generated`)]);
  expect(readFileSync(join(out, MODULE), "utf8")).toBe("export const mine = 1;\n");
});

test("the CRDs of a cluster are found by the words of kubectl", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ https: true, objects: [parse(readFileSync(CRD, "utf8")) as object] });
  expect(await cluster.get(CustomResourceDefinition, "certificates.cert-manager.io")).toBeDefined();
  const file = await types(CRD, "--out", "-");
  for (const word of ["certificates", "cert", "Certificate", "certificates.v1.cert-manager.io"])
    expect((await treadle(cluster, `generate types --from-cluster ${word} --out -`)).out, word).toContain(
      "export const Certificate = kind<",
    );
  expect(file.out).toContain("export const Certificate = kind<");
  const { code, err } = await treadle(cluster, "generate types --from-cluster certificats --out -");
  expect([code, err]).toEqual([2, expect.stringContaining('the cluster has no CRD of "certificats": did you mean certificate')]);
});

test.for([
  { args: [], says: /name files of CRDs, or use --from-cluster/ },
  { args: ["no.yaml"], says: /cannot read no\.yaml: it does not exist/ },
  { args: [CRD, "--out", CRD], says: /is a file: name a folder with --out/ },
  { args: [CRD, "--out", "-", "--check"], says: /--out - prints modules/ },
  { args: ["--from-cluster", "--kubeconfig", "/nowhere/config"], says: /\/nowhere\/config/ },
])("$args is refused", async ({ args, says }) => {
  const { code, err } = await types(...args);
  expect([code, err]).toEqual([2, expect.stringMatching(says)]);
});
