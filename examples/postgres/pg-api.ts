/** The API of a PostgreSQL server for databases and roles: names of any characters, repeatable calls, errors with their meaning. */
import { escapeIdentifier, escapeLiteral, Pool, type PoolClient, type QueryResultRow } from "pg";
import { TerminalError } from "treadle";
import { isDuplicate, pgError } from "./pg-errors.ts";
import { isVerifierOf, verifierOf } from "./pg-password.ts";

/** How to reach the server, and as whom. */
export interface PgOptions {
  readonly host: string;
  readonly port: number;
  /** The database of the connection. Statements about databases need one that they do not change. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Whether the connection is encrypted, and the certificate is verified. */
  readonly tls: boolean;
}

/** The settings of a database that can be changed. */
export interface DatabaseSettings {
  readonly owner: string;
  /** Maximum number of connections; -1: no limit. */
  readonly connectionLimit: number;
}

/** A database, and where it is. */
export interface DatabaseInfo extends DatabaseSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly encoding: string;
  /** Whether it takes connections. An interrupted `DROP DATABASE` leaves a database that does not. */
  readonly isOpen: boolean;
}

/** The settings of a role that can be changed. */
export interface RoleSettings {
  readonly login: boolean;
  /** Maximum number of connections; -1: no limit. */
  readonly connectionLimit: number;
  /** The names of the roles that this role is a member of, sorted. */
  readonly memberOf: readonly string[];
}

/** A role. */
export interface RoleInfo extends RoleSettings {
  readonly role: string;
  /** Whether the role has the given password. It is `true` as well where only a superuser could tell. */
  readonly hasPassword: boolean;
}

/** The settings of a role, and its password. */
export type RoleChanges = Partial<RoleSettings> & { readonly password?: string | undefined };

/** A connection pool with the statements of the operator. Disposing it ends the connections. */
export class PgApi implements AsyncDisposable {
  readonly #options: PgOptions;
  readonly #pool: Pool;

  constructor(options: PgOptions) {
    const { host, port, database, user, password, tls } = options;
    this.#options = options;
    const target = { host, port, database, user, password, ssl: tls, application_name: "treadle" };
    this.#pool = new Pool({ ...target, max: 4, connectionTimeoutMillis: 10_000, allowExitOnIdle: true });
    // The pool replaces a connection that breaks while it is idle. Without a listener the error would end the process.
    this.#pool.on("error", () => {});
  }

  /** Returns a database, or `undefined` if it does not exist. */
  async getDatabase(name: string, signal?: AbortSignal): Promise<DatabaseInfo | undefined> {
    identifier(name); // A longer name would find the database with the shortened one.
    const [row] = await this.#query<DatabaseRow>(`observe database ${quoted(name)}`, GET_DATABASE, signal, [name]);
    const { host, port } = this.#options;
    return row && { ...row, host, port, database: name };
  }

  /** Creates a database. One that exists is not modified. */
  async createDatabase(name: string, settings: DatabaseSettings, signal?: AbortSignal): Promise<void> {
    const sql = `CREATE DATABASE ${identifier(name)} OWNER ${identifier(settings.owner)} CONNECTION LIMIT ${integer(settings.connectionLimit)}`;
    await this.#query(`create database ${quoted(name)}`, sql, signal).catch(ignoreDuplicate);
  }

  /** Changes the owner and the connection limit of a database, both or none. */
  async alterDatabase(name: string, { owner, connectionLimit }: Partial<DatabaseSettings>, signal?: AbortSignal): Promise<void> {
    const statements = [
      ...(owner === undefined ? [] : [`ALTER DATABASE ${identifier(name)} OWNER TO ${identifier(owner)}`]),
      ...(connectionLimit === undefined ? [] : [`ALTER DATABASE ${identifier(name)} CONNECTION LIMIT ${integer(connectionLimit)}`]),
    ];
    await this.#query(`change database ${quoted(name)}`, statements.join("; "), signal);
  }

  /** Drops a database, and ends the connections to it. A database that does not exist is no error. */
  async dropDatabase(name: string, signal?: AbortSignal): Promise<void> {
    await this.#query(`drop database ${quoted(name)}`, `DROP DATABASE IF EXISTS ${identifier(name)} WITH (FORCE)`, signal);
  }

  /** Returns a role, or `undefined` if it does not exist. `password` is the one that it should have. */
  async getRole(name: string, password: string | undefined, signal?: AbortSignal): Promise<RoleInfo | undefined> {
    const action = `observe role ${quoted(name)}`;
    identifier(name);
    const [row] = await this.#query<RoleRow>(action, GET_ROLE, signal, [name]);
    if (row === undefined) return undefined;
    const { canReadPasswords, ...settings } = row;
    if (!canReadPasswords || password === undefined) return { ...settings, role: name, hasPassword: true };
    const [stored] = await this.#query<{ verifier: string | null }>(action, GET_VERIFIER, signal, [name]);
    return { ...settings, role: name, hasPassword: isVerifierOf(stored?.verifier ?? null, password) };
  }

