/** Conversions that fail, or that answer what the schema does not allow: reads, writes and the webhooks of another version. */
import type { Json, Scenario } from "../session.ts";
import { patched, type Say } from "../../webhook-server.ts";
import { FIELDS, rule, serveSites, withHooks } from "./sites.ts";

function without(object: Json, field: string): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));
}

export const failingConversions: readonly Scenario[] = [
  {
    name: "failing conversions for webhooks",
    async run(session) {
      const { send, quietly } = session;
      const sites = await serveSites(session);
      const { group, path } = sites;
      const site = (name: string): Json => ({ apiVersion: `${group}/v1alpha1`, kind: "Site", metadata: { name }, spec: { domain: "x" } });
      const say: Say = (_, at) => (at.startsWith("/trace") ? patched({ op: "add", path: "/spec/trace", value: "x" }) : { allowed: true });
      const failTo =
        (version: string) =>
        (converted: Json): Json | string =>
          converted["apiVersion"] === `${group}/${version}` ? `no way to ${version}` : converted;
      // An object is converted once by the in-memory server, so each deletion has its own.
      let stored = 0;
      for (const failurePolicy of ["Fail", "Ignore"]) {
        for (const [name, hooks] of Object.entries({
          mutating: { mutating: { trace: { failurePolicy } } },
          validating: { validating: { check: { failurePolicy } } },
          conditions: { validating: { check: { failurePolicy, matchConditions: [{ name: "c", expression: "object.spec.host == 'x'" }] } } },
          "another version": { mutating: { trace: { failurePolicy, rules: [rule(group, "v1beta1")] } } },
          "two versions": { mutating: { "trace-a": { failurePolicy, rules: [rule(group, "v1beta1")] }, "trace-b": { failurePolicy } } },
        })) {
          await withHooks(session, say, hooks, async () => {
            for (const version of Object.keys(FIELDS)) {
              const old = { apiVersion: `${group}/v1`, kind: "Site", metadata: { name: `old-${stored}` }, spec: { host: "x" } };
              await quietly("POST", path("v1"), { body: old });
              sites.answer(failTo(version));
              const step = `${failurePolicy}, ${name}, to ${version}`;
              await send(`${step}: create`, "POST", path("v1alpha1"), { body: site("new"), query: "dryRun=All" });
              await send(`${step}: delete`, "DELETE", path("v1alpha1", `old-${stored}`), { query: "dryRun=All" });
              sites.answer();
              stored++;
            }
          });
        }
      }
      for (const version of ["v1", "v1alpha1"]) {
        sites.answer(failTo(version));
        await send(`a create that fails to ${version}`, "POST", path("v1alpha1"), { body: site(`to-${version}`) });
        sites.answer();
        await send(`stored: a create that fails to ${version}`, "GET", path("v1", `to-${version}`));
      }
      await sites.stop();
    },
  },
  {
    name: "answers of conversions",
    async run(session) {
      const { send, quietly } = session;
      const sites = await serveSites(session);
      const { group, path } = sites;
      const big = "x".repeat(256 * 1024);
      const answers: Readonly<Record<string, (converted: Json) => Json | string>> = {
        "a wrong type": (converted) => ({ ...converted, spec: { ...converted["spec"], domain: 5, name: 5, size: "many" } }),
        "no spec": (converted) => without(converted, "spec"),
        null: (converted) => ({ ...converted, spec: null }),
        nulls: (converted) => ({ ...converted, spec: { ...converted["spec"], domain: null, size: null, trace: null } }),
        "no fields": (converted) => ({ ...converted, spec: {} }),
        "unknown fields": (converted) => ({ ...converted, spec: { ...converted["spec"], unknown: 1 }, other: 1 }),
        "without labels": (converted) => ({ ...converted, metadata: { ...converted["metadata"], labels: undefined, annotations: null } }),
        "a label that is a number": (converted) => ({ ...converted, metadata: { ...converted["metadata"], labels: { a: 1 } } }),
        "labels that are a list": (converted) => ({ ...converted, metadata: { ...converted["metadata"], labels: ["a"] } }),
        "an invalid label": (converted) => ({ ...converted, metadata: { ...converted["metadata"], labels: { "a b": "c d" } } }),
        "an invalid annotation": (converted) => ({ ...converted, metadata: { ...converted["metadata"], annotations: { "a b": "c d" } } }),
        "large annotations": (converted) => ({ ...converted, metadata: { ...converted["metadata"], annotations: { big } } }),
        "no metadata": (converted) => without(converted, "metadata"),
        "metadata that is a text": (converted) => ({ ...converted, metadata: "x" }),
        "a failure of one": (converted) => (converted["metadata"].name === "new" ? converted : "not this one"),
      };
      for (const [index, [step, answer]] of Object.entries(answers).entries()) {
        const notes = { labels: { l: "1" }, annotations: { n: "1" } };
        const stored = { apiVersion: `${group}/v1`, kind: "Site", metadata: { name: `b${index}`, ...notes }, spec: { host: "x" } };
        await quietly("POST", path("v1"), { body: stored });
        sites.answer(answer);
        await send(`${step}: get`, "GET", path("v1alpha1", `b${index}`));
        const sent = { apiVersion: `${group}/v1alpha1`, kind: "Site", metadata: { name: "new", ...notes }, spec: { domain: "x" } };
        await send(`${step}: create`, "POST", path("v1alpha1"), { body: sent, query: "dryRun=All" });
        await send(`${step}: get in v1`, "GET", path("v1", `b${index}`));
        sites.answer();
      }
      sites.answer();
      await send("large annotations of a client", "POST", path("v1alpha1"), {
        body: { apiVersion: `${group}/v1alpha1`, kind: "Site", metadata: { name: "big", annotations: { big } }, spec: { domain: "x" } },
      });
      await sites.stop();
    },
  },
  {
    name: "lists with a failing conversion",
    async run(session) {
      const { send, quietly } = session;
      const sites = await serveSites(session);
      const { group, path } = sites;
      const site = (name: string): Json => ({ apiVersion: `${group}/v1`, kind: "Site", metadata: { name }, spec: { host: name } });
      for (const name of ["a", "b"]) await quietly("POST", path("v1"), { body: site(name) });
      sites.answer((converted) => (converted["metadata"].name === "c" ? "not this one" : converted));
      await quietly("POST", path("v1"), { body: site("c") });
      await send("list", "GET", path("v1alpha1"));
      await send("a page without it", "GET", path("v1alpha1"), { query: "limit=2" });
      await send("get another", "GET", path("v1alpha1", "a"));
      await send("get it", "GET", path("v1alpha1", "c"));
      await send("delete it", "DELETE", path("v1alpha1", "c"));
      await send("delete all", "DELETE", path("v1alpha1"));
      await send("list in v1", "GET", path("v1"));
      await send("delete it in v1", "DELETE", path("v1", "c"));
      await send("list without it", "GET", path("v1alpha1"));
      await sites.stop();
    },
  },
];
