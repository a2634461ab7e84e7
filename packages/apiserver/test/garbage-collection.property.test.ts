/**
 * Whatever users do to objects that own each other, and whether or not they wait for the collector between two acts, when it
 * has come to rest:
 *  1. an object that is not being deleted refers only to owners that are there and do not wait for their dependents;
 *  2. an owner that waits in the foreground has a dependent that blocks it;
 *  3. nothing that is being deleted waits to be orphaned.
 * `conformance/random-garbage.ts` compares the same lives with the real collector.
 */
import { seededRandom } from "@treadle/apimachinery";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createApiServer } from "../src/index.ts";
import { actsOf, type Picture, Place } from "./conformance/random/garbage.ts";

test("the collector settles in the expected state", { tags: ["memory", "part"] }, async ({ part }) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 40 }), async (seed, count) => {
      const random = seededRandom(seed);
      const server = createApiServer({ garbageCollection: true });
      const place = new Place(server.transport(), "default");
      for (const act of actsOf(random, count)) {
        await place.act(act);
        if (random.next() < 0.5) await server.settled();
      }
      await server.settled();
      const picture = await place.picture();
      expect(problems(picture), JSON.stringify(picture)).toEqual([]);
      await server.close();
    }),
    part.runs(150),
  );
});

function problems(picture: Picture): readonly string[] {
  const isWaiting = (name: string): boolean =>
    picture[name]?.isDeleting === true && picture[name].finalizers.includes("foregroundDeletion");
  return Object.entries(picture).flatMap(([name, { isDeleting, owners, finalizers }]) => {
    const names = owners.map((owner) => owner.replace("!", ""));
    const lost = names.filter((owner) => !isDeleting && (picture[owner] === undefined || isWaiting(owner)));
    const isBlocked = Object.values(picture).some((other) => other.owners.includes(`${name}!`));
    return [
      ...lost.map((owner) => `${name} refers to ${owner}, which is gone or waits`),
      ...(isWaiting(name) && !isBlocked ? [`${name} waits for nobody`] : []),
      ...(isDeleting && finalizers.includes("orphan") ? [`${name} waits to be orphaned`] : []),
    ];
  });
}
