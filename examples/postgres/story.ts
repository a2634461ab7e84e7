/** What the stories share: a PostgreSQL server, a cluster with the operator, and an administrator who works by hand. */
import type { TestCluster, TestOperator } from "@treadle/testing";
import { Client } from "pg";
import type { Kind } from "treadle";
import { Secret } from "treadle/kinds";
import { configs, databases, roles } from "./controller.ts";
import { type Database, PostgresConfig, type Role } from "./kinds.ts";
import { PgApi, type PgOptions } from "./pg-api.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

/** A world of its own for one test. Disposing it stops the cluster first, then the server. */
export interface World extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly operator: TestOperator;
  readonly server: PostgresServer;
  /** The API as the superuser. */
  readonly api: PgApi;
  /** Runs a statement as the superuser, by hand. */
  sql(statement: string): Promise<readonly object[]>;
  /** Requests a pass for an object now, and waits for its end. */
  look(kind: Kind<Database | Role>, name: string): Promise<void>;
}

/** The options of {@link begun}. */
interface WorldOptions {
  /** The result of `findBinaries()`. */
  readonly binaries: PostgresBinaries | string;
  /** Skips the test, with the reason. */
  readonly skip: (reason: string) => never;
  readonly startCluster: () => Promise<TestCluster>;
}

/** Starts a world, or skips the test. */
export async function begun({ binaries, skip, startCluster }: WorldOptions): Promise<World> {
  const server = await startPostgres(binaries);
  if (typeof server === "string") return skip(server);
  await using stack = new AsyncDisposableStack();
  stack.use(server);
  const { host, port, user, password } = server;
  const options: PgOptions = { host, port, user, password, database: "postgres", tls: false };
  const api = stack.use(new PgApi(options));
  const cluster = stack.use(await startCluster());
  await cluster.create(Secret, { metadata: { name: "postgres" }, data: { password: btoa(password) } });
  const operator = await cluster.start([configs, roles, databases]);
  await cluster.create(PostgresConfig, { metadata: { name: "default" }, spec: { host, port, user, secret: "postgres", tls: false } });
  let looks = 0;
  const owned = stack.move();
  return {
    cluster,
    operator,
    server,
    api,
    async sql(statement) {
      const client = new Client({ host, port, user, password, database: "postgres" });
      await client.connect();
      try {
        return (await client.query<object>(statement)).rows;
      } finally {
        await client.end();
      }
    },
    async look(kind, name) {
      await cluster.update(kind, name, ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, "treadle.dev/reconcile-requested-at": String(++looks) };
      });
      await cluster.settled();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
