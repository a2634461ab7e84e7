import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { KubernetesObject } from "@treadle/apimachinery";
import { type Edit, edited, type Manifest, manifests, type RenderContext } from "@treadle/dependents";
import { describe, expect, onTestFinished, test } from "vitest";
import { editObjects, editParameters } from "./calls.ts";
import { images } from "./images.ts";
import { labels } from "./labels.ts";
import { namespace } from "./namespace.ts";
import { mergeParameters } from "./parameters.ts";
import { patch } from "./patch.ts";
import { substitute } from "./substitute.ts";

const owner = { apiVersion: "t.treadle.dev/v1", kind: "Shop", metadata: { name: "a", labels: { tier: "gold" } } };
const context = { name: "a", namespace: "ns", reads: {}, vars: {}, signal: new AbortController().signal } as unknown as RenderContext;
const map = (name: string, data?: object): Manifest =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...(data === undefined ? {} : { data }) }) as Manifest;
const web = (...containers: readonly object[]): Manifest =>
  ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { template: { spec: { containers } } } }) as Manifest;

/** Freezes an object, so that an edit that changes it fails. */
function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
const run = async (objects: readonly Manifest[], ...edits: readonly Edit[]): Promise<readonly Manifest[]> =>
  await edited(() => frozen(objects), ...edits)(owner, context);
const message = async (objects: readonly Manifest[], edit: Edit): Promise<string> =>
  await run(objects, edit).then(
    () => "no error",
    (error: unknown) => (error as Error).message,
  );

describe("substitute", () => {
  const all = substitute({}, { A: "x", EMPTY: "", N: 3, ON: true });

  test.for<[string, unknown]>([
    ["${A}", "x"],
    ["a-${A}-${A}", "a-x-x"],
    ["${A:-y}", "x"],
    ["${B:-y}", "y"],
    ["${EMPTY:-y}", "y"],
    ["${B:-}", ""],
    ["${EMPTY}", ""],
    ["$$", "$"],
    ["$${A}", "${A}"],
    ["$$${A}", "$x"],
    ["$A and $(A)", "$A and $(A)"],
    ["${N}", 3],
    ["n=${N}", "n=3"],
    ["${ON}", true],
  ])("makes of %s the value %s", async ([text, value]) => {
    expect(await run([map("m", { a: text, b: [{ c: text }] })], all)).toEqual([map("m", { a: value, b: [{ c: value }] })]);
  });

  test("changes only the objects that are selected, with variables of the owner", async () => {
    const edit = substitute(
      (each) => each.metadata.name === "b",
      (shop: KubernetesObject) => ({ TIER: shop.metadata.labels?.["tier"] ?? "" }),
    );
    expect(await run([map("a", { x: "${TIER}" }), map("b", { x: "${TIER}" })], edit)).toEqual([
      map("a", { x: "${TIER}" }),
      map("b", { x: "gold" }),
    ]);
  });

  test.for<[string, unknown, string]>([
    [
      "a variable that is not set",
      { "a.conf": "x ${MISSING}" },
      'substitute: data["a.conf"] has the variable MISSING, which is not set: return it from the variables, or write ${MISSING:-default}',
    ],
    ["a variable named like a method", { a: "${toString}" }, "substitute: data.a has the variable toString, which is not set: return it"],
    ["a variable without an end", { a: [{ b: "${A" }] }, "substitute: data.a[0].b has a ${ that begins no variable: write ${NAME} or"],
    ["an operator of shells", { a: "${A^^}" }, "substitute: data.a has a ${ that begins no variable"],
  ])("refuses %s with the object and the field", async ([, data, says]) => {
    const found = await message([map("m", data as object)], all);
    expect(found).toContain("edited: edit 1 for ConfigMap m threw: ");
    expect(found).toContain(says);
  });

  test("never shows a value in an error", async () => {
    const edit = substitute({}, { SECRET: "hunter2" });
    expect(await message([map("m", { a: "${SECRET} ${MISSING}" })], edit)).not.toContain("hunter2");
  });

  test.for<[string, unknown, string]>([
    ["a list", [], "substitute: the variables are a list: give an object of texts"],
    ["a name with a dash", { "a-b": "" }, 'substitute: "a-b" is not the name of a variable'],
    ["an object as a value", { A: {} }, "substitute: the variable A is an object: give a text"],
    ["null as a value", { A: null }, "substitute: the variable A is null: give a text"],
  ])("refuses %s as variables when it is made", ([, variables, says]) => {
    expect(() => substitute({}, variables as Record<string, string>)).toThrow(says);
  });
});

