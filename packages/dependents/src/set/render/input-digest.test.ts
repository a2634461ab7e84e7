import type { KubernetesObject } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { IGNORED_ANNOTATIONS, inputDigest, isSameInputs, seenSetInputs, type SetInputs } from "./input-digest.ts";

interface Owner extends KubernetesObject {
  readonly spec?: unknown;
  readonly data?: unknown;
  readonly status?: unknown;
}

const owner: Owner = {
  apiVersion: "t.treadle.dev/v1",
  kind: "Platform",
  metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion: "1", generation: 1, labels: { l: "1" }, annotations: { a: "1" } },
  spec: { x: 1, y: { b: 1, a: [1, 2] } },
};
const secret = (resourceVersion: string, uid = "s"): object => ({
  metadata: { name: "s", uid, resourceVersion },
  data: { key: resourceVersion },
});
const inputs: SetInputs = {
  object: owner,
  ignored: IGNORED_ANNOTATIONS,
  placement: { namespace: "a", name: undefined },
  policies: { adopt: "never" },
  reads: { license: secret("1"), all: [secret("1"), secret("2", "t")], none: undefined },
  vars: { url: "x", at: new Date(0), nested: { list: [1, { a: 1 }] } },
};
const withOwner = (change: Partial<Owner>, metadata: object = {}): Partial<SetInputs> => ({
  object: { ...owner, ...change, metadata: { ...owner.metadata, ...metadata } } as Owner,
});
const annotated = (...names: readonly string[]): Partial<SetInputs> =>
  withOwner({}, { annotations: { a: "1", ...Object.fromEntries(names.map((name) => [name, "x"])) } });

describe("the digest of the inputs", () => {
  test("has 16 hexadecimal characters", () => {
    expect(inputDigest(inputs)).toMatch(/^[0-9a-f]{16}$/);
  });

  test.for<[string, Partial<SetInputs>]>([
    ["another order of members", withOwner({ spec: { y: { a: [1, 2], b: 1 }, x: 1 } })],
    ["another status", withOwner({ status: { ready: true } })],
    ["another version of the owner", withOwner({}, { resourceVersion: "9", generation: 7, managedFields: [{}] })],
    ["an API version of the owner", withOwner({ apiVersion: "t.treadle.dev/v2" })],
    ["a finalizer of the owner", withOwner({}, { finalizers: ["x"] })],
    ["an annotation of kubectl", annotated("kubectl.kubernetes.io/last-applied-configuration", "kubectl.kubernetes.io/restartedAt")],
    [
      "annotations of Flux",
      annotated("reconcile.fluxcd.io/requestedAt", "kustomize.toolkit.fluxcd.io/prune", "helm.toolkit.fluxcd.io/x", "fluxcd.io/x"),
    ],
    [
      "annotations for the engine",
      annotated("treadle.dev/reconcile-requested-at", "treadle.dev/paused", "platform.t.treadle.dev/step-state"),
    ],
    ["the annotation that switches off events", annotated("platform.t.treadle.dev/disable-events")],
    ["another copy of a read", { reads: { all: [secret("1"), secret("2", "t")], license: { ...secret("1"), other: 1 }, none: undefined } }],
    ["a member that is undefined", { vars: { ...inputs.vars, more: undefined } }],
    ["a function in the vars", { vars: { ...inputs.vars } }],
  ])("is the same for %s", ([, change]) => {
    expect(inputDigest({ ...inputs, ...change })).toBe(inputDigest(inputs));
  });

  test.for<[string, Partial<SetInputs>]>([
    ["spec", withOwner({ spec: { x: 2 } })],
    ["order in a list of the spec", withOwner({ spec: { x: 1, y: { b: 1, a: [2, 1] } } })],
    ["field of an owner without a spec", withOwner({ data: { a: "1" } })],
    ["label", withOwner({}, { labels: { l: "2" } })],
    ["label of kubectl", withOwner({}, { labels: { l: "1", "kubectl.kubernetes.io/x": "1" } })],
    ["annotation", annotated("example.com/x")],
    ["annotation that resembles an ignored one", annotated("my-kubectl.kubernetes.io/x")],
    ["placement", { placement: { namespace: "b" } }],
    ["policy", { policies: { adopt: "force" } }],
    ["version of a read", { reads: { ...inputs.reads, license: secret("2") } }],
    ["uid of a read", { reads: { ...inputs.reads, license: secret("1", "other") } }],
    ["object in a list of reads", { reads: { ...inputs.reads, all: [secret("1")] } }],
    ["read that appears", { reads: { ...inputs.reads, none: secret("1") } }],
    ["var", { vars: { ...inputs.vars, url: "y" } }],
    ["time in the vars", { vars: { ...inputs.vars, at: new Date(1) } }],
    ["value deep in the vars", { vars: { ...inputs.vars, nested: { list: [1, { a: 2 }] } } }],
  ])("is another one for another %s", ([, change]) => {
    expect(inputDigest({ ...inputs, ...change })).not.toBe(inputDigest(inputs));
  });

  test("does not count what has no JSON, and never throws", () => {
    class Api {
      readonly calls = Math.random();
    }
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const odd = (): SetInputs => ({
      ...inputs,
      vars: { api: new Api(), call: () => 1, big: 5n, circle, not: Number.NaN, when: new Date(Number.NaN) },
    });
    expect(inputDigest(odd())).toBe(inputDigest(odd()));
  });
});

describe("inputs of an earlier pass", () => {
  const asker = { owner, handlerNames: ["h"] };
  const seen = seenSetInputs(asker, inputs);
  const changed = (metadata: object): Owner => ({ ...owner, metadata: { ...owner.metadata, ...metadata } });

  test.for<[string, Owner, Partial<SetInputs>, boolean]>([
    ["nothing", owner, {}, true],
    ["the status of the owner", changed({ resourceVersion: "2" }), {}, true],
    ["the generation", changed({ generation: 2, resourceVersion: "2" }), {}, false],
    ["a label", changed({ labels: {} }), {}, false],
    ["an annotation", changed({ annotations: {} }), {}, false],
    ["a read", owner, { reads: { ...inputs.reads, license: secret("2") } }, false],
    ["a var", owner, { vars: {} }, false],
  ])("are compared without a digest: %s differs", ([, object, change, want]) => {
    expect(isSameInputs(seen, { ...asker, owner: object }, { ...inputs, ...change })).toBe(want);
  });

  test("of an owner without a generation are compared by its version", () => {
    const plain = changed({ generation: undefined });
    const before = seenSetInputs({ ...asker, owner: plain }, inputs);
    expect(isSameInputs(before, { ...asker, owner: plain }, inputs)).toBe(true);
    expect(isSameInputs(before, { ...asker, owner: changed({ generation: undefined, resourceVersion: "2" }) }, inputs)).toBe(false);
  });
});
