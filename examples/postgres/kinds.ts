/** The resources: a server, and the databases and roles on it. */
import { defineResource, type ObjectOf } from "treadle";
import { managedSpec, managedStatus, managedTraits } from "treadle/managed";
import { z } from "zod";

const GROUP = { group: "postgres.examples.treadle.dev", version: "v1", scope: "Namespaced" } as const;

export const PostgresConfig = defineResource({
  ...GROUP,
  kind: "PostgresConfig",
  spec: z.object({
    host: z.string(),
    port: z.int32().min(1).max(65_535).default(5432),
    user: z.string().default("postgres").describe("A superuser, or a role with CREATEDB and CREATEROLE."),
    secret: z.string().describe("Name of the Secret with the key `password`."),
    database: z.string().default("postgres").describe("The database of the operator's own connections."),
    tls: z.boolean().default(true),
  }),
  status: z.object({}),
});
export interface PostgresConfig extends ObjectOf<typeof PostgresConfig> {}

const connectionLimit = z.int32().min(-1).default(-1).describe("Maximum number of connections; -1: no limit.");

export const Role = defineResource({
  ...GROUP,
  ...managedTraits,
  kind: "Role",
  spec: z.object({
    ...managedSpec,
    login: z.boolean().default(true),
    connectionLimit,
    memberOf: z.array(z.string()).default([]).describe("Names of roles at the server."),
  }),
  status: z.object({ ...managedStatus }),
});
export interface Role extends ObjectOf<typeof Role> {}

export const Database = defineResource({
  ...GROUP,
  ...managedTraits,
  kind: "Database",
  spec: z.object({ ...managedSpec, owner: z.string().describe("Name of a Role in the namespace."), connectionLimit }),
  status: z.object({ ...managedStatus, encoding: z.string() }),
});
export interface Database extends ObjectOf<typeof Database> {}