describe("patch", () => {
  const one = { name: "one", image: "a" };

  test("without a target changes the object that the patch names", async () => {
    const edit = patch({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, data: { x: "y" } });
    expect(await run([map("a"), map("b")], edit)).toEqual([map("a"), map("b", { x: "y" })]);
  });

  test("with undefined as a target is one without a target", async () => {
    const edit = patch(undefined as never, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { x: "y" } });
    expect(await run([map("a")], edit)).toEqual([map("a", { x: "y" })]);
  });

  test("without a target is an error if no object has its names", async () => {
    const edit = patch({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } });
    expect(await message([map("a"), map("b")], edit)).toBe(
      "edited: edit 1 for ConfigMap a threw: patch: there is no ConfigMap c among the objects: correct the names in the patch, or give a target",
    );
  });

  test("is not changed by a later edit that changes the object", async () => {
    const edit = patch({}, { data: { nested: { list: [1] } } });
    const change: Edit = (each) => {
      (each as unknown as { data: { nested: { list: number[] } } }).data.nested.list.push(2);
      return each;
    };
    for (let i = 0; i < 2; i++) expect(await run([map("a")], edit, change)).toEqual([map("a", { nested: { list: [1, 2] } })]);
  });

  test("removes an object by its directive", async () => {
    expect(await run([map("a"), map("b")], patch({ name: "a" }, { $patch: "delete" }))).toEqual([map("b")]);
  });

  test("replaces an entry of a list by its directive", async () => {
    const edit = patch(
      { kind: "Deployment" },
      {
        spec: { template: { spec: { containers: [{ name: "one", tty: true, $patch: "replace" }] } } },
      },
    );
    expect(await run([web(one)], edit)).toEqual([web({ name: "one", tty: true })]);
  });

  test("is returned by a function of the owner", async () => {
    const edit = patch({ kind: "ConfigMap" }, (shop: KubernetesObject, { name }) => ({ data: { shop: shop.metadata.name, name } }));
    expect(await run([map("m")], edit)).toEqual([map("m", { shop: "a", name: "a" })]);
  });

  test("selects by the namespace of the set if an object names none", async () => {
    const edit = patch({ namespace: "ns" }, { data: { hit: "1" } });
    const far = { ...map("b"), metadata: { name: "b", namespace: "far" } };
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "c" } };
    expect(await run([map("a"), far, role], edit)).toEqual([map("a", { hit: "1" }), far, role]);
  });

  test("keeps a field named __proto__ as data", async () => {
    const change = JSON.parse('{"data": {"__proto__": "x"}}') as Record<string, unknown>;
    const [result] = await run([map("a", { b: "c" })], patch({}, change));
    expect(JSON.stringify((result as { data?: unknown }).data)).toBe('{"b":"c","__proto__":"x"}');
    expect(Object.getPrototypeOf((result as { data?: object }).data)).toBe(Object.prototype);
  });

  test.for<[string, () => unknown, string]>([
    ["a target that is a text", () => patch("Deployment" as never, {}), "patch: its target is a text: give an object such as"],
    [
      "an unknown field of the target",
      () => patch({ labelSelector: "a" } as never, { a: 1 }),
      'patch: "labelSelector" is not known: write labels',
    ],
    ["a pattern that is not valid", () => patch({ name: "(" }, { a: 1 }), "patch: name of its target is not a regular expression"],
    ["a selector that is not valid", () => patch({ labels: "a in" }, { a: 1 }), "patch: labels of its target is not a selector"],
    ["an empty patch", () => patch({}, {}), "patch: the patch is empty"],
    ["no operations", () => patch({}, []), "patch: the patch is empty: give operations"],
    ["a patch that is a text", () => patch({}, "a: 1" as never), "patch: the patch is a text: give a part of an object"],
    ["operations without a target", () => patch([{ op: "remove", path: "/a" }] as never), "patch: a JSON patch needs a target"],
    ["a patch without names and target", () => patch({ kind: "ConfigMap" }), "patch: a patch without a target needs apiVersion, kind and"],
    [
      "an operation that is not known",
      () => patch({}, [{ op: "set", path: "/a" }] as never),
      "patch: operation 0 is not one of a JSON patch",
    ],
  ])("refuses %s when it is made", ([, make, says]) => {
    expect(make).toThrow(says);
  });

  test.for<[string, Edit, string]>([
    [
      "a path that does not exist",
      patch({}, [{ op: "replace", path: "/spec/replicas", value: 3 }]),
      "patch: JSON patch operation 0 (replace /spec/replicas): there is nothing at",
    ],
    [
      "a test that fails",
      patch({}, [{ op: "test", path: "/kind", value: "x" }]),
      "operation 0 (test /kind): the value there is another one",
    ],
    [
      "a list in place of an object",
      patch({}, { spec: [] }),
      "patch: spec is an object in the object and a list in the patch: give an object",
    ],
    [
      "a text in place of a list",
      patch({}, { spec: { template: { spec: { containers: "x" } } } }),
      "patch: spec.template.spec.containers is a list in the object and a scalar in the patch",
    ],
    [
      "an entry without its key",
      patch({}, { spec: { template: { spec: { containers: [{ image: "x" }] } } } }),
      "patch: spec.template.spec.containers[0] of the patch has no name, which tells the entries apart: set it",
    ],
    ["an unknown directive", patch({}, { spec: { $patch: "drop" } }), "patch: $patch at spec is not known: write merge, replace or delete"],
    ["a function that returns nothing", patch({}, (() => undefined) as never), "patch: the patch is nothing: give a part"],
    [
      "a predicate that returns no answer",
      patch((() => 1) as never, { a: 1 }),
      "patch: the function that chooses objects returned a number",
    ],
  ])("refuses %s with the object", async ([, edit, says]) => {
    const found = await message([web(one)], edit);
    expect(found).toContain("edited: edit 1 for Deployment web threw: patch: ");
    expect(found).toContain(says);
  });
});

