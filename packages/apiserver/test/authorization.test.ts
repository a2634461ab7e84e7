/** Authorization: identities, roles, refusals, escalation, reviews and tokens. */
import { beforeEach, describe, expect, test } from "vitest";
import type { ApiRequest, FakeClock } from "@treadle/apimachinery";
import { fakeClock } from "@treadle/apimachinery";
import { type ApiServer, createApiServer, type Identity, serveHttps } from "../src/index.ts";
import { configMap, CONFIG_MAPS, type Json, widgetCrd, WIDGETS } from "./harness.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const alice: Identity = { user: "alice" };

let clock: FakeClock;
let server: ApiServer;

beforeEach(() => {
  clock = fakeClock();
  server = createApiServer({ clock, resources: [widgetCrd()], authorization: "RBAC" });
});

async function call(method: ApiRequest["method"], path: string, { as, body, headers = {} }: Options = {}): Promise<Json> {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const transport = server.transport(as === undefined ? {} : { as });
  const response = await transport.request({ method, path, headers: { "content-type": "application/json", ...headers }, ...text });
  return { code: response.status, ...(JSON.parse(response.body ?? "{}") as Json) };
}

interface Options {
  readonly as?: Identity;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Gives a subject a right in the namespace default. */
async function give(subject: Json, rules: readonly Json[], name = "given"): Promise<void> {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const at = `${RBAC}/namespaces/default`;
  expect(await call("POST", `${at}/roles`, { body: { apiVersion, kind: "Role", metadata: { name }, rules } })).toMatchObject({ code: 201 });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  const binding = { apiVersion, kind: "RoleBinding", metadata: { name }, roleRef, subjects: [subject] };
  expect(await call("POST", `${at}/rolebindings`, { body: binding })).toMatchObject({ code: 201 });
}

const user = (name: string): Json => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name });
const maps = (...verbs: string[]): Json => ({ apiGroups: [""], resources: ["configmaps"], verbs });

describe("without authorization", () => {
  test("each request is allowed, with the user that it names", async () => {
    server = createApiServer();
    expect(await call("GET", CONFIG_MAPS, { as: alice })).toMatchObject({ code: 200 });
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const { status } = await call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { as: alice, body: review });
    expect(status.userInfo).toEqual({ username: "alice", groups: ["system:authenticated"] });
  });

  test("there are no default roles", async () => {
    server = createApiServer();
    expect((await call("GET", `${RBAC}/clusterroles`))["items"]).toEqual([]);
  });
});

describe("RBAC", () => {
  test.for([
    {
      method: "GET",
      path: CONFIG_MAPS,
      message: 'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"',
    },
    {
      method: "DELETE",
      path: `${WIDGETS}/a`,
      message:
        'widgets.example.com "a" is forbidden: User "alice" cannot delete resource "widgets" in API group "example.com" in the namespace "default"',
    },
    {
      method: "GET",
      path: "/api/v1/nodes?watch=true",
      message: 'nodes is forbidden: User "alice" cannot watch resource "nodes" in API group "" at the cluster scope',
    },
    { method: "GET", path: "/metrics", message: 'forbidden: User "alice" cannot get path "/metrics"' },
  ] as const)("$method $path without a right: $message", async ({ method, path, message }) => {
    expect(await call(method, path, { as: alice })).toMatchObject({ code: 403, status: "Failure", reason: "Forbidden", message });
  });

  test("the administrator and members of system:masters need no role", async () => {
    expect(await call("GET", CONFIG_MAPS)).toMatchObject({ code: 200 });
    expect(await call("GET", CONFIG_MAPS, { as: { user: "x", groups: ["system:masters"] } })).toMatchObject({ code: 200 });
  });

  test("a right is effective from the moment its binding is stored until it is deleted", async () => {
    await give(user("alice"), [maps("list")]);
    expect(await call("GET", CONFIG_MAPS, { as: alice })).toMatchObject({ code: 200 });
    await call("DELETE", `${RBAC}/namespaces/default/rolebindings/given`);
    expect(await call("GET", CONFIG_MAPS, { as: alice })).toMatchObject({ code: 403 });
  });

  test("a binding whose role is deleted is named in the refusal", async () => {
    await give(user("alice"), [maps("list")]);
    await call("DELETE", `${RBAC}/namespaces/default/roles/given`);
    const { message } = await call("GET", CONFIG_MAPS, { as: alice });
    expect(message).toMatch(/: RBAC: role\.rbac\.authorization\.k8s\.io "given" not found$/);
  });

  test("an aggregated role has the rules of its parts, also of later ones", async () => {
    const rules = async (): Promise<readonly Json[]> => (await call("GET", `${RBAC}/clusterroles/view`))["rules"];
    expect((await rules()).length).toBeGreaterThan(3);
    const added = { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get"] };
    const labels = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "widgets", labels }, rules: [added] };
    await call("POST", `${RBAC}/clusterroles`, { body: role });
    expect(await rules()).toContainEqual(added);
    expect((await call("GET", `${RBAC}/clusterroles/admin`))["rules"]).toContainEqual(added);
    await call("DELETE", `${RBAC}/clusterroles/widgets`);
    expect(await rules()).not.toContainEqual(added);
  });

  test("an apply that creates an object needs the right to create, too", async () => {
    await give(user("alice"), [maps("patch")]);
    const headers = { "content-type": "application/apply-patch+yaml" };
    const answer = await call("PATCH", `${CONFIG_MAPS}/a?fieldManager=x`, { as: alice, headers, body: configMap("a") });
    expect(answer).toMatchObject({ code: 403 });
    expect(answer["message"]).toContain("cannot create resource");
  });

  test("a user cannot create a role with rights that the user does not have", async () => {
    const roles = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create"] };
    await give(user("alice"), [roles, maps("get")]);
    const role = (name: string, rules: readonly Json[]): object => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name },
      rules,
    });
    const at = `${RBAC}/namespaces/default/roles`;
    expect(await call("POST", at, { as: alice, body: role("a", [maps("get")]) })).toMatchObject({ code: 201 });
    const { code, message } = await call("POST", at, { as: alice, body: role("b", [maps("get", "list", "watch")]) });
    expect({ code, message }).toEqual({
      code: 403,
      message:
        'roles.rbac.authorization.k8s.io "b" is forbidden: user "alice" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["configmaps"], Verbs:["list" "watch"]}',
    });
  });
});

