/** The short form of `npm run test:e2e -- --only failover`: real processes over TLS, before the in-memory API server. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalCluster } from "@treadle/apiserver";
import { expect, test } from "vitest";
import { type Entry, violations } from "./audit.ts";
import { runFailover } from "./failover.ts";

test("processes take over from each other in time, and never write without the lease", { tags: ["part"], timeout: 180_000 }, async ({
  part,
}) => {
  const folder = await mkdtemp(join(tmpdir(), "treadle-failover-"));
  try {
    const kubeconfig = join(folder, "kubeconfig");
    await using _cluster = await startLocalCluster({ kubeconfig, controllers: false });
    const rounds = part.pick(["SIGTERM", "SIGKILL", "SIGSTOP"] as const);
    const { problems, takeovers, writes } = await runFailover({ kubeconfig, rounds });
    expect(problems).toEqual([]);
    expect(takeovers).toHaveLength(rounds.length);
    expect(writes).toBeGreaterThan(3 * rounds.length);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the history of a cluster shows who wrote without holding the lease", () => {
  const entry = (version: number, type: Entry["type"], who: string): Entry => ({ version: BigInt(version), type, who, at: 0 });
  const history = [
    entry(1, "lease", "a"),
    entry(2, "write", "a"),
    entry(4, "write", "b"),
    entry(3, "lease", "b"),
    entry(5, "lease", ""),
    entry(7, "write", "b"),
    entry(6, "lease", "a"),
  ];
  expect(violations(history.slice(0, 5))).toEqual([]);
  expect(violations(history)).toEqual(["b wrote version 7 while a held the lease"]);
});