describe("images", () => {
  test("changes ephemeral containers and further paths", async () => {
    const custom = {
      ...map("a"),
      kind: "Robot",
      spec: { image: "x:1", arms: [{ image: "x:1" }], ephemeralContainers: [{ image: "x:1" }] },
    } as Manifest;
    const edit = images({ x: { tag: "2" } }, { paths: ["spec/image", "spec/arms[]/image"] });
    expect(await run([custom], edit)).toEqual([
      { ...custom, spec: { image: "x:2", arms: [{ image: "x:2" }], ephemeralContainers: [{ image: "x:2" }] } },
    ]);
  });

  test("takes a name with dots as it is written", async () => {
    const edit = images({ "ghcr.io/a": { tag: "2" } });
    expect(await run([web({ image: "ghcrxio/a:1" }, { image: "ghcr.io/a:1" })], edit)).toEqual([
      web({ image: "ghcrxio/a:1" }, { image: "ghcr.io/a:2" }),
    ]);
  });

  test("returns the same object if nothing changes", async () => {
    const given = web({ image: "a" });
    expect((await run([given], images({ b: { tag: "1" } })))[0]).toBe(given);
  });

  test("is an edit of manifests(), which knows all objects of the folder", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "edits-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(path.join(folder, "a.json"), JSON.stringify(web({ name: "one", image: "a:1" })));
    writeFileSync(path.join(folder, "b.json"), JSON.stringify(map("b")));
    expect(await manifests(folder, { edit: images({ a: { tag: "2" } }) })(owner, context)).toEqual([
      web({ name: "one", image: "a:2" }),
      map("b"),
    ]);
    const named = patch({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, data: { x: "y" } });
    expect(await manifests(folder, { edit: named })(owner, context)).toEqual([web({ name: "one", image: "a:1" }), map("b", { x: "y" })]);
  });

  test("gets its changes from a function of the owner", async () => {
    const edit = images((shop: KubernetesObject) => ({ a: { tag: shop.metadata.labels?.["tier"] ?? "" } }));
    expect(await run([web({ image: "a:1" })], edit)).toEqual([web({ image: "a:gold" })]);
  });

  test.for<[string, unknown, string]>([
    ["a list", [], "images: got a list: give an object of images by their name"],
    ["a text", { a: "1" }, 'images: "a": is a text: give an object with name, tag or digest'],
    ["an empty change", { a: {} }, 'images: "a": changes nothing: set name, tag or digest'],
    ["the words of a kustomization", { a: { newTag: "1" } }, 'images: "a": "newTag" is not known: write tag'],
    ["a number as a tag", { a: { tag: 1.2 } }, 'images: "a": tag is a number: write a text, in YAML with quotes'],
    ["a name with a tag", { "a:1": { tag: "2" } }, 'images: "a:1": is not the name of an image without tag and digest'],
    ["a digest without its algorithm", { a: { digest: "abc" } }, 'images: "a": digest is not valid: write such as sha256:...'],
  ])("refuses %s when it is made, and from a function", async ([, changes, says]) => {
    expect(() => images(changes as never)).toThrow(says);
    expect(await message([web()], images((() => changes) as never))).toContain(says);
  });

  test("refuses paths that are not valid", () => {
    expect(() => images({}, { paths: ["a//b"] })).toThrow("images: paths has a text that is not a path of fields");
  });
});

