/** Errors of refused requests name the right that is missing, and the rule that gives it. */
import { ApiError, kind } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Namespace } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { expect, onTestFinished, test } from "vitest";
import { type Client, createClient, type MissingRight, missingRightOf } from "../src/index.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const ref = { name: "a", namespace: "default" };

/** A client of a server with RBAC, as a user without any right. */
function clientOfAlice(): Client {
  const server = createApiServer({ resources: [Widget], authorization: "RBAC" });
  onTestFinished(() => server.close());
  return createClient({ transport: server.transport({ as: { user: "alice" } }), fieldManager: "test" });
}

interface Refusal {
  readonly name: string;
  readonly call: (client: Client) => Promise<unknown>;
  readonly right: MissingRight;
  readonly rule: string;
}

test.for<Refusal>([
  {
    name: "a status write",
    call: (client) => client.patch(Widget, ref, { type: "merge", body: { status: {} } }, { subresource: "status" }),
    right: { type: "resource", verb: "patch", group: "example.dev", resource: "widgets/status", namespace: "default" },
    rule: '{ apiGroups: ["example.dev"], resources: ["widgets/status"], verbs: ["patch"] } in a Role of namespace default',
  },
  {
    name: "a list of all namespaces",
    call: (client) => client.list(ConfigMap),
    right: { type: "resource", verb: "list", group: "", resource: "configmaps" },
    rule: '{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] } in a ClusterRole',
  },
  {
    name: "a watch",
    call: (client) => client.watch(Namespace),
    right: { type: "resource", verb: "watch", group: "", resource: "namespaces" },
    rule: '{ apiGroups: [""], resources: ["namespaces"], verbs: ["watch"] } in a ClusterRole',
  },
  {
    name: "an apply",
    call: (client) => client.apply(Deployment, { metadata: ref }),
    right: { type: "resource", verb: "patch", group: "apps", resource: "deployments", namespace: "default" },
    rule: '{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["patch"] } in a Role of namespace default',
  },
])("the error of $name that is refused names the right and the rule", async ({ call, right, rule }) => {
  const error = await call(clientOfAlice()).catch((cause: unknown) => cause);
  expect(missingRightOf(error)).toEqual(right);
  expect(String(error)).toMatch(/^ApiError: cannot .* is forbidden: User "alice" cannot /);
  expect(String(error).endsWith(`; allow it by the RBAC rule ${rule}`), String(error)).toBe(true);
});

test.for([
  {
    name: "of a path",
    message: 'forbidden: User "a\\"b" cannot get path "/metrics"',
    right: { type: "path", verb: "get", path: "/metrics" },
  },
  { name: "by admission", message: 'pods "a" is forbidden: exceeded quota: small', right: undefined },
])("the right of a refusal $name is $right", ({ message, right }) => {
  expect(missingRightOf(new ApiError({ status: 403, reason: "Forbidden", message }))).toEqual(right);
  expect(missingRightOf(new ApiError({ status: 409, reason: "Conflict", message }))).toBeUndefined();
});