describe("impersonation", () => {
  test("needs the right for each impersonated attribute", async () => {
    const headers = { "impersonate-user": "bob" };
    const { code, message } = await call("GET", CONFIG_MAPS, { as: alice, headers });
    expect({ code, message }).toEqual({
      code: 403,
      message: 'users "bob" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
    });
  });

  test("acts with the rights of the impersonated user", async () => {
    await give({ kind: "ServiceAccount", name: "robot", namespace: "default" }, [maps("list")]);
    const headers = { "impersonate-user": "system:serviceaccount:default:robot" };
    expect(await call("GET", CONFIG_MAPS, { headers })).toMatchObject({ code: 200 });
    expect(await call("GET", WIDGETS, { headers })).toMatchObject({ code: 403 });
  });
});

describe("tokens of service accounts", () => {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 600 } };

  async function tokenOf(name: string): Promise<string> {
    await call("POST", accounts, { body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } } });
    const { status } = await call("POST", `${accounts}/${name}/token`, { body: request });
    return status.token;
  }

  test("authenticate the account until they expire by the server's clock", async () => {
    const token = await tokenOf("robot");
    expect(server.authenticate(token)?.user).toBe("system:serviceaccount:default:robot");
    await clock.advance(599_000);
    expect(server.authenticate(token)).toBeDefined();
    await clock.advance(1_000);
    expect(server.authenticate(token)).toBeUndefined();
  });

  test("become invalid with their account, also when another account gets its name", async () => {
    const token = await tokenOf("robot");
    await call("DELETE", `${accounts}/robot`);
    expect(server.authenticate(token)).toBeUndefined();
    await tokenOf("robot");
    expect(server.authenticate(token)).toBeUndefined();
  });

  test("of another server, and modified ones, are invalid", async () => {
    const token = await tokenOf("robot");
    const [head, , signature] = token.split(".");
    const body = Buffer.from(JSON.stringify({ sub: "system:admin", exp: 9e9, aud: ["x"] })).toString("base64url");
    expect(server.authenticate(`${head}.${body}.${signature}`)).toBeUndefined();
    expect(createApiServer({ clock }).authenticate(token)).toBeUndefined();
    expect(server.authenticate("..")).toBeUndefined();
  });

  test("authenticate over HTTPS, as do tokens of users and certificates", async () => {
    server = createApiServer({ authorization: "RBAC", tokens: { "alice-token": alice } });
    const robot = await tokenOf("robot");
    const front = await serveHttps(server, { auth: { token: "root", clientCertificate: true } });
    try {
      const who = async (credentials: Json): Promise<string> => {
        const { request: send } = await import("node:https");
        return new Promise((resolve, reject) => {
          const { token, ...tls } = credentials;
          const headers = { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
          const url = `${front.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
          const sent = send(url, { method: "POST", ca: front.caPem, headers, agent: false, ...tls }, (response) => {
            let text = "";
            response
              .on("data", (chunk) => (text += chunk))
              .on("end", () => {
                const answer = JSON.parse(text) as Json;
                resolve(answer["status"].userInfo?.username ?? answer["message"]);
              });
          });
          sent.on("error", reject).end(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }));
        });
      };
      const bob = await front.clientCertificate({ user: "bob, the builder", groups: ["staff", "a=b"] });
      expect(await who({ token: "root" })).toBe("kubernetes-admin");
      expect(await who({ token: "alice-token" })).toBe("alice");
      expect(await who({ token: robot })).toBe("system:serviceaccount:default:robot");
      expect(await who({ cert: bob.certPem, key: bob.keyPem })).toBe("bob, the builder");
      expect(await who({ token: "nobody's" })).toBe("Unauthorized");
      expect(await who({})).toContain('User "system:anonymous" cannot create resource "selfsubjectreviews"');
    } finally {
      await front.close();
    }
  });
});
