/**
 * A session with kubectl. `session.txt` contains its recorded output on a real server, and the in-memory server gives the
 * same output. With TREADLE_TEST_KUBECONFIG the session runs on a real server, and `vitest -u` records it again.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeCertificates } from "../../src/front/certificates.ts";
import { type LocalCluster, startLocalCluster } from "../../src/index.ts";
import { BUILT_IN_COMMANDS, BUILT_IN_NAMESPACE, OUTSIDE } from "./built-in-session.ts";
import { transcriptOf } from "./play.ts";
import { findKubectl, startKubectl } from "./programs.ts";
import { COMMANDS, DEFINITION, NAMESPACE } from "./session.ts";

const program = findKubectl();
let home = "";
let kubeconfig = process.env["TREADLE_TEST_KUBECONFIG"] ?? "";
let cluster: LocalCluster | undefined;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "kubectl-"));
  const { server } = await makeCertificates(["example.com"]);
  await writeFile(join(home, "tls.crt"), server.certPem);
  await writeFile(join(home, "tls.key"), server.keyPem);
  if (kubeconfig !== "") {
    // Objects that an interrupted run has left.
    for (const what of [`ns/${NAMESPACE}`, `crd/${DEFINITION}`, `ns/${BUILT_IN_NAMESPACE}`, ...OUTSIDE])
      await startKubectl(program ?? "", ["delete", what, "--ignore-not-found"], { kubeconfig, home }).ended;
    return;
  }
  kubeconfig = join(home, "kubeconfig");
  cluster = await startLocalCluster({ kubeconfig });
});
afterAll(async () => {
  await cluster?.close();
  await rm(home, { recursive: true });
});

test.skipIf(program === undefined)("kubectl prints what it prints on a real server", { timeout: 180_000 }, async () => {
  const stage = { program: program ?? "", kubeconfig, home };
  await expect(await transcriptOf(COMMANDS, { ...stage, namespace: NAMESPACE })).toMatchFileSnapshot("session.txt");
});

test.skipIf(program === undefined)(
  "kubectl makes and keeps what comes with Kubernetes as on a real server",
  { timeout: 300_000 },
  async () => {
    const stage = { program: program ?? "", kubeconfig, home, files: join(import.meta.dirname, "files") };
    await expect(await transcriptOf(BUILT_IN_COMMANDS, { ...stage, namespace: BUILT_IN_NAMESPACE })).toMatchFileSnapshot(
      "session-built-in.txt",
    );
  },
);

test.runIf(program === undefined)(
  "the session with kubectl was not run: there is no kubectl in the control plane's folder or on PATH",
  { tags: ["memory"] },
  () => {
    console.warn("the session with kubectl was not run: `node tools/controlplane/main.ts build` makes one");
  },
);