  /** Creates a role with its memberships. One that exists is not modified. */
  async createRole(name: string, settings: RoleSettings & RoleChanges, signal?: AbortSignal): Promise<void> {
    const statements = [`CREATE ROLE ${identifier(name)}${roleOptions(settings)}`, ...grants(name, settings.memberOf, [])];
    await this.#query(`create role ${quoted(name)}`, statements.join("; "), signal).catch(ignoreDuplicate);
  }

  /** Changes a role: all of `changes` or nothing. `before` has the memberships that are revoked where `changes` lacks them. */
  async alterRole(name: string, changes: RoleChanges, before: RoleSettings, signal?: AbortSignal): Promise<void> {
    const options = roleOptions(changes);
    const statements = [
      ...(options === "" ? [] : [`ALTER ROLE ${identifier(name)}${options}`]),
      ...(changes.memberOf === undefined ? [] : grants(name, changes.memberOf, before.memberOf)),
    ];
    await this.#query(`change role ${quoted(name)}`, statements.join("; "), signal);
  }

  /** Drops a role. The server refuses while the role owns anything. A role that does not exist is no error. */
  async dropRole(name: string, signal?: AbortSignal): Promise<void> {
    await this.#query(`drop role ${quoted(name)}`, `DROP ROLE IF EXISTS ${identifier(name)}`, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }

  /** Runs statements; without values several, as one transaction. An abort ends the connection, because `pg` cannot end a statement. */
  async #query<R extends QueryResultRow>(action: string, sql: string, signal?: AbortSignal, values?: readonly unknown[]): Promise<R[]> {
    signal?.throwIfAborted();
    if (sql === "") return [];
    let client: PoolClient | undefined;
    let isAborted = false;
    const abort = (): void => {
      isAborted = true;
      client?.release(true);
    };
    try {
      client = await this.#pool.connect();
      signal?.throwIfAborted();
      signal?.addEventListener("abort", abort, { once: true });
      return (await client.query<R>(sql, values === undefined ? undefined : [...values])).rows;
    } catch (error) {
      signal?.throwIfAborted();
      throw pgError(action, error);
    } finally {
      signal?.removeEventListener("abort", abort);
      if (!isAborted) client?.release();
    }
  }
}

interface DatabaseRow {
  readonly owner: string;
  readonly connectionLimit: number;
  readonly encoding: string;
  readonly isOpen: boolean;
}

/** A limit of -2 marks what an interrupted `DROP DATABASE` has left. */
const GET_DATABASE = `
  SELECT pg_get_userbyid(datdba)::text AS owner, datconnlimit AS "connectionLimit", pg_encoding_to_char(encoding)::text AS encoding,
    datallowconn AND datconnlimit <> -2 AS "isOpen"
  FROM pg_database WHERE datname = $1`;

interface RoleRow extends RoleSettings {
  readonly canReadPasswords: boolean;
}

const GET_ROLE = `
  SELECT rolcanlogin AS login, rolconnlimit AS "connectionLimit", has_table_privilege('pg_authid', 'SELECT') AS "canReadPasswords",
    ARRAY(SELECT DISTINCT pg_get_userbyid(roleid)::text COLLATE "C" FROM pg_auth_members WHERE member = pg_roles.oid ORDER BY 1) AS "memberOf"
  FROM pg_roles WHERE rolname = $1`;

const GET_VERIFIER = `SELECT rolpassword AS verifier FROM pg_authid WHERE rolname = $1`;

function roleOptions({ login, connectionLimit, password }: RoleChanges): string {
  return [
    ...(login === undefined ? [] : [login ? " LOGIN" : " NOLOGIN"]),
    ...(connectionLimit === undefined ? [] : [` CONNECTION LIMIT ${integer(connectionLimit)}`]),
    ...(password === undefined ? [] : [` PASSWORD ${escapeLiteral(verifierOf(password))}`]),
  ].join("");
}

function grants(name: string, wanted: readonly string[], before: readonly string[]): readonly string[] {
  return [
    ...wanted.filter((group) => !before.includes(group)).map((group) => `GRANT ${identifier(group)} TO ${identifier(name)}`),
    ...before.filter((group) => !wanted.includes(group)).map((group) => `REVOKE ${identifier(group)} FROM ${identifier(name)}`),
  ];
}

/** PostgreSQL cuts longer names without an error, so that two names could become one. */
const MAX_NAME_BYTES = 63;

/** Returns a name as it is written in a statement. @throws TerminalError when PostgreSQL cannot have the name */
function identifier(name: string): string {
  const bytes = Buffer.byteLength(name);
  const problem =
    bytes === 0 ? "it is empty" : bytes > MAX_NAME_BYTES ? `it has ${bytes} bytes, and at most ${MAX_NAME_BYTES} are allowed` : undefined;
  if (problem !== undefined || name.includes("\0")) {
    throw new TerminalError(`cannot use the name ${quoted(name)}: ${problem ?? "it contains a zero byte"}`, { code: "InvalidName" });
  }
  return escapeIdentifier(name);
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

/** Statements about databases and roles take no parameters. @throws TypeError when `value` is not an integer */
function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`not an integer: ${value}`);
  return String(value);
}

function ignoreDuplicate(error: unknown): [] {
  if (!isDuplicate((error as Error).cause)) throw error;
  return [];
}
