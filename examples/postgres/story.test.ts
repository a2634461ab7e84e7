/** Users' stories on a real PostgreSQL server. They run on the in-memory API server and, unchanged, on a real control plane. */
import "@treadle/testing/matchers";
import { secretText, startTestCluster } from "@treadle/testing";
import { Client } from "pg";
import { Secret } from "treadle/kinds";
import { beforeAll, expect, test } from "vitest";
import { Database, PostgresConfig, Role } from "./kinds.ts";
import { findBinaries, type PostgresBinaries } from "./postgres-binaries.ts";
import { begun, type World } from "./story.ts";

const TIMEOUT = { timeout: 120_000 };

let binaries: PostgresBinaries | string;
beforeAll(async () => {
  binaries = await findBinaries(); // Once: a download that fails takes a while.
  if (typeof binaries === "string") console.info(`skipped: ${binaries}`);
});

/** PostgreSQL is in real time. */
const start = (skip: (reason: string) => never): Promise<World> =>
  begun({ binaries, skip, startCluster: () => startTestCluster({ time: "real" }) });

/** A role `app` and a database `shop` of it, Ready. */
async function shop(world: World): Promise<void> {
  const { cluster } = world;
  await cluster.create(Role, { metadata: { name: "app" }, spec: { connectionLimit: 9 } });
  await cluster.create(Database, { metadata: { name: "shop" }, spec: { owner: "app" } });
  await ready(world, Role, "app");
  await ready(world, Database, "shop");
}

async function ready(world: World, kind: typeof Role | typeof Database, name: string): Promise<void> {
  await expect.poll(() => conditionOf(world, kind, name, "Ready"), { timeout: 60_000 }).toMatch(/^True Available/);
}

