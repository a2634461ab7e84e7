/** Owners of Kustomize folders that wait for a slot, with the real programs. */
import { fakeClock } from "@treadle/apimachinery";
import { merged, type RenderContext, type Renderer } from "@treadle/dependents";
import { hostOf, isRenderLater, withHost } from "@treadle/dependents/unstable/render";
import { expect, test } from "vitest";
import { inSlot } from "../../src/programs/programs.ts";
import { kustomize } from "../../src/kustomize/kustomize.ts";
import { folder } from "../folder.ts";

/** Owners of one operator whose clock stands still. */
function setUp() {
  const clock = fakeClock();
  const { shared } = hostOf({});
  const woken: string[] = [];
  const of = (key: string): RenderContext => {
    const context = {
      name: key,
      namespace: "ns",
      reads: {},
      vars: {},
      live: {},
      release: { revision: 1, isInstall: true },
      cluster: { version: "v1.36.3", kinds: { has: () => true, all: () => [] } },
      signal: AbortSignal.timeout(50_000),
      log: { debug() {}, info() {}, warn() {}, error() {} } as never, // No test looks at the log.
    };
    return withHost(context, { ...hostOf({}), key, clock, shared, waker: () => () => void woken.push(key), results: new Map() });
  };
  return { of, woken };
}

const owner = { apiVersion: "t.treadle.dev/v1", kind: "Web", metadata: { name: "shop", namespace: "ns" } };
const render = async (renderer: Renderer, context: RenderContext): Promise<"done" | "later"> => {
  try {
    await renderer(owner as never, context); // The renderers use the metadata only.
    return "done";
  } catch (error) {
    if (isRenderLater(error) || isRenderLater((error as Error).cause)) return "later";
    throw error;
  }
};
const mapOf = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

test.for([
  { name: "with a Kustomization", files: { "kustomization.yaml": "resources: [a.yaml]", "a.yaml": mapOf("a") } },
  { name: "without a Kustomization", files: { "a.yaml": mapOf("a") } },
])("owners of a folder $name get their turn at once, though one of them has run the program for all", async ({ files }) => {
  const { of, woken } = setUp();
  const renderer = kustomize(folder(files)) as Renderer;
  const keys = ["a", "b", "c", "d", "e", "f"];
  const contexts = new Map(keys.map((key) => [key, of(key)]));
  const first = await Promise.all(keys.map((key) => render(renderer, of(key))));
  expect(first).toEqual(["done", "done", "later", "later", "later", "later"]);
  for (const key of woken) expect(await render(renderer, contexts.get(key) ?? of(key))).toBe("done");
  expect(woken).toEqual(["c", "d", "e", "f"]);
});

test("a rendering of two folders with templates ends, though each of them waits for a slot", async () => {
  const { of, woken } = setUp();
  const [one, two] = ["one", "two"].map((name) => kustomize(folder({ "a.yaml": mapOf(`${name}-{{ .Values.name }}`) }), { template: true }));
  const renderer = merged(one as Renderer, two as Renderer);
  let end = (): void => undefined;
  const other = inSlot(hostOf(of("other")), [], () => new Promise<void>((resolve) => void (end = resolve)));
  const context = of("shop");
  expect(await render(renderer, context)).toBe("later");
  expect(woken).toEqual(["shop"]);
  expect(await render(renderer, context)).toBe("done");
  end();
  await other;
});
