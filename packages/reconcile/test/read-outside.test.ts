/** Reads for one object outside of a pass: the code and the rules are those of a step. */
import { kind, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { many, one, through } from "../src/index.ts";
import { type ReadSources, resolveReads } from "../src/unstable/engine.ts";

const object: KubernetesObject = { apiVersion: "v1", kind: "Widget", metadata: { name: "w", namespace: "ns" } };
const boom = new Error("boom");

type Got = (ref: { readonly name: string; readonly namespace?: string }) => unknown;

/** Sources that know these objects, and record what is asked. */
function sources(
  given: Partial<ReadSources> & { readonly cached?: Got; readonly live?: Got } = {},
): ReadSources & { readonly asked: string[] } {
  const { cached = () => undefined, live = () => undefined, ...rest } = given;
  const asked: string[] = [];
  return {
    where: "the webhook of Widget",
    log: { warn() {} },
    signal: new AbortController().signal,
    asked,
    cache: {
      get: (of: { kind: string }, ref: { name: string }) => (asked.push(`cache ${of.kind} ${ref.name}`), cached(ref)),
      list: (of: { kind: string }, options: object) => (
        asked.push(`cache ${of.kind}s ${JSON.stringify(options)}`), [cached({ name: "listed" })]
      ),
    },
    client: {
      get: async (of: { kind: string }, ref: { name: string }) => (asked.push(`get ${of.kind} ${ref.name}`), live(ref)),
    },
    ...rest,
  } as unknown as ReadSources & { readonly asked: string[] }; // Only these calls are made.
}

const named = ({ name }: { readonly name: string }): object => ({ metadata: { name, namespace: "ns", resourceVersion: "1" } });

test("values come from the cache, and from the server where a step would ask it", async () => {
  const given = sources({ cached: named, live: ({ name }) => ({ ...named({ name }), data: { a: "b" } }) });
  const config = one(ConfigMap, () => "config");
  const reads = {
    config,
    next: one(
      ConfigMap,
      through(config, ({ metadata }) => `${metadata.name}-2`),
    ),
    all: many(ConfigMap, () => ({ matchLabels: { app: "a" } })),
    secret: one(Secret, () => "secret"),
    fresh: one(ConfigMap, () => "fresh", { live: true }),
    none: one(ConfigMap, () => undefined),
  };
  const values = await resolveReads(reads, object, given);
  expect(values.config?.metadata.name).toBe("config");
  expect(values.next?.metadata.name).toBe("config-2");
  expect(values.all.map(({ metadata }) => metadata.name)).toEqual(["listed"]);
  expect(values.secret).toMatchObject({ data: { a: "b" } });
  expect(values.none).toBeUndefined();
  expect(given.asked.toSorted()).toEqual(
    [
      "cache ConfigMap config",
      "cache ConfigMap config-2",
      'cache ConfigMaps {"matchLabels":{"app":"a"},"namespace":"ns"}',
      "cache Secret secret",
      "cache ConfigMap fresh",
      "get ConfigMap fresh",
      "get Secret secret",
    ].toSorted(),
  );
});

test("an object that is not stored yet needs no uid and no name", async () => {
  const created = { apiVersion: "v1", kind: "Widget", metadata: { generateName: "w-", namespace: "ns" } } as unknown as KubernetesObject;
  const { config } = await resolveReads({ config: one(ConfigMap, () => "a") }, created, sources({ cached: named }));
  expect(config?.metadata.name).toBe("a");
});

describe("an error", () => {
  const Gadget = kind({ group: "example.com", version: "v1", kind: "Gadget", scope: "Namespaced" });

  test("of the author's function names what reads, and the read", async () => {
    const fails = one(ConfigMap, () => {
      throw boom;
    });
    await expect(resolveReads({ fails }, object, sources())).rejects.toMatchObject({
      message: 'the webhook of Widget, read "fails": boom',
      cause: boom,
    });
  });

  test("says that a kind is not installed, unless the read skips it", async () => {
    const given = (): ReadSources => sources({ isServed: () => false });
    await expect(resolveReads({ gadget: one(Gadget, () => "a") }, object, given())).rejects.toThrow(
      "Gadget (example.com/v1) is not installed, and the webhook of Widget needs it",
    );
    expect(await resolveReads({ gadget: one(Gadget, () => "a", { ifNotServed: "skip" }) }, object, given())).toEqual({ gadget: undefined });
  });

  test("says that the watch of a kind is refused", async () => {
    const given = sources({ refusalOf: () => "the operator may not list gadgets" });
    await expect(resolveReads({ gadget: one(Gadget, () => "a") }, object, given)).rejects.toThrow(
      "the webhook of Widget cannot read: the operator may not list gadgets",
    );
  });

  test("of the server is not changed", async () => {
    const live = (): never => {
      throw boom;
    };
    await expect(resolveReads({ live: one(ConfigMap, () => "a", { live: true }) }, object, sources({ live }))).rejects.toBe(boom);
  });

  test("is the reason of the signal, also while a request does not end", async () => {
    const ending = new AbortController();
    const resolving = resolveReads(
      { live: one(ConfigMap, () => "a", { live: true }) },
      object,
      sources({ live: () => new Promise(() => {}), signal: ending.signal }),
    );
    ending.abort(boom);
    await expect(resolving).rejects.toBe(boom);
    await expect(resolveReads({}, object, sources({ signal: ending.signal }))).rejects.toBe(boom);
  });
});
