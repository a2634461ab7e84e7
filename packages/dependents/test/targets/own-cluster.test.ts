/** Objects in the operator's own cluster, written as another user. */
import { isForbidden } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { createApiServer, serveHttps } from "@treadle/apiserver";
import { createClient, httpTransport } from "@treadle/client";
import { expect, onTestFinished, test } from "vitest";
import { isTargetError, serviceAccount, targets, type TargetOptions, user } from "../../src/targets/index.ts";
import { connected, servicesOf } from "./fixture.ts";

/** Reads an object as the user of the options. Returns the error, and the headers of the request. */
async function failureAs(options: TargetOptions<never>) {
  const server = createApiServer({ authorization: "RBAC" });
  const front = await serveHttps(server, { auth: { token: "admin" } });
  onTestFinished(() => front.close());
  const headers: (string | undefined)[][] = [];
  server.onRequest((request) => headers.push([request.headers["impersonate-user"], request.headers["impersonate-group"]]));
  const transport = httpTransport({ server: front.url, credentials: { ca: front.caPem, headers: { authorization: "Bearer admin" } } });
  const client = createClient({ transport });
  onTestFinished(() => client.close());
  const services = servicesOf({ client });
  onTestFinished(async () => services[Symbol.asyncDispose]());
  const { connection, identity } = connected(targets().target(options), services);
  const error: unknown = await connection.client.get(ConfigMap, { name: "a", namespace: "default" }).catch((caught: unknown) => caught);
  return { error, headers, connection, identity };
}

test("a service account is impersonated by the client of the operator, and its refusal is no error of a target", async () => {
  const { error, headers, connection } = await failureAs({ as: () => serviceAccount("deployer") });
  expect(isForbidden(error)).toBe(true);
  expect(isTargetError(error)).toBe(false);
  expect(headers).toEqual([["system:serviceaccount:team:deployer", undefined]]);
  expect(connection.enter("a", () => undefined).type).toBe("entered");
  expect(await connection.clusterId(AbortSignal.timeout(1_000))).toBe("local");
});

test("each group is sent as its own group", async () => {
  const { error, headers } = await failureAs({
    as: () => user("jane"),
    groups: () => ["dev team", "ops"],
    allow: { groups: ["dev team", "ops"] },
  });
  expect(isForbidden(error)).toBe(true);
  expect(headers).toEqual([["jane", "dev team, ops"]]);
});
