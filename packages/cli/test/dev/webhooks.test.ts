/** Webhooks of a program under `treadle dev`. */
import { join } from "node:path";
import { kind } from "@treadle/apimachinery";
import { connect, loadConfig } from "@treadle/client";
import { expect, test } from "vitest";
import { Project, SHOP } from "./project.ts";

const Shop = kind({ group: "example.dev", version: "v1", kind: "Shop" });

const WITH_WEBHOOKS = {
  ...SHOP,
  "src/main.ts": `
import { createManager } from "treadle";
import { webhooks, webhookServer } from "treadle/webhooks";
import { Shop, shops } from "./shop.ts";

const shop = webhooks(Shop, {
  fill(spec) { if (!spec.text.endsWith("!")) spec.text += "!"; },
  problems: ({ spec }) => (spec.text === "bad!" ? ["a bad text"] : []),
});
const server = webhookServer([shop], { service: { name: "shops", namespace: "ops" } });
await createManager().add(shops).add(server).run();
`,
};

test("webhooks fill and refuse samples, and those of an edit replace them", { tags: ["memory"] }, async () => {
  await using project = new Project(WITH_WEBHOOKS);
  const dev = project.dev("src/main.ts");
  await dev.next("applied", ({ what }) => what === "sample");
  await dev.next("pass");
  const client = await connect({ config: await loadConfig({ kubeconfig: join(project.folder, ".treadle", "dev.kubeconfig") }) });
  const shopOf = (name: string): Promise<unknown> => client.get(Shop, { name, namespace: "default" });
  expect(await shopOf("a")).toMatchObject({ spec: { text: "hi!" } });
  project.write({ "deploy/samples/b.yaml": SHOP["deploy/samples/a.yaml"].replace("name: a", "name: b").replace("hi", "bad") });
  expect((await dev.next("refused")).message).toContain("a bad text");

  project.edit("src/main.ts", 'spec.text += "!"', 'spec.text += "?!"');
  await dev.next("started");
  // The edit lets the sample pass that was refused.
  await dev.next("applied", ({ object }) => object.name === "default/b");
  expect(await shopOf("b")).toMatchObject({ spec: { text: "bad?!" } });
  await client.close();
});
