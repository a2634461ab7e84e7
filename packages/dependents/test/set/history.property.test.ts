/**
 * The end of a set does not depend on its history: after any sequence of desired states, with restarts between and in the middle of
 * them, the objects are those of a fresh owner with the last desired state.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Manifest, object } from "../../src/index.ts";
import { HANDLER, Platform, platform, platforms } from "./platforms.ts";

interface Wish {
  readonly name: string;
  readonly text: string;
  readonly apply: number;
  readonly update: "apply" | "replace" | "recreate";
  readonly isSecret: boolean;
  readonly label: string | undefined;
}

const wish = fc.record({
  name: fc.constantFrom("a", "b", "c", "d"),
  text: fc.constantFrom("one", "two"),
  apply: fc.integer({ min: 0, max: 2 }),
  update: fc.constantFrom("apply", "replace", "recreate"),
  isSecret: fc.boolean(),
  label: fc.constantFrom("x", "y", undefined),
});
const wishes = fc.uniqueArray(wish, { maxLength: 4, selector: ({ name }) => name });

/** One step of a history: a desired state, and how long the operator runs with it before it is replaced. */
const histories = fc.array(
  fc.record({ wishes, runsMs: fc.constantFrom(0, 1, 100, 60_000), restarts: fc.boolean(), drifts: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
);

/** The desired state is in the spec, as text. */
const objects = ({ spec: { text } }: Platform): readonly Manifest[] =>
  (JSON.parse(text) as readonly Wish[]).map(({ name, text: data, apply, update, isSecret, label }) => {
    const metadata = { name, ...(label === undefined ? {} : { labels: { label } }) };
    const policies = { apply, update };
    return isSecret
      ? object(Secret, { metadata, stringData: { [data]: "is secret" } }, policies)
      : object(ConfigMap, { metadata, data: { [data]: "is shown" } }, policies);
  });

const operator = () => platforms({ objects, replaces: true });

/** The objects of the set, without what differs between two owners. */
async function look(cluster: TestCluster): Promise<readonly unknown[]> {
  const found: readonly KubernetesObject[] = [...(await cluster.list(ConfigMap, "default")), ...(await cluster.list(Secret, "default"))];
  return found
    .filter(({ metadata }) => !metadata.name.startsWith("kube"))
    .map(({ kind, metadata: { name, labels = {}, annotations = {} }, ...rest }) => ({
      object: `${kind} ${name}`,
      labels: { ...labels, [`${HANDLER}/owner-id`]: "" },
      annotations: { ...annotations, [`${HANDLER}/applied`]: "" },
      data: (rest as { readonly data?: object }).data,
    }));
}

async function fresh(last: readonly unknown[]): Promise<readonly unknown[]> {
  await using cluster = await startTestCluster({ objects: [platform({ text: JSON.stringify(last) })] });
  const op = await cluster.start(operator());
  await op.settled();
  return await look(cluster);
}

test("the objects of an owner with any history are those of a fresh owner", { tags: ["memory", "part"], timeout: 600_000 }, async ({
  part,
}) => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      await using cluster = await startTestCluster({ objects: [platform({ text: "[]" })] });
      let op = await cluster.start(operator());
      for (const { wishes: next, runsMs, restarts, drifts } of history) {
        await cluster.update(Platform, "a", ({ spec }) => void (spec.text = JSON.stringify(next)));
        if (runsMs > 0) await cluster.advance(runsMs);
        if (restarts) {
          await op.stop();
          op = await cluster.start(operator());
        }
        if (!drifts) continue;
        // A field that is no longer desired stays with a user who has changed it, so the drift comes and is reverted alone.
        await op.settled();
        const [first] = (await cluster.list(ConfigMap, "default")).filter(({ metadata }) => !metadata.name.startsWith("kube"));
        if (first === undefined) continue;
        await cluster.update(ConfigMap, first.metadata.name, (map) => {
          map.data = Object.fromEntries(Object.keys(map.data ?? {}).map((key) => [key, "drifted"]));
        });
        await op.settled();
      }
      await op.settled({ horizonMs: 120_000 });
      expect(await look(cluster)).toEqual(await fresh(history.at(-1)?.wishes ?? []));
      expect((await cluster.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady")?.reason).toBe("Ready");
      // A process that ends writes the counts of repeated events.
      await op.stop();
      cluster.requests.clear();
      op = await cluster.start(operator());
      await op.settled({ horizonMs: 120_000 });
      expect(cluster.requests.writes.map(({ verb, path }) => `${verb} ${path}`)).toEqual([]);
      await cluster.delete(Platform, "a");
      await op.settled({ horizonMs: 120_000 });
      expect(await look(cluster)).toEqual([]);
    }),
    part.runs(120),
  );
});