describe("labels", () => {
  test.for<[string, unknown, string]>([
    ["a text", "a=b", "labels: got a text: give an object of texts"],
    ["a key that is not valid", { "a b": "c" }, 'labels: "a b" is not a key of a label'],
    ["a number", { a: 1 }, "labels: the label a is a number: write a text"],
    ["a value that is not valid", { a: "b c" }, "labels: the label a has a value that is not valid"],
  ])("refuses %s when it is made, and from a function", async ([, pairs, says]) => {
    expect(() => labels(pairs as never)).toThrow(says);
    expect(await message([map("m")], labels((() => pairs) as never))).toContain(says);
  });

  test("leaves selectors and templates as they are", async () => {
    const given = { ...web(), spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } } } } } as Manifest;
    expect(await run([given], labels({ team: "x" }))).toEqual([{ ...given, metadata: { name: "web", labels: { team: "x" } } }]);
  });
});

describe("namespace", () => {
  const binding = (namespace?: string): Manifest =>
    ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "b" },
      subjects: [{ kind: "ServiceAccount", name: "runner", ...(namespace === undefined ? {} : { namespace }) }],
    }) as Manifest;
  const account: Manifest = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "runner" } };

  test("moves the subject of an account without a namespace, which is in that of the set", async () => {
    const [, moved] = await run([account, binding("ns")], namespace("new"));
    expect(moved).toEqual(binding("new"));
  });

  test("leaves the subject of an account that is not rendered", async () => {
    expect(await run([binding("ns")], namespace("new"))).toEqual([binding("ns")]);
  });

  test("moves references to the namespace of the set in a call by hand", () => {
    expect(namespace("new")(binding("ns"), owner, context)).toEqual(binding("new"));
    expect(namespace("new")(binding("far"), owner, context)).toEqual(binding("far"));
  });

  test("leaves instances of a kind that a rendered CRD makes cluster-scoped", async () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "planets.x.dev" },
      spec: { group: "x.dev", scope: "Cluster", names: { kind: "Planet", plural: "planets" } },
    } as Manifest;
    const planet = { apiVersion: "x.dev/v1", kind: "Planet", metadata: { name: "earth" } };
    const other = { apiVersion: "y.dev/v1", kind: "Planet", metadata: { name: "mars" } };
    expect(await run([crd, planet, other], namespace("new"))).toEqual([
      crd,
      planet,
      { ...other, metadata: { name: "mars", namespace: "new" } },
    ]);
  });

  test("does not add a service to an APIService that has none", async () => {
    const local = {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1" },
      spec: { group: "a" },
    } as Manifest;
    expect(await run([local], namespace("new"))).toEqual([local]);
  });

  test.for<[unknown, string]>([
    ["", "namespace: got an empty text: give the name of a namespace"],
    [undefined, "namespace: got nothing"],
    ["A_b", 'namespace: "A_b" is not the name of a namespace'],
  ])("refuses %j when it is made, and from a function", async ([name, says]) => {
    expect(() => namespace(name as string)).toThrow(says);
    expect(
      await message(
        [map("m")],
        namespace(() => name as string),
      ),
    ).toContain(says);
  });
});