/** The condition as one text. */
async function conditionOf({ cluster }: World, kind: typeof Role | typeof Database, name: string, type: string): Promise<string> {
  const found = (await cluster.get(kind, name))?.status?.conditions?.find((each) => each.type === type);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

test("a Role and a Database become Ready, and a program can use their Secrets", TIMEOUT, async ({ skip }) => {
  await using world = await start(skip);
  const { cluster, server } = world;
  await shop(world);
  expect((await cluster.get(Role, "app"))?.status).toMatchObject({ externalName: "default_app" });
  expect((await cluster.get(Database, "shop"))?.status).toMatchObject({ externalName: "default_shop", encoding: "UTF8" });
  const login = secretText(await cluster.get(Secret, "app-role"));
  const place = secretText(await cluster.get(Secret, "shop-database"));
  expect(login).toEqual({ username: "default_app", password: expect.stringMatching(/^.{16,}$/) });
  expect(place).toEqual({ host: server.host, port: String(server.port), database: "default_shop" });
  const client = new Client({ ...place, port: Number(place["port"]), user: login["username"], password: login["password"] });
  await client.connect();
  await client.query("CREATE TABLE orders (id int)");
  await client.end();
});

test("changes by hand are reverted, and a database that was dropped by hand is created again", TIMEOUT, async ({ skip }) => {
  await using world = await start(skip);
  const { api, sql, look } = world;
  await shop(world);
  await sql("ALTER DATABASE default_shop OWNER TO admin; ALTER DATABASE default_shop CONNECTION LIMIT 3");
  await sql("ALTER ROLE default_app NOLOGIN PASSWORD 'by hand'; GRANT pg_monitor TO default_app");
  await look(Database, "shop");
  await look(Role, "app");
  expect(await api.getDatabase("default_shop")).toMatchObject({ owner: "default_app", connectionLimit: -1 });
  const password = secretText(await world.cluster.get(Secret, "app-role"))["password"];
  expect(await api.getRole("default_app", password)).toEqual({
    role: "default_app",
    login: true,
    connectionLimit: 9,
    memberOf: [],
    hasPassword: true,
  });
  await sql("DROP DATABASE default_shop");
  await look(Database, "shop");
  await ready(world, Database, "shop");
  expect(await api.getDatabase("default_shop")).toMatchObject({ owner: "default_app" });
});

test("a change of the spec is applied", TIMEOUT, async ({ skip }) => {
  await using world = await start(skip);
  const { api, cluster } = world;
  await shop(world);
  await cluster.create(Role, { metadata: { name: "other" }, spec: {} });
  await ready(world, Role, "other");
  await cluster.update(Role, "app", ({ spec }) => void Object.assign(spec, { memberOf: ["pg_read_all_data"], connectionLimit: 4 }));
  await cluster.update(Database, "shop", ({ spec }) => void Object.assign(spec, { owner: "other", connectionLimit: 7 }));
  await expect.poll(() => api.getRole("default_app", undefined)).toMatchObject({ memberOf: ["pg_read_all_data"], connectionLimit: 4 });
  await expect.poll(() => api.getDatabase("default_shop")).toMatchObject({ owner: "default_other", connectionLimit: 7 });
});

test("a role whose generated Secret was deleted gets a new password", TIMEOUT, async ({ skip }) => {
  await using world = await start(skip);
  const { api, cluster } = world;
  await shop(world);
  const passwordOf = async (): Promise<string | undefined> => secretText(await cluster.get(Secret, "app-role"))["password"];
  const before = await passwordOf();
  await cluster.delete(Secret, "app-role-generated");
  await expect.poll(passwordOf).not.toBe(before);
  await expect.poll(async () => (await api.getRole("default_app", await passwordOf()))?.hasPassword).toBe(true);
});

test("a deletion drops the database before the role that owns it", TIMEOUT, async ({ skip }) => {
  await using world = await start(skip);
  const { api, cluster } = world;
  await shop(world);
  await cluster.delete(Role, "app");
  await cluster.settled();
  expect(await conditionOf(world, Role, "app", "Synced")).toContain("some objects depend on it (owner of database default_shop)");
  expect(await api.getRole("default_app", undefined), "it still owns a database").toBeDefined();
  await cluster.delete(Database, "shop");
  await expect.poll(() => cluster.get(Database, "shop")).toBeUndefined();
  await expect.poll(() => cluster.get(Role, "app")).toBeUndefined();
  expect([await api.getDatabase("default_shop"), await api.getRole("default_app", undefined)]).toEqual([undefined, undefined]);
});

test("an existing database is refused without the annotation and imported with it, and an orphan stays", TIMEOUT, async ({ skip }) => {
  await using world = await start(skip);
  const { api, cluster, sql } = world;
  await cluster.create(Role, { metadata: { name: "app" }, spec: {} });
  await ready(world, Role, "app");
  await sql("CREATE DATABASE default_old");
  await sql(`CREATE DATABASE "Legacy.Shop"`);
  await cluster.create(Database, { metadata: { name: "old" }, spec: { owner: "app" } });
  await expect.poll(() => conditionOf(world, Database, "old", "Synced")).toMatch(/^False AlreadyExists: .*treadle.dev\/external-name/);
  await cluster.create(Database, {
    metadata: { name: "legacy", annotations: { "treadle.dev/external-name": "Legacy.Shop" } },
    spec: { owner: "app", deletionPolicy: "Orphan" },
  });
  await ready(world, Database, "legacy");
  expect(await api.getDatabase("Legacy.Shop")).toMatchObject({ owner: "default_app" });
  expect(await api.getDatabase("default_old"), "it was not imported").toMatchObject({ owner: "admin" });
  for (const name of ["old", "legacy"]) {
    await cluster.delete(Database, name);
    await expect.poll(() => cluster.get(Database, name)).toBeUndefined();
  }
  expect(await api.getDatabase("Legacy.Shop")).toMatchObject({ owner: "default_app" });
  expect(await api.getDatabase("default_old"), "its deletion is not ours").toBeDefined();
});

test("a wrong password is refused, and objects recover when the Secret is right", TIMEOUT, async ({ skip }) => {
  await using world = await start(skip);
  const { cluster, server } = world;
  await shop(world);
  await cluster.update(Secret, "postgres", (secret) => void (secret.data = { password: btoa("wrong") }));
  await world.look(Database, "shop");
  await expect.poll(() => conditionOf(world, Database, "shop", "Synced")).toMatch(/^False CredentialsRefused: /);
  expect(await cluster.get(Database, "shop"), "it was Ready when it was last observed").toBeReady();
  expect(JSON.stringify(await cluster.get(Database, "shop"))).not.toContain(server.password);
  await cluster.update(Secret, "postgres", (secret) => void (secret.data = { password: btoa(server.password) }));
  await expect.poll(() => conditionOf(world, Database, "shop", "Synced")).toMatch(/^True ReconcileSuccess/);
});

test("a server in use keeps its config", TIMEOUT, async ({ skip }) => {
  await using world = await start(skip);
  const { cluster } = world;
  await shop(world);
  await cluster.delete(PostgresConfig, "default");
  await cluster.settled();
  expect(await cluster.get(PostgresConfig, "default")).toHaveCondition("Ready", { status: "False", reason: "InUse" });
  for (const kind of [Database, Role]) await cluster.delete(kind, kind === Database ? "shop" : "app");
  await expect.poll(() => cluster.get(PostgresConfig, "default")).toBeUndefined();
});
