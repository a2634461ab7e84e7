/** Bodies in YAML: several documents, repeated keys, and what counts as nothing. */
import type { Scenario } from "../session.ts";

const YAML = "application/yaml";
const HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\n";

/** Bodies of a ConfigMap. `NAME` is replaced. The texts of invalid YAML differ, so there is none before the second document. */
const BODIES: Readonly<Record<string, string>> = {
  "two documents": `${HEAD}---\n${HEAD}`,
  "a first marker": `---\n${HEAD}`,
  "a first document without content": `---\n---\n${HEAD}`,
  "a comment before the marker": `# x\n---\n${HEAD}`,
  "a last marker": `${HEAD}---\n`,
  "an end marker": `${HEAD}...\n`,
  "something after the end marker": `${HEAD}...\nfoo: [\n`,
  "an invalid second document": `${HEAD}---\nfoo: [\n`,
  "a directive": `%YAML 1.1\n---\n${HEAD}`,
  "a repeated key": `${HEAD}data:\n  a: x\n  a: z\n`,
  "a key three times": `${HEAD}data:\n  a: x\n  a: z\n  a: w\n`,
  "a repeated map": `${HEAD}metadata:\n  name: NAME\n  labels: {a: b}\n`,
  "a repeated kind": HEAD.replace("kind:", "kind: Secret\nkind:"),
  "a repeated unknown field": `${HEAD}foo: 1\nfoo: 2\n`,
  "a repeated key without a value": `${HEAD}data:\n  a: x\n  a:\n`,
  "a repeated key in braces": "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME, name: NAME}, data: {a: x, a: z}}",
  "a merged key that is set": `${HEAD}  labels: &l {a: b}\n  annotations:\n    <<: *l\n    a: c\n`,
  "a repeated key in a list": `${HEAD}  ownerReferences:\n  - apiVersion: v1\n    kind: A\n    kind: B\n    name: x\n    uid: u\n`,
  "repeated and unknown fields": `zzz: 1\n${HEAD}  foo: 1\ndata:\n  a: x\n  a: z\naaa: 1\n`,
  "a number and its text as keys": `${HEAD}data:\n  1: x\n  "1": z\n`,
  "repeated truths as keys": `${HEAD}data:\n  yes: x\n  on: z\n`,
  "JSON with a repeated key": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"},"data":{"a":"x","a":"z"}}',
  "two objects in JSON": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"}}\n{"apiVersion":"v1"}',
  nothing: "",
  "only a marker": "---\n",
  null: "null\n",
  "a list": "- a\n",
  "a text": "abc\n",
};

export const yamlBodies: readonly Scenario[] = [
  {
    name: "bodies in YAML",
    async run({ send, quietly, gadgets, namespace }) {
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      let count = 0;
      for (const query of ["fieldValidation=Warn", "fieldValidation=Strict", "fieldValidation=Ignore"]) {
        for (const [name, body] of Object.entries(BODIES)) {
          const [map, gadget] = [`a${++count}`, `a${count}`];
          const headers = { "content-type": YAML };
          await send(`${name}, ${query}`, "POST", maps, { query, headers, body: body.replaceAll("NAME", map) });
          const custom = body.replaceAll("NAME", gadget).replaceAll("ConfigMap", "Gadget");
          const ofGroup = custom.replaceAll(/(^|[{\n]"?)apiVersion("?): ?"?v1"?/g, "$1apiVersion$2: conformance.treadle.dev/v1");
          await send(`custom kind: ${name}, ${query}`, "POST", gadgets, { query, headers, body: ofGroup });
        }
      }
      await quietly("POST", maps, { body: { metadata: { name: "b" } } });
      for (const name of ["two documents", "a repeated key", "repeated and unknown fields", "a repeated key in braces"]) {
        const body = BODIES[name]?.replaceAll("NAME", "b");
        await send(`update: ${name}`, "PUT", `${maps}/b`, { headers: { "content-type": YAML }, body });
        // The real server names any of the unknown fields.
        if (name === "repeated and unknown fields") continue;
        for (const query of ["fieldManager=one", "fieldManager=one&fieldValidation=Strict"])
          await send(`apply: ${name}, ${query}`, "PATCH", `${maps}/c`, {
            query,
            headers: { "content-type": "application/apply-patch+yaml" },
            body: body?.replaceAll(/name: b/g, "name: c"),
          });
      }
      await send("review with a repeated key", "POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
        headers: { "content-type": YAML },
        body: "apiVersion: authentication.k8s.io/v1\nkind: TokenReview\nspec:\n  token: a\n  token: b\n",
      });
      await send("delete options with a repeated key", "DELETE", `${maps}/b`, {
        headers: { "content-type": YAML },
        body: "apiVersion: v1\nkind: DeleteOptions\npropagationPolicy: Orphan\npropagationPolicy: Background\n",
      });
      for (const query of ["fieldValidation=Warn", "fieldValidation=Ignore"]) {
        await send(`null in JSON, ${query}`, "POST", gadgets, { query, body: "null" });
        await send(`an empty object in JSON, ${query}`, "POST", gadgets, { query, body: "{}" });
        await send(`no body, ${query}`, "POST", gadgets, { query, body: "" });
      }
    },
  },
];
