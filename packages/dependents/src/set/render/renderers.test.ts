import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished, describe, expect, test } from "vitest";
import type { Manifest } from "../plan/member.ts";
import type { RenderContext } from "../types.ts";
import { configured } from "../configured.ts";
import { objectsOf } from "./host.ts";
import { edited } from "./edited.ts";
import { manifests } from "./manifests.ts";
import { merged } from "./merged.ts";

const owner = { apiVersion: "t.treadle.dev/v1", kind: "Platform", metadata: { name: "a" } };
const context = { name: "a", namespace: "ns", reads: {}, vars: {} } as RenderContext;
const boom = new Error("boom");

/** A folder that exists until the test ends. */
function folder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(path.join(tmpdir(), "manifests-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return root;
}
const yaml = (name: string, more = ""): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;
const map = (name: string): Manifest => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const namesIn = (objects: readonly Manifest[]): readonly string[] => objects.map(({ metadata }) => metadata.name);
const renderedBy = async (renderer: ReturnType<typeof manifests>): Promise<readonly Manifest[]> => await renderer(owner, context);

describe("a folder of manifests", () => {
  test("is read with its subfolders, sorted by path, without hidden and other files", async () => {
    const root = folder({
      "b.yaml": yaml("b"),
      "a/z.yml": yaml("a-z"),
      "a/b/c.json": JSON.stringify(map("a-b-c")),
      "a.yaml": `# head\n---\n${yaml("a-1")}---\n---\n# nothing\n---\n${yaml("a-2")}`,
      "README.md": "no",
      "c.yaml.bak": "no: [",
      ".hidden.yaml": "no: [",
      ".git/x.yaml": "no: [",
      "empty.yaml": "",
      "comment.yaml": "# only\n",
    });
    expect(namesIn(await renderedBy(manifests(root)))).toEqual(["a-1", "a-2", "a-b-c", "a-z", "b"]);
    expect(namesIn(await renderedBy(manifests(pathToFileURL(root))))).toHaveLength(5);
    expect(namesIn(await renderedBy(manifests(pathToFileURL(`${root}/`).href)))).toHaveLength(5);
  });

  test("is read without the files that the option leaves out", async () => {
    const root = folder({ "a.yaml": yaml("a"), "sub/kustomization.yaml": "resources: [a.yaml]" });
    expect(namesIn(await renderedBy(manifests(root, { files: (file) => file !== "sub/kustomization.yaml" })))).toEqual(["a"]);
  });

  test("is read through links, as those of a mounted ConfigMap", async () => {
    const root = folder({ "..data/a.yaml": yaml("a") });
    symlinkSync(path.join(root, "..data/a.yaml"), path.join(root, "a.yaml"));
    expect(namesIn(await renderedBy(manifests(root)))).toEqual(["a"]);
  });

  test("has its lists flattened", async () => {
    const list = { apiVersion: "v1", kind: "List", items: [map("a"), { apiVersion: "v1", kind: "List", items: [map("b")] }] };
    const typed = { apiVersion: "v1", kind: "ConfigMapList", metadata: {}, items: [{ metadata: { name: "c" } }, map("d")] };
    const root = folder({
      "1.json": JSON.stringify(list),
      "2.json": JSON.stringify(typed),
      "3.yaml": "apiVersion: v1\nkind: List\nitems:\n",
    });
    expect(await renderedBy(manifests(root))).toEqual([map("a"), map("b"), map("c"), map("d")]);
  });

  test("has octal numbers, and no fields that are null in the metadata", async () => {
    const root = folder({ "a.yaml": yaml("a", "  namespace:\n  labels: null\nspec: { defaultMode: 0644, keep: null }") });
    expect(await renderedBy(manifests(root))).toEqual([{ ...map("a"), spec: { defaultMode: 420, keep: null } }]);
  });

  test("is read once, and each rendering returns copies", async () => {
    const root = folder({ "a.yaml": yaml("a", "data: &d {x: v}\nmore: *d") });
    const renderer = manifests(root);
    writeFileSync(path.join(root, "a.yaml"), "broken: [");
    const [first] = await renderedBy(renderer);
    (first as { data?: unknown }).data = "changed";
    expect(await renderedBy(renderer)).toEqual([{ ...map("a"), data: { x: "v" }, more: { x: "v" } }]);
  });

  test("is edited object by object, with the owner and the context", async () => {
    const seen: unknown[] = [];
    const renderer = manifests(folder({ "a.yaml": yaml("a"), "b.yaml": yaml("b"), "c.yaml": yaml("c") }), {
      edit: (each, object, given) => {
        seen.push(object, given);
        if (each.metadata.name === "b") return undefined;
        if (each.metadata.name === "c") return { ...each, metadata: { name: "other" } };
        Object.assign(each.metadata, { labels: { a: "1" } });
        return each;
      },
    });
    expect(await renderedBy(renderer)).toEqual([{ ...map("a"), metadata: { name: "a", labels: { a: "1" } } }, map("other")]);
    expect(seen.slice(0, 2)).toEqual([owner, expect.objectContaining(context)]);
  });

  test.for<[string, () => unknown, RegExp]>([
    [
      "throws",
      () => {
        throw boom;
      },
      /^manifests: edit of .*a\.yaml:1 \(document 1\) for ConfigMap a threw: boom$/,
    ],
    ["returns a promise", async () => map("a"), /for ConfigMap a returned a promise: return the object, or undefined to leave it out$/],
    ["returns null", () => null, /for ConfigMap a returned null: return the object/],
    ["returns a text", () => "secret", /for ConfigMap a returned a string: return the object/],
  ])("reports an edit that %s with file and object", ([, edit, says]) => {
    const renderer = manifests(folder({ "a.yaml": yaml("a") }), { edit: edit as () => undefined });
    expect(() => renderer(owner, context)).toThrow(says);
  });

  test("that does not exist is an error at the call", () => {
    expect(() => manifests("/no/such/folder")).toThrow(
      expect.objectContaining({
        code: "ERR_INVALID_MANIFESTS",
        message: expect.stringMatching(/^cannot read the manifests in \/no\/such\/folder: ENOENT/),
      }),
    );
  });

  test("that is a file is an error at the call", () => {
    const root = folder({ "a.yaml": yaml("a") });
    expect(() => manifests(path.join(root, "a.yaml"))).toThrow(/^cannot read the manifests in .*a\.yaml: ENOTDIR/);
  });

  test("with a link to a folder above is an error at the call", () => {
    const root = folder({ "a/a.yaml": yaml("a") });
    symlinkSync(root, path.join(root, "a/loop"));
    expect(() => manifests(root)).toThrow(/a\/loop links to a folder that contains it$/);
  });

  test("with broken files is an error that names all problems with file, line and document", () => {
    const root = folder({
      "a.yaml": `${yaml("a")}---\na: 1\na: 2\n`,
      "b.yaml": `${yaml("b")}---\nkind: ConfigMap\nmetadata: {name: x}\n---\napiVersion: v1\nmetadata: {name: x}\n`,
      "c.yaml": "apiVersion: v1\nkind: ConfigMap\n---\n- 1\n---\napiVersion: v1\nkind: Job\nmetadata: {generateName: x-}\n",
      "d.yaml":
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 5}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: d, namespace: [a]}\n",
      "e.yaml": yaml("e", "  labels: {on-call: yes}\n"),
      "f.yaml": yaml("f", "  annotations: [a]\n"),
      "g.json": '{"password": "hunter2',
      "h.yaml": "password: [x] hunter2\n",
    });
    const where = (file: string): string => `- ${path.join(root, file)}`;
    expect(() => manifests(root)).toThrow(
      expect.objectContaining({
        code: "ERR_INVALID_MANIFESTS",
        message: [
          `cannot read the manifests in ${root}:`,
          `${where("a.yaml")}:7 (document 2): the key "a" occurs twice`,
          `${where("b.yaml")}:6 (document 2): has no apiVersion: leave the file out by the option files, if it is not a manifest`,
          `${where("b.yaml")}:9 (document 3): has no kind: leave the file out by the option files, if it is not a manifest`,
          `${where("c.yaml")}:1 (document 1): ConfigMap has no metadata.name: leave the file out by the option files, if it is not a manifest`,
          `${where("c.yaml")}:4 (document 2): is not an object`,
          `${where("c.yaml")}:6 (document 3): Job has generateName: give it a name, because its object could not be found again`,
          `${where("d.yaml")}:1 (document 1): ConfigMap has no text as metadata.name`,
          `${where("d.yaml")}:5 (document 2): ConfigMap d has no text as metadata.namespace`,
          `${where("e.yaml")}:1 (document 1): ConfigMap e has no text as metadata.labels["on-call"]: put the value in quotes`,
          `${where("f.yaml")}:1 (document 1): ConfigMap f has no map as metadata.annotations`,
          `${where("g.json")}: is not JSON at position 21 (line 1 column 22)`,
          `${where("h.yaml")}:1 (document 1): Unexpected scalar at node end`,
        ].join("\n"),
      }),
    );
  });
});

