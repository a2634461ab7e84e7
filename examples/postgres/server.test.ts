/** The API against a real PostgreSQL server. */
import { Client } from "pg";
import { TerminalError } from "treadle";
import { CredentialsRefused } from "treadle/managed";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { PgApi, type PgOptions } from "./pg-api.ts";
import { isVerifierOf, verifierOf } from "./pg-password.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

let started: PostgresServer | string;
let server: PostgresServer;
let api: PgApi;

beforeAll(async () => {
  started = await startPostgres();
  if (typeof started === "string") return console.info(`skipped: ${started}`);
  server = started;
  api = new PgApi(options());
}, 120_000);
afterAll(async () => {
  if (typeof started === "string") return;
  await api[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
beforeEach(({ skip }) => {
  if (typeof started === "string") skip(started);
});

const options = (changes: Partial<PgOptions> = {}): PgOptions => ({
  host: server.host,
  port: server.port,
  database: "postgres",
  user: server.user,
  password: server.password,
  tls: false,
  ...changes,
});

/** A session of an administrator. */
async function admin(changes: Partial<PgOptions> = {}): Promise<Client & AsyncDisposable> {
  const { tls, ...rest } = options(changes);
  const client = new Client({ ...rest, ssl: tls });
  client.on("error", () => {});
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const failure = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => expect.unreachable("the call succeeded"),
    (error: unknown) => error as Error,
  );

const ROLE = { login: true, connectionLimit: -1, memberOf: [] };

test("a database is created, changed and dropped, and a repeated call changes nothing", async () => {
  await api.createRole("first", ROLE);
  await api.createRole("second", ROLE);
  expect(await api.getDatabase("shop")).toBeUndefined();
  for (const connectionLimit of [5, 9]) await api.createDatabase("shop", { owner: "first", connectionLimit });
  const { host, port } = server;
  const shop = { host, port, database: "shop", owner: "first", connectionLimit: 5, encoding: "UTF8", isOpen: true };
  expect(await api.getDatabase("shop"), "the second create modified nothing").toEqual(shop);
  await api.alterDatabase("shop", { owner: "second" });
  await api.alterDatabase("shop", { connectionLimit: 7 });
  await api.alterDatabase("shop", {});
  expect(await api.getDatabase("shop")).toEqual({ ...shop, owner: "second", connectionLimit: 7 });
  for (let i = 0; i < 2; i++) await api.dropDatabase("shop");
  expect(await api.getDatabase("shop")).toBeUndefined();
});

test.for(["a.b-c", "With Blank", `quote"quote`, "it's", `x"; DROP DATABASE postgres; --`, "größe", "$1", "\\"])(
  "a database and a role named %j are created and dropped",
  async (name) => {
    await api.createRole(name, { ...ROLE, password: "p" });
    await api.createDatabase(name, { owner: name, connectionLimit: -1 });
    expect(await api.getDatabase(name)).toMatchObject({ database: name, owner: name });
    await using session = await admin({ database: name, user: name, password: "p" });
    expect((await session.query<{ name: string }>("SELECT current_database()::text AS name")).rows).toEqual([{ name }]);
    await api.dropDatabase(name); // Ends the session.
    await api.dropRole(name);
    expect([await api.getDatabase(name), await api.getRole(name, undefined)]).toEqual([undefined, undefined]);
  },
);

test("a role has its login, its limit and its memberships", async () => {
  for (const group of ["readers", "writers"]) await api.createRole(group, { ...ROLE, login: false });
  for (let i = 0; i < 2; i++) await api.createRole("app", { ...ROLE, memberOf: ["readers"] });
  const app = { role: "app", login: true, connectionLimit: -1, memberOf: ["readers"], hasPassword: true };
  expect(await api.getRole("app", undefined)).toEqual(app);
  await api.alterRole("app", { memberOf: ["pg_monitor", "writers"], login: false, connectionLimit: 3 }, app);
  expect(await api.getRole("app", undefined)).toEqual({ ...app, memberOf: ["pg_monitor", "writers"], login: false, connectionLimit: 3 });
  for (let i = 0; i < 2; i++) await api.dropRole("app");
  expect(await api.getRole("app", undefined)).toBeUndefined();
});

test("the server takes the password of a role, and a changed password is noticed", async () => {
  await api.createRole("keeper", { ...ROLE, password: "first" });
  await (await admin({ user: "keeper", password: "first" })).end();
  expect(await api.getRole("keeper", "first")).toMatchObject({ hasPassword: true });
  expect(await api.getRole("keeper", "second")).toMatchObject({ hasPassword: false });
  await using session = await admin();
  await session.query("ALTER ROLE keeper PASSWORD 'by hand'");
  expect(await api.getRole("keeper", "first")).toMatchObject({ hasPassword: false });
  expect(await api.getRole("keeper", "by hand"), "a verifier that the server made").toMatchObject({ hasPassword: true });
  await session.query("ALTER ROLE keeper PASSWORD NULL");
  expect(await api.getRole("keeper", "first")).toMatchObject({ hasPassword: false });
});

test("a verifier has a salt of its own, and is one of its password alone", () => {
  const [a, b] = [verifierOf("secret"), verifierOf("secret")];
  expect(a).not.toBe(b);
  expect([isVerifierOf(a, "secret"), isVerifierOf(b, "secret"), isVerifierOf(a, "other")]).toEqual([true, true, false]);
  expect([isVerifierOf(null, ""), isVerifierOf("md5abc", "secret"), isVerifierOf(`${a}x`, "secret")]).toEqual([false, false, false]);
});

test.for<{ name: string; call: (api: PgApi) => Promise<unknown>; isFinal: boolean; message: RegExp }>([
  {
    name: "a name of 64 bytes is final: PostgreSQL would cut it",
    call: (it) => it.getDatabase("ä".repeat(32)),
    isFinal: true,
    message: /^cannot use the name "ä+": it has 64 bytes, and at most 63 are allowed$/,
  },
  {
    name: "an empty name is final",
    call: (it) => it.createDatabase("", { owner: "o", connectionLimit: -1 }),
    isFinal: true,
    message: /^cannot use the name "": it is empty$/,
  },
  {
    name: "a zero byte in a name is final",
    call: (it) => it.getRole("a\0b", undefined),
    isFinal: true,
    message: /^cannot use the name "a\\u0000b": it contains a zero byte$/,
  },
  {
    name: "a reserved name is final",
    call: (it) => it.createRole("pg_own", ROLE),
    isFinal: true,
    message: /^cannot create role "pg_own": role name "pg_own" is reserved$/,
  },
  {
    name: "a limit that is not allowed is final",
    call: (it) => it.createRole("limited", { ...ROLE, connectionLimit: -7 }),
    isFinal: true,
    message: /^cannot create role "limited": invalid connection limit: -7$/,
  },
  {
    name: "an owner that does not exist is retried",
    call: (it) => it.createDatabase("owned", { owner: "missing", connectionLimit: -1 }),
    isFinal: false,
    message: /^cannot create database "owned": role "missing" does not exist$/,
  },
])("$name", async ({ call, isFinal, message }) => {
  const error = await failure(call(api));
  expect(error.message).toMatch(message);
  expect(error instanceof TerminalError).toBe(isFinal);
  expect(error).not.toBeInstanceOf(CredentialsRefused);
});

test("a role that owns a database is not dropped, and the error names the database", async () => {
  await api.createRole("owner", ROLE);
  await api.createDatabase("owned", { owner: "owner", connectionLimit: -1 });
  const error = await failure(api.dropRole("owner"));
  expect(error).not.toBeInstanceOf(TerminalError);
  expect(error.message).toBe(
    `cannot drop role "owner": role "owner" cannot be dropped because some objects depend on it (owner of database owned)`,
  );
  await api.dropDatabase("owned");
  await api.dropRole("owner");
});

test("a wrong password, and a role without rights, are refused credentials", async () => {
  await api.createRole("nobody", { ...ROLE, password: "p" });
  await using wrong = new PgApi(options({ password: "wrong-password" }));
  const error = await failure(wrong.getDatabase("postgres"));
  expect(error).toBeInstanceOf(CredentialsRefused);
  expect(error.message).toBe(`cannot observe database "postgres": password authentication failed for user "admin"`);
  await using weak = new PgApi(options({ user: "nobody", password: "p" }));
  expect(await failure(weak.createDatabase("mine", { owner: "nobody", connectionLimit: -1 }))).toBeInstanceOf(CredentialsRefused);
  expect(await weak.getRole("nobody", "other"), "only a superuser can tell").toMatchObject({ hasPassword: true });
});

test("a server that is full is an error that is retried", async () => {
  await api.createRole("crowd", { ...ROLE, connectionLimit: 1, password: "p" });
  await using _session = await admin({ user: "crowd", password: "p" });
  await using second = new PgApi(options({ user: "crowd", password: "p" }));
  const error = await failure(second.getDatabase("postgres"));
  expect(error).not.toBeInstanceOf(TerminalError);
  expect(error).not.toBeInstanceOf(CredentialsRefused);
  expect(error.message).toBe(`cannot observe database "postgres": too many connections for role "crowd"`);
});

test("a statement ends with its signal", async () => {
  await using session = await admin();
  await using blocked = new PgApi(options());
  await blocked.getDatabase("postgres"); // A new connection would wait for the lock too.
  await session.query("BEGIN; LOCK TABLE pg_authid");
  const abort = new AbortController();
  const call = failure(blocked.getRole("admin", undefined, abort.signal));
  abort.abort(new Error("deadline"));
  expect((await call).message).toBe("deadline");
  await session.query("ROLLBACK");
  expect(await blocked.getRole("admin", server.password)).toMatchObject({ login: true, hasPassword: true });
});

test("an API whose idle connections are ended by the server connects again", async () => {
  await using other = new PgApi(options());
  await other.getDatabase("postgres");
  await using session = await admin();
  await session.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'treadle'");
  // The first call may find the broken connection.
  await expect.poll(() => other.getDatabase("postgres").catch(() => undefined)).toMatchObject({ owner: "admin" });
});

test("a server that does not run is an error that is retried, and the stopped server left nothing", async () => {
  const own = await startPostgres();
  if (typeof own === "string") return expect.unreachable(own);
  await using gone = new PgApi(options({ port: own.port, password: own.password }));
  expect(await gone.getDatabase("postgres")).toBeDefined();
  await own[Symbol.asyncDispose]();
  const error = await failure(gone.getDatabase("postgres").catch(() => gone.getDatabase("postgres")));
  expect(error).not.toBeInstanceOf(TerminalError);
  expect(error.message).toBe(`cannot observe database "postgres": connect ECONNREFUSED 127.0.0.1:${own.port}`);
  expect(() => process.kill(own.pid, 0)).toThrow("ESRCH");
});
