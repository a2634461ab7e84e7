/** Servers of webhooks that fail, and what a client reads then, for both failure policies and for conversions. */
import type { Json, Scenario } from "../session.ts";
import { FAILURES, type FailingServer, failingServer } from "../../failing-server.ts";
import { DEFINITIONS, withHooks } from "./sites.ts";

/** The answer without what differs from run to run: ports, and details of certificates. */
function said({ kind, message, reason, code, details }: Json): Json {
  const clean = (text: string): string =>
    text
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
      // Go says more of a certificate than Node knows: the times, and a CA of the same name.
      .replaceAll(/: current time \S+ is after [\dT:-]+Z/g, "")
      .replaceAll(/ \(possibly because of [^)]*\)/g, "");
  return JSON.parse(clean(JSON.stringify({ kind, message, reason, code, details }))) as Json;
}

export const failingWebhooks: readonly Scenario[] = [
  {
    name: "failing servers of webhooks",
    async run(session) {
      const { quietly, note, namespace } = session;
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
      const servers: FailingServer[] = [];
      const entries: (readonly [string, Json])[] = [];
      for (const [index, failure] of FAILURES.entries()) {
        const server = await failingServer(failure);
        servers.push(server);
        for (const failurePolicy of ["Fail", "Ignore"]) {
          const clientConfig = { url: `${server.url}/review`, caBundle: server.ca };
          const objectSelector = { matchLabels: { failure: `${index}-${failurePolicy}` } };
          entries.push([
            `hook-${index}-${failurePolicy.toLowerCase()}`,
            { clientConfig, failurePolicy, rules, objectSelector, timeoutSeconds: 1 },
          ]);
        }
      }
      const hooks = Object.fromEntries(entries);
      await withHooks(
        session,
        () => ({ allowed: true }),
        { validating: hooks },
        async () => {
          for (const [index, failure] of FAILURES.entries())
            for (const failurePolicy of ["Fail", "Ignore"]) {
              const body = { metadata: { name: "a", labels: { failure: `${index}-${failurePolicy}` } } };
              note(`${failurePolicy}: ${failure}`, said(await quietly("POST", maps, { body, query: "dryRun=All" })));
            }
        },
      );
      for (const server of servers) await server.close();
    },
  },
  {
    name: "failing servers of conversions",
    async run({ quietly, note, namespace }) {
      const group = `${namespace}.example.com`;
      // A conversion has 30 seconds.
      const failures = FAILURES.filter((failure) => failure !== "no answer" && failure !== "half an answer");
      const servers: FailingServer[] = [];
      const path = (index: number, version: string, name = ""): string =>
        `/apis/${group}/${version}/namespaces/${namespace}/boxes${index}${name}`;
      for (const [index, failure] of failures.entries()) {
        const server = await failingServer(failure);
        servers.push(server);
        const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } };
        const webhook = { clientConfig: { url: server.url, caBundle: server.ca }, conversionReviewVersions: ["v1"] };
        const names = { kind: `Box${index}`, plural: `boxes${index}` };
        const versions = [version, { ...version, name: "v2", storage: false }];
        const spec = { group, scope: "Namespaced", names, versions, conversion: { strategy: "Webhook", webhook } };
        const body = {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: `boxes${index}.${group}` },
        };
        await quietly("POST", DEFINITIONS, { body: { ...body, spec } });
      }
      for (const [index, failure] of failures.entries()) {
        const isServed = async (): Promise<boolean> => (await quietly("GET", path(index, "v2")))["kind"] === `Box${index}List`;
        for (let tries = 0; tries < 100 && !(await isServed()); tries++) await new Promise((resolve) => setTimeout(resolve, 100));
        const body = { apiVersion: `${group}/v1`, kind: `Box${index}`, metadata: { name: "a" } };
        await quietly("POST", path(index, "v1"), { body });
        note(`get with ${failure}`, said(await quietly("GET", path(index, "v2", "/a"))));
      }
      for (const [index, server] of servers.entries()) {
        await server.close();
        await quietly("DELETE", `${DEFINITIONS}/boxes${index}.${group}`);
      }
    },
  },
];
