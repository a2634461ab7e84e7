/** dependentApply with a read that goes through another one. */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, through } from "@treadle/reconcile";
import { fakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { dependentApply } from "../src/index.ts";
import { configMap, type Site, Site as SiteKind, site } from "./sites.ts";

const config = one(ConfigMap, (object: Site) => `${object.metadata.name}-config`);
const page = dependentApply(SiteKind, {
  name: "page",
  kind: ConfigMap,
  objectName: (object) => `${object.metadata.name}-page`,
  reads: {
    config,
    secret: one(
      Secret,
      through(config, (map) => map.data?.["secret"]),
    ),
  },
  desired: (_object, { reads }) => ({ data: { text: reads.secret?.data?.["text"] ?? "none" } }),
});
const secret = (name: string, text: string): object => ({ apiVersion: "v1", kind: "Secret", metadata: { name }, data: { text } });

test("a dependent follows the object that another read object names", async () => {
  const world = fakeWorld(handler(SiteKind).step(conditions()).step(page).build(), {
    objects: [site(), configMap("a-config", { secret: "s1" }), secret("s1", "b25l"), secret("s2", "dHdv")],
  });
  const text = async (): Promise<unknown> => {
    await world.settled();
    return (await world.get(ConfigMap, "a-page"))?.data?.["text"];
  };
  expect(await text()).toBe("b25l");
  await world.update(Secret, "s1", (object) => void (object.data = { text: "b25lIQ==" }));
  expect(await text()).toBe("b25lIQ==");
  await world.update(ConfigMap, "a-config", (object) => void (object.data = { secret: "s2" }));
  expect(await text()).toBe("dHdv");
  await world.delete(Secret, "s2");
  expect(await text()).toBe("none");
});