describe("merged renderers", () => {
  test("return all objects in order, though they end in another order", async () => {
    const slow = Promise.withResolvers<readonly Manifest[]>();
    const quick = async (): Promise<readonly Manifest[]> => {
      slow.resolve([map("a"), map("b")]);
      return [map("c")];
    };
    expect(
      namesIn(
        await merged(
          () => slow.promise,
          quick,
          () => [map("d")],
        )(owner, context),
      ),
    ).toEqual(["a", "b", "c", "d"]);
  });

  test("of no renderer return no object", async () => {
    expect(await merged()(owner, context)).toEqual([]);
  });

  test("get the owner and the context", async () => {
    const seen: unknown[] = [];
    await merged((...args) => (seen.push(...args), []))(owner, context);
    expect(seen).toEqual([owner, context]);
  });

  test.for<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw boom;
      },
      "merged: renderer 2 threw: boom",
    ],
    ["rejects", () => Promise.reject(boom), "merged: renderer 2 threw: boom"],
    ["returns nothing", () => undefined, "merged: renderer 2 returned nothing, not a list: return a list of objects, or [] for no objects"],
    [
      "resolves to an object",
      async () => ({}),
      "merged: renderer 2 returned an object, not a list: return a list of objects, or [] for no objects",
    ],
  ])("fail with the number of the renderer that %s", async ([, broken, says]) => {
    await expect(merged(() => [], broken as () => [])(owner, context)).rejects.toThrow(says);
  });

  test("fail after all have ended, with the first error", async () => {
    const slow = Promise.withResolvers<readonly Manifest[]>();
    let isSettled = false;
    const result = Promise.resolve(
      merged(
        () => slow.promise,
        () => {
          throw boom;
        },
      )(owner, context),
    ).finally(() => {
      isSettled = true;
    });
    result.catch(() => undefined);
    await Promise.resolve();
    expect(isSettled).toBe(false);
    slow.reject(new Error("earlier in the list"));
    await expect(result).rejects.toThrow("merged: renderer 1 threw: earlier in the list");
  });
});