describe("edits of a renderer", () => {
  const boom = new Error("boom");

  test("of parameters run in order, each with a copy, the owner and the context", async () => {
    const given = frozen({ a: { b: 1 } });
    const seen: unknown[] = [];
    const result = await editParameters(
      "helm",
      given,
      [
        (parameters, ...rest) => {
          seen.push(...rest);
          Object.assign(parameters["a"] as object, { c: 2 });
          return parameters;
        },
        async (parameters) => await Promise.resolve({ ...parameters, d: 3 }),
      ],
      owner,
      context,
    );
    expect(result).toEqual({ a: { b: 1, c: 2 }, d: 3 });
    expect(seen).toEqual([owner, context]);
  });

  test("of parameters fail with their place", async () => {
    const fail = (): never => {
      throw boom;
    };
    await expect(editParameters("helm", {}, [(each) => each, fail], owner, context)).rejects.toThrow("helm: parameter edit 2 threw: boom");
    await expect(editParameters("helm", {}, (() => undefined) as never, owner, context)).rejects.toThrow(
      "helm: parameter edit 1 returned no object: return the parameters as an object",
    );
  });

  test("of objects run in order, and know all objects", () => {
    const rename: Edit = (each) => ({ ...each, metadata: { name: `${each.metadata.name}1` } });
    const edits = [rename, patch({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a1" }, data: { x: "y" } })];
    expect(editObjects("helm", [map("a"), map("b")], edits, owner, context)).toEqual([map("a1", { x: "y" }), map("b1")]);
  });

  test("of objects fail with their place, and are not tried again", () => {
    const fail: Edit = () => {
      throw boom;
    };
    expect(() => editObjects("helm", [map("a")], [(each) => each, fail], owner, context)).toThrow(
      expect.objectContaining({ name: "TerminalError", code: "EditFailed", message: "helm: edit 2 for ConfigMap a threw: boom" }),
    );
  });
});

describe("merged parameters", () => {
  test.for<[string, readonly object[], object]>([
    ["objects are merged", [{ a: { b: 1 } }, { a: { c: 2 } }], { a: { b: 1, c: 2 } }],
    ["a value replaces an object", [{ a: { b: 1 } }, { a: "x" }], { a: "x" }],
    ["a list replaces an object", [{ a: { b: 1 } }, { a: [1] }], { a: [1] }],
    ["an object replaces a value", [{ a: 1 }, { a: { b: 1 } }], { a: { b: 1 } }],
    ["null stays, to remove a default of a chart", [{ a: { b: 1 } }, { a: { b: null } }], { a: { b: null } }],
    ["lists are replaced", [{ a: [1, 2] }, { a: [3] }], { a: [3] }],
    ["undefined changes nothing", [{ a: 1 }, { a: undefined }], { a: 1 }],
  ])("%s", ([, all, want]) => {
    expect(mergeParameters(...(frozen(all) as readonly Record<string, unknown>[]))).toEqual(want);
  });
});
