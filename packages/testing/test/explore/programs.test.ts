/** The engine's own proof programs explored: an external resource with a create that is not idempotent, and components. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Secret } from "@treadle/apimachinery/kinds";
import { all, conditions, handler, one } from "@treadle/reconcile";
import { type Effects, explore, secret, type Surroundings } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { Cloud } from "../../../reconcile/test/programs/cloud.ts";
import { component } from "../../../reconcile/test/programs/component.ts";
import { external, Volume } from "../../../reconcile/test/programs/external.ts";

/** A cloud that tells of every disk that it makes; ids of attempts are its business here, since they outlive a process. */
class World {
  readonly cloud: Cloud;
  #ids = 0;

  constructor({ clock, effects }: { readonly clock: Surroundings["clock"]; readonly effects: Effects }) {
    this.cloud = new Cloud(clock);
    this.cloud.hook = (verb, when) => {
      if (verb === "create" && when === "before") effects.record("create a disk");
    };
  }

  newId(): string {
    return `attempt-${++this.#ids}`;
  }
}

test("one external resource: one disk for one object whatever fails when, none in the end", { timeout: 60_000 }, async () => {
  const { summary, points } = await explore<World>(
    (world) => external({ cloud: world.cloud, newId: () => world.newId() }),
    {
      world: (given) => new World(given),
      objects: [secret("default/cloud")],
      async run(cluster) {
        await cluster.create(Volume, { metadata: { name: "data" }, spec: { sizeGb: 1, credentials: "cloud" } });
        await cluster.settled();
        await cluster.update(Volume, "data", (volume) => {
          volume.spec.sizeGb = 2;
        });
        await cluster.settled();
      },
      outside: ({ cloud }) => cloud.disks.map(({ sizeGb, isDeleting }) => ({ sizeGb, isDeleting })),
    },
    // A deletion is polled for three minutes, and nothing is written meanwhile.
    { pairs: 20, horizonMs: 240_000 },
  );
  console.info(`external: ${summary}`);
  expect(points).toBeGreaterThan(50);
});

const App = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ image: z.string(), web: z.boolean().default(true) }),
});
interface App extends ObjectOf<typeof App> {}

const parts = (name: string) => ({
  config: (owner: App) => ({ metadata: { name: `${owner.metadata.name}-${name}` }, data: { image: owner.spec.image } }),
  deployment: (owner: App) => ({
    metadata: { name: `${owner.metadata.name}-${name}` },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: owner.spec.image }] } },
    },
  }),
});

const web = component(App, {
  handlerName: "apps.test.treadle.dev",
  name: "web",
  condition: "WebReady",
  reads: {},
  enabled: (app) => app.spec.web,
  parts: (part) => [part(ConfigMap, { desired: parts("web").config }), part(Deployment, { desired: parts("web").deployment })],
});
const api = component(App, {
  handlerName: "apps.test.treadle.dev",
  name: "api",
  condition: "ApiReady",
  reads: { database: one(Secret, () => "database") },
  prerequisite: ({ reads }) => reads.database !== undefined || "no Secret database yet",
  parts: (part) => [part(ConfigMap, { desired: parts("api").config }), part(Deployment, { desired: parts("api").deployment })],
});
const apps = handler(App)
  .step(conditions())
  .step(all("components", [web, api]))
  .build();

test("two components: the same parts whatever fails when", { timeout: 60_000 }, async () => {
  const { summary, points } = await explore(
    apps,
    {
      async run(cluster) {
        await cluster.create(App, { metadata: { name: "a" }, spec: { image: "one" } });
        await cluster.settled();
        await cluster.create(Secret, { metadata: { name: "database" } });
        await cluster.settled();
        await cluster.update(App, "a", (app) => {
          app.spec.image = "two";
          app.spec.web = false;
        });
      },
    },
    // Whether the one that is switched off was ever seen switched on.
    { ignore: [["status", "steps", "web"]] },
  );
  console.info(`components: ${summary}`);
  expect(points).toBeGreaterThan(50);
});
