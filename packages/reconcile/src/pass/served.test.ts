import { kind, type Kind } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";
import { expect, test } from "vitest";
import { servedVersionOf } from "./served.ts";

const Gadget = kind({ group: "g.dev", version: "v1", kind: "Gadget", scope: "Namespaced" });

/** A server of which only discovery is known; a number is a status without a body of use, what is not named 404. */
function discovery(answers: Readonly<Record<string, object | number>>): Client {
  const raw: Client["raw"] = async ({ path }) => {
    const answer = answers[path] ?? 404;
    return typeof answer === "number"
      ? { status: answer, headers: {}, body: "" }
      : { status: 200, headers: {}, body: JSON.stringify(answer) };
  };
  return { raw } as Client; // Nothing else is asked.
}

const group = (...versions: string[]): object => ({ versions: versions.map((version) => ({ version, groupVersion: `g.dev/${version}` })) });
const resources = (...kinds: string[]): object => ({ resources: kinds.map((name) => ({ name: name.toLowerCase(), kind: name })) });
const ask = (answers: Readonly<Record<string, object | number>>, of: Pick<Kind, keyof Kind> = Gadget): Promise<string | undefined> =>
  servedVersionOf(discovery(answers), of, new AbortController().signal);

test.for<[string, Readonly<Record<string, object | number>>, string | undefined]>([
  ["the group is gone", {}, undefined],
  ["the group has no versions", { "/apis/g.dev": {} }, undefined],
  ["another kind is left", { "/apis/g.dev": group("v1"), "/apis/g.dev/v1": resources("Other") }, undefined],
  ["the same version", { "/apis/g.dev": group("v1"), "/apis/g.dev/v1": resources("Gadget") }, "g.dev/v1"],
  [
    "another version",
    { "/apis/g.dev": group("v3", "v2"), "/apis/g.dev/v3": resources("Other"), "/apis/g.dev/v2": resources("Other", "Gadget") },
    "g.dev/v2",
  ],
  ["a version that is about to come or to go, so that nothing is sure", { "/apis/g.dev": group("v2") }, "g.dev/v2"],
])("%s", async ([, answers, want]) => {
  expect(await ask(answers)).toBe(want);
});

test("the core group has its versions elsewhere", async () => {
  expect(await ask({ "/api": { versions: ["v1"] }, "/api/v1": resources("ConfigMap") }, ConfigMap)).toBe("v1");
});

test.for<[string, Readonly<Record<string, object | number>>]>([
  ["the group", { "/apis/g.dev": 503 }],
  ["a version", { "/apis/g.dev": group("v2"), "/apis/g.dev/v2": 403 }],
])("a discovery that does not answer for %s is an error, and no kind counts as removed", async ([, answers]) => {
  await expect(ask(answers)).rejects.toThrow("cannot find out whether Gadget (g.dev/v1) is still served");
});
