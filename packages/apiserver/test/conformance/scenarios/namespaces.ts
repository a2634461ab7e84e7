/** Deletion of namespaces: their status while objects are left, and the requests that are allowed meanwhile. */
import { gadget } from "../gadget.ts";
import type { Json, Scenario, Session } from "../session.ts";

const ALL = "/api/v1/namespaces";
const merge = { "content-type": "application/merge-patch+json" };

/** The real controller looks at a namespace every few seconds. */
async function until({ quietly }: Session, path: string, holds: (answer: Json) => boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (holds(await quietly("GET", path))) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${path} is after a minute not what it should be: is the namespace-controller running?`);
}

/** The condition after the namespace controller has acted. */
const says =
  (type: string, text: string) =>
  (answer: Json): boolean =>
    (answer["status"]?.conditions ?? []).some((each: Json) => each["type"] === type && String(each["message"]).includes(text));

export const namespaces: readonly Scenario[] = [
  {
    name: "namespaces that go",
    async run(session) {
      const { send, quietly, namespace } = session;
      const name = `${namespace}-going`;
      const path = `${ALL}/${name}`;
      const finalizers = ["example.com/hold"];
      await quietly("POST", ALL, { body: { apiVersion: "v1", kind: "Namespace", metadata: { name, finalizers } } });
      const gadgets = `/apis/conformance.treadle.dev/v1/namespaces/${name}/gadgets`;
      const object = (kind: string, each: string, held: readonly string[]): Json => ({
        apiVersion: "v1",
        kind,
        metadata: { name: each, finalizers: held },
      });
      await quietly("POST", `${path}/configmaps`, { body: object("ConfigMap", "a", ["example.com/x", "example.com/y"]) });
      await quietly("POST", `${path}/configmaps`, { body: object("ConfigMap", "b", []) });
      await quietly("POST", `${path}/secrets`, { body: object("Secret", "a", ["example.com/x"]) });
      await quietly("POST", gadgets, { body: gadget("a", {}, { metadata: { finalizers: ["example.com/z"] } }) });
      await quietly("DELETE", path);
      await until(session, path, says("NamespaceContentRemaining", "gadgets"));
      await send("what is left", "GET", path);
      await send("a new object", "POST", `${path}/configmaps`, { body: object("ConfigMap", "new", []) });
      await send("a change of what is left", "PATCH", `${path}/configmaps/a`, { body: { data: { a: "b" } }, headers: merge });
      await send("what is left of the content", "GET", `${path}/configmaps/a`);
      await send("what is gone", "GET", `${path}/configmaps/b`);
      await send("a second deletion", "DELETE", path);
      await send("a label", "PATCH", path, { body: { metadata: { labels: { a: "b" } } }, headers: merge });
      for (const each of [`${path}/secrets/a`, `${gadgets}/a`, `${path}/configmaps/a`])
        await quietly("PATCH", each, { body: { metadata: { finalizers: null } }, headers: merge });
      await until(session, path, says("NamespaceContentRemaining", "removed"));
      await until(session, path, ({ spec }) => spec?.finalizers === undefined);
      await send("without content", "GET", path);
      await send("without its finalizer", "PATCH", path, { body: { metadata: { finalizers: null } }, headers: merge });
      await send("gone", "GET", path);
    },
  },
];