describe("an edited renderer", () => {
  const label = (each: Manifest): Manifest => ({ ...each, metadata: { ...each.metadata, labels: { a: "1" } } });

  test("calls each edit for each object, and leaves out those that an edit drops", async () => {
    const order: string[] = [];
    const note = (edit: string) => (each: Manifest) => (
      order.push(`${edit} ${each.metadata.name}`), each.metadata.name === "b" ? undefined : each
    );
    const renderer = edited(async () => [map("a"), map("b"), map("c")], note("1"), note("2"), label);
    expect(await renderer(owner, context)).toEqual([label(map("a")), label(map("c"))]);
    expect(order).toEqual(["1 a", "1 b", "1 c", "2 a", "2 c"]);
  });

  test("keeps the configuration of an object that an edit changes", async () => {
    const renderer = edited(
      [configured(map("a"), { id: "first" }), map("b"), configured(map("c"), { id: "gone" })],
      label,
      (each, _, given) => {
        expect(objectsOf(given)).toEqual([label(map("a")), label(map("b")), label(map("c"))]);
        return each.metadata.name === "c" ? undefined : each;
      },
    );
    expect(await renderer(owner, context)).toEqual([configured(label(map("a")), { id: "first" }), label(map("b"))]);
  });

  test("edits copies of a list", async () => {
    const list = [map("a")];
    const renderer = edited(list, (each) => Object.assign(each, { data: { x: "y" } }));
    expect(await renderer(owner, context)).toEqual([{ ...map("a"), data: { x: "y" } }]);
    expect(list).toEqual([map("a")]);
  });

  test("nests, and names the places of an error from outside to inside", async () => {
    const inner = edited([map("a")], () => {
      throw boom;
    });
    await expect(edited(inner, label)(owner, context)).rejects.toThrow(
      "edited: the renderer threw: edited: edit 1 for ConfigMap a threw: boom",
    );
  });

  test.for<[string, unknown, string]>([
    ["a number", 5, "edited: edit 1 for a number threw: boom"],
    ["an object without a kind", {}, "edited: edit 1 for an object threw: boom"],
    ["an object in a namespace", { kind: "Job", metadata: { name: "a", namespace: "ns" } }, "edited: edit 1 for Job ns/a threw: boom"],
    ["an object with null as metadata", { kind: "Job", metadata: null }, "edited: edit 1 for Job threw: boom"],
  ])("names %s in errors", async ([, object, says]) => {
    const renderer = edited((() => [object]) as unknown as () => [], () => {
      throw boom;
    });
    await expect(renderer(owner, context)).rejects.toThrow(says);
  });
});
