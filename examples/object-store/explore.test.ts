/** Injects each kind of fault at each point of a user's story. All runs must reach the same end state, in the cluster and in the store. */
import { explore } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { storeOperator } from "./controller.ts";
import { Bucket, StoreConfig, User } from "./kinds.ts";
import { CONNECTION } from "./story.ts";
import { Store } from "./store.ts";

/** One of so many points is explored in `npm test`. */
const SHARE = 32;

/** The number of creates, and what follows from it: the id of the user. Passwords are random. */
const IGNORED = [
  ["metadata", "annotations", "treadle.dev/external-name"],
  ["metadata", "annotations", "treadle.dev/created-by"],
  ["status", "externalName"],
  ["status", "steps", "user"],
  ["status", "steps", "bucket"],
  ["data"],
];

const isReady = (object: Bucket | User | undefined): boolean =>
  object?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;

test("a bucket and its user reach the same end state after every single fault", {
  tags: ["memory", "part"],
  timeout: 1_800_000,
}, async ({ part }) => {
  const { summary, points } = await explore(
    (store: Store) => {
      const { buckets, users, configs } = storeOperator({ fetch: store.fetch });
      return [buckets, users, configs];
    },
    {
      objects: CONNECTION,
      kinds: [StoreConfig],
      external: ({ clock, effects }) =>
        new Store({ now: () => clock.now(), createMs: 3_000, visibleAfterMs: 1_000, onChange: (what) => effects.record(what) }),
      async run(cluster) {
        await cluster.create(User, { metadata: { name: "player" }, spec: { bucket: "films" } });
        await cluster.create(Bucket, { metadata: { name: "films" }, spec: { region: "north" } });
        await cluster.settled();
        await cluster.update(Bucket, "films", ({ spec }) => void (spec.quotaGb = 9));
        await cluster.update(User, "player", ({ spec }) => void (spec.readOnly = true));
        await cluster.settled();
        cluster.external.buckets.delete("default-films");
        await cluster.advance(70_000);
      },
      // Everything that costs money. After the deletion nothing of it may be left.
      externalState: ({ buckets, users }) => ({
        buckets: [...buckets.values()].map(({ name, versioning, quotaGb }) => ({ name, versioning, quotaGb })),
        users: [...users.values()].map(({ bucket, readOnly }) => ({ bucket, readOnly })),
      }),
      checkEffects: () => [],
      check: async (cluster) => {
        expect(isReady(await cluster.get(Bucket, "films"))).toBe(true);
        expect(isReady(await cluster.get(User, "player"))).toBe(true);
        expect(cluster.external.users.size).toBe(1);
      },
    },
    { points: ({ id }) => id === "crash@0" || part.has(id, SHARE), pairs: part.isWhole ? 200 : 4, horizonMs: 400_000, ignore: IGNORED },
  );
  console.info(`object-store: ${summary}`);
  expect(points).toBeGreaterThan(part.isWhole ? 200 : 3);
});
