/**
 * A whole operator behind the proxy, in front of an API server with TLS and credentials: the one in memory, or the real one
 * with client certificates and protobuf. Random faults by a seed; the end is right.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controllerReference, defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createClient, loadConfig } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { type FaultName, startFaultProxy, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";

const Note = defineResource({
  group: "proxied.treadle.dev",
  version: "v1",
  kind: "Note",
  scope: "Namespaced",
  spec: z.object({ text: z.string() }),
  status: z.object({ text: z.string() }).partial(),
});
interface Note extends ObjectOf<typeof Note> {}

/** Keeps a ConfigMap with the text, and has a cleanup, so that there are writes of every sort. */
const notes = handler(Note)
  .step(conditions())
  .step(
    step(Note, {
      name: "page",
      owns: [ConfigMap],
      reads: { page: one(ConfigMap, (note) => `${note.metadata.name}-page`) },
      async do(req) {
        const { text } = req.object.spec;
        if (req.reads.page?.data?.["text"] !== text) {
          const metadata = { name: `${req.object.metadata.name}-page`, ownerReferences: [controllerReference(req.object)] };
          await req.client.apply(ConfigMap, { metadata, data: { text } }, { existing: req.reads.page });
        }
        req.status.text = text;
      },
      cleanup: () => undefined,
    }),
  )
  .build();

const KINDS: readonly FaultName[] = ["reset", "lostResponse", "serverError", "conflict", "tooManyRequests", "duplicateEvents"];
const NAMES = ["a", "b", "c", "d", "e"];

test.for([1, 2, 3])(
  "an operator behind a proxy with random faults of seed %d comes to the right end",
  { timeout: 180_000 },
  async (seed) => {
    const isReal = (process.env["TREADLE_TEST_KUBECONFIG"] ?? "") !== "";
    await using cluster = await startTestCluster({ time: "real", kinds: [Note], ...(isReal ? {} : { https: true }) });
    const folder = mkdtempSync(join(tmpdir(), "treadle-proxy-"));
    const kubeconfig = process.env["TREADLE_TEST_KUBECONFIG"] || join(folder, "config");
    if (!isReal) writeFileSync(kubeconfig, cluster.kubeconfig);
    await using proxy = await startFaultProxy({ target: await loadConfig({ kubeconfig }) });
    const manager = createManager({
      client: (wish) => createClient({ transport: proxy.connect(), ...wish }),
      probes: false,
      metrics: false,
      logLevel: "fatal",
    });
    manager.add(notes);
    const random = proxy.faults.random({ seed, rate: 0.15, faults: KINDS });
    try {
      await manager.start();
      for (const name of NAMES) await cluster.create(Note, { metadata: { name }, spec: { text: "one" } });
      proxy.faults.cutWatches();
      for (const name of NAMES) await cluster.update(Note, name, (note) => void (note.spec.text = `two ${name}`));
      proxy.faults.cutWatches();
      await cluster.delete(Note, "e");
      await expect
        .poll(async () => (await cluster.list(Note)).map(({ metadata, status }) => `${metadata.name}: ${status?.text}`), {
          timeout: 120_000,
        })
        .toEqual(["a: two a", "b: two b", "c: two c", "d: two d"]);
      await expect
        .poll(
          async () =>
            (await cluster.list(ConfigMap, "default"))
              .filter(({ metadata }) => metadata.name.endsWith("-page"))
              .map(({ metadata, data }) => `${metadata.name}: ${data?.["text"]}`),
          { timeout: 60_000 },
        )
        .toEqual(["a-page: two a", "b-page: two b", "c-page: two c", "d-page: two d"]);
      expect(random.hits.length).toBeGreaterThan(0);
    } finally {
      random.remove();
      await manager.stop();
      rmSync(folder, { recursive: true });
    }
  },
);
