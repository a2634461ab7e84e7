/** managedFields of writes that are no apply. */
import { gadget } from "../gadget.ts";
import type { Scenario } from "../session.ts";

const merge = { "content-type": "application/merge-patch+json" };
const time = "2026-01-01T00:00:00Z";
const condition = (type: string, status: string) => ({ type, status, reason: "Because", message: "m", lastTransitionTime: time });

export const ownership: readonly Scenario[] = [
  {
    name: "managed fields",
    async run({ send, quietly, gadgets }) {
      const path = `${gadgets}/a`;
      // Must exist: a real server's garbage collector takes what has no owner.
      const owner = await quietly("POST", gadgets, { body: gadget("owner") });
      const by = (manager: string): string => `fieldManager=${manager}`;
      await send("of the creator", "POST", gadgets, {
        query: by("one"),
        body: gadget(
          "a",
          {
            tags: ["x", "y"],
            words: ["x"],
            settings: { a: "b", "c.d/e": "f" },
            ports: [{ name: "http", port: 80 }],
            template: { image: "i", args: ["a"] },
          },
          { metadata: { labels: { a: "b", "x.y/z": "1" }, annotations: { c: "d" }, finalizers: ["a.b/c"] } },
        ),
      });
      await send("a value changed by another", "PATCH", path, {
        query: by("two"),
        body: { spec: { size: 2, settings: { a: "z" } } },
        headers: merge,
      });
      await send("the same value by another", "PATCH", path, { query: by("three"), body: { spec: { size: 2 } }, headers: merge });
      await send("a map member removed", "PATCH", path, { query: by("two"), body: { spec: { settings: { a: null } } }, headers: merge });
      await send("a set member added", "PATCH", path, { query: by("two"), body: { spec: { tags: ["x", "y", "z"] } }, headers: merge });
      await send("a set member removed", "PATCH", path, { query: by("two"), body: { spec: { tags: ["y", "z"] } }, headers: merge });
      await send("a set reordered", "PATCH", path, { query: by("three"), body: { spec: { tags: ["z", "y"] } }, headers: merge });
      await send("an atomic list changed", "PATCH", path, { query: by("two"), body: { spec: { words: ["x", "w"] } }, headers: merge });
      await send("a list-map item added", "PATCH", path, {
        query: by("two"),
        body: {
          spec: {
            ports: [
              { name: "http", port: 80 },
              { name: "https", port: 443 },
            ],
          },
        },
        headers: merge,
      });
      await send("a list-map item changed", "PATCH", path, {
        query: by("three"),
        body: {
          spec: {
            ports: [
              { name: "http", port: 8080 },
              { name: "https", port: 443 },
            ],
          },
        },
        headers: merge,
      });
      await send("a list-map item removed", "PATCH", path, {
        query: by("three"),
        body: { spec: { ports: [{ name: "https", port: 443 }] } },
        headers: merge,
      });
      await send("an object removed", "PATCH", path, { query: by("three"), body: { spec: { template: null } }, headers: merge });
      await send("finalizer and owner", "PATCH", path, {
        query: by("four"),
        body: {
          metadata: {
            finalizers: ["a.b/c", "a.b/d"],
            ownerReferences: [{ apiVersion: owner["apiVersion"], kind: owner["kind"], name: "owner", uid: owner["metadata"]?.uid }],
          },
        },
        headers: merge,
      });
      await send("all labels removed", "PATCH", path, { query: by("four"), body: { metadata: { labels: null } }, headers: merge });
      await send("by the user agent", "PATCH", path, {
        body: { spec: { isOn: true } },
        headers: { ...merge, "user-agent": "kubectl/v1.36 (x) y" },
      });
      await send("without a user agent's version", "PATCH", path, {
        body: { spec: { isOn: false } },
        headers: { ...merge, "user-agent": "plain" },
      });
      const live = await quietly("GET", path);
      await send("replaced by one", "PUT", path, { query: by("five"), body: { ...live, spec: { size: 2, note: null, mode: "slow" } } });
      await send("too long a manager", "PATCH", path, { query: by("m".repeat(129)), body: { spec: { size: 3 } }, headers: merge });
      await send("an unprintable manager", "PATCH", path, { query: by("a%01b"), body: { spec: { size: 3 } }, headers: merge });
    },
  },
  {
    name: "managed conditions",
    async run({ send, quietly, gadgets }) {
      await quietly("POST", gadgets, { query: "fieldManager=one", body: gadget("a") });
      const path = `${gadgets}/a/status`;
      const patch = (step: string, manager: string, status: unknown): Promise<unknown> =>
        send(step, "PATCH", path, { query: `fieldManager=${manager}`, body: { status }, headers: merge });
      await patch("the first", "one", { conditions: [condition("A", "True")] });
      await patch("one more by another", "two", { conditions: [condition("A", "True"), condition("B", "True")] });
      await patch("status of the first by another", "two", { conditions: [condition("A", "False"), condition("B", "True")] });
      await patch("reordered by a third", "three", { conditions: [condition("B", "True"), condition("A", "False")] });
      await patch("one removed", "three", { conditions: [condition("B", "True")] });
      await patch("other fields", "one", { phase: "Ready", count: 1, observedGeneration: 1 });
      await patch("one type twice", "one", { conditions: [condition("B", "True"), condition("B", "False")] });
      await patch("without a type", "one", { conditions: [{ status: "True" }] });
      await patch("status that is none", "one", { conditions: [{ ...condition("B", "Maybe") }] });
      await patch("a reason with a blank", "one", { conditions: [{ ...condition("B", "True"), reason: "not so" }] });
      await patch("a time that is none", "one", { conditions: [{ ...condition("B", "True"), lastTransitionTime: "yesterday" }] });
      await patch("removed", "one", null);
      await send("reset", "PATCH", `${gadgets}/a`, { body: { metadata: { managedFields: [{}] } }, headers: merge });
      await send("after a reset", "PATCH", `${gadgets}/a`, { query: "fieldManager=six", body: { spec: { size: 5 } }, headers: merge });
    },
  },
];
