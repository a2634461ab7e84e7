/** `treadle tree --watch`. */
import { Deployment } from "@treadle/apimachinery/kinds";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { runTreadle } from "../src/index.ts";
import { fakeTerminal, type FakeTerminal, kubeconfigOf } from "./fake-terminal.ts";
import { pods } from "./shop.ts";

/** Resolves when the output of a terminal matches. */
function watched(): { onOut(all: string): void; until(pattern: RegExp): Promise<void> } {
  const waits: { pattern: RegExp; done(): void }[] = [];
  let all = "";
  const check = (): void => waits.forEach(({ pattern, done }) => pattern.test(all) && done());
  return {
    onOut(text) {
      all = text;
      check();
    },
    until: (pattern) =>
      new Promise((done) => {
        waits.push({ pattern, done });
        check();
      }),
  };
}

test("tree --watch shows the tree again after each change, until Ctrl-C", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true, https: true });
  const fault = cluster.workloads.pods.fail("ErrImagePull");
  await cluster.create(Deployment, { metadata: { name: "web" }, spec: pods("web") });
  await cluster.settled();
  const { onOut, until } = watched();
  const terminal: FakeTerminal = fakeTerminal({ env: { KUBECONFIG: kubeconfigOf(cluster) }, nowMs: () => cluster.clock.now(), onOut });
  const ended = runTreadle(["tree", "deployment/web", "--watch"], terminal);
  await until(/Pod web-\S+\s+Pending \(ErrImagePull\)/);
  fault.recover();
  await cluster.advance(300_000);
  await cluster.settled();
  await until(/Deployment default\/web\s+Ready/);
  terminal.interrupt();
  expect(await ended).toBe(0);
  expect(terminal.output.err).toBe("");
});

test("tree --watch ends with a message when the object is deleted", { tags: ["memory"] }, async () => {
  await using cluster = await startTestCluster({ workloads: true, https: true });
  await cluster.create(Deployment, { metadata: { name: "web" }, spec: pods("web") });
  await cluster.settled();
  const { onOut, until } = watched();
  const terminal = fakeTerminal({ env: { KUBECONFIG: kubeconfigOf(cluster) }, onOut });
  const ended = runTreadle(["tree", "deployment/web", "--watch"], terminal);
  await until(/Deployment default\/web/);
  await cluster.delete(Deployment, "web");
  expect(await ended).toBe(2);
  expect(terminal.output.err).toMatch(/Deployment default\/web does not exist/);
});
