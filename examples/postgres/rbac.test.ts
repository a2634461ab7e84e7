/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { Secret } from "treadle/kinds";
import { expect, test } from "vitest";
import { configs, databases, roles } from "./controller.ts";
import { Database, PostgresConfig, Role } from "./kinds.ts";
import { PgApi } from "./pg-api.ts";
import { startPostgres } from "./postgres-server.ts";

test("the operator needs each of its rights and no others", { timeout: 600_000 }, async ({ skip }) => {
  const server = await startPostgres();
  if (typeof server === "string") {
    console.info(`skipped: ${server}`);
    return skip(server);
  }
  await using stack = new AsyncDisposableStack();
  stack.use(server);
  const { host, port, user, password } = server;
  const api = stack.use(new PgApi({ host, port, user, password, database: "postgres", tls: false }));
  const cluster = stack.use(await startTestCluster({ time: "real", kinds: [PostgresConfig, Role, Database], checkStatus: false }));
  const runs = await checkRights(cluster, [configs, roles, databases], {
    timeoutMs: 90_000,
    async run({ namespaces: [namespace], until }) {
      const metadata = { name: "a", namespace };
      const key = `${namespace}/a`;
      await cluster.create(Secret, { metadata, data: { password: btoa(password) } });
      await cluster.create(PostgresConfig, {
        metadata: { ...metadata, name: "default" },
        spec: { host, port, user, secret: "a", tls: false },
      });
      await cluster.create(Role, { metadata, spec: {} });
      await cluster.create(Database, { metadata, spec: { owner: "a" } });
      await until("the database exists", async () => (await api.getDatabase(`${namespace}_a`)) !== undefined);
      const isPublished = async (): Promise<boolean> => (await cluster.get(Secret, `${key}-database`))?.data?.["host"] !== undefined;
      await until("the Secret of the database is published", isPublished);
      await until("the config is protected", async () => {
        const config = await cluster.get(PostgresConfig, `${namespace}/default`);
        return (config?.metadata.finalizers ?? []).length > 0 && config?.status?.conditions !== undefined;
      });
      // The second change repeats an event, which needs a right of its own.
      for (const look of ["1", "2"]) {
        await api.alterDatabase(`${namespace}_a`, { connectionLimit: 17 });
        await cluster.update(Database, key, (each) => {
          each.metadata.annotations = { ...each.metadata.annotations, "treadle.dev/reconcile-requested-at": look };
        });
        await until("the limit is reverted", async () => (await api.getDatabase(`${namespace}_a`))?.connectionLimit === -1);
      }
      await cluster.delete(Database, key);
      await until("the Database is gone", async () => (await cluster.get(Database, key)) === undefined);
      await cluster.delete(Role, key);
      await until("the Role is gone", async () => (await cluster.get(Role, key)) === undefined);
      await cluster.delete(PostgresConfig, `${namespace}/default`);
      await until("the config is gone", async () => (await cluster.get(PostgresConfig, `${namespace}/default`)) === undefined);
    },
  });
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
  expect(runs).toHaveLength(26);
});
