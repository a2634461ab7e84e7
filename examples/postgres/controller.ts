/** The handlers: roles with a generated password, and databases that a role owns. */
import { conditions, handler, type ObjectOf, one } from "treadle";
import { Secret } from "treadle/kinds";
import {
  connectionSecret,
  generatedSecret,
  generatedSecretName,
  managed,
  provider,
  providerConfigs,
  reference,
  secretText,
} from "treadle/managed";
import { Database, PostgresConfig, Role } from "./kinds.ts";
import { PgApi } from "./pg-api.ts";

const postgres = provider(PostgresConfig, {
  secret: ({ spec }) => spec.secret,
  connect: ({ config: { spec }, secret }) => new PgApi({ ...spec, password: secretText(secret, "password") }),
  rate: { perSecond: 20, burst: 40 },
});

/** PostgreSQL has one set of names for all namespaces. No namespace contains `_`, so no two objects have the same name. */
const externalName = ({ metadata }: Pick<Role | Database, "metadata">): string => `${metadata.namespace}_${metadata.name}`;

/** Without its Secret a role is observed and deleted all the same. */
const passwordOf = (secret: ObjectOf<typeof Secret> | undefined): string | undefined => secret && secretText(secret, "password");

const role = managed(Role, {
  name: "role",
  provider: postgres,
  reads: { secret: one(Secret, generatedSecretName) },
  externalName,
  graceMs: 0, // PostgreSQL shows a new role at once.
  observe: ({ api, name, reads, signal }) => api.getRole(name, passwordOf(reads.secret), signal),
  desired: ({ spec: { login, connectionLimit, memberOf } }) => ({
    login,
    connectionLimit,
    memberOf: memberOf.toSorted(),
    hasPassword: true,
  }),
  create: ({ api, name, want, reads, signal }) => api.createRole(name, { ...want, password: secretText(reads.secret, "password") }, signal),
  update: ({ api, name, changes, seen, reads, signal }) =>
    api.alterRole(name, { ...changes, password: changes.hasPassword === true ? passwordOf(reads.secret) : undefined }, seen, signal),
  delete: ({ api, name, signal }) => api.dropRole(name, signal),
  connection: ({ role: username }, { reads }) => ({ username, password: passwordOf(reads.secret) }),
});

const database = managed(Database, {
  name: "database",
  provider: postgres,
  references: { owner: reference(Role, ({ spec }) => spec.owner) },
  externalName,
  graceMs: 0,
  observe: ({ api, name, signal }) => api.getDatabase(name, signal),
  desired: ({ spec, references }) => ({ owner: references.owner, connectionLimit: spec.connectionLimit }),
  create: ({ api, name, want, signal }) => api.createDatabase(name, want, signal),
  update: ({ api, name, changes, signal }) => api.alterDatabase(name, changes, signal),
  delete: ({ api, name, signal }) => api.dropDatabase(name, signal),
  state: ({ isOpen }) => (isOpen ? "Available" : { type: "Unavailable", message: "the database takes no connections" }),
  status: ({ encoding }) => ({ encoding }),
  connection: ({ host, port, database: name }) => ({ host, port: String(port), database: name }),
});

export const roles = handler(Role)
  .step(conditions())
  .step(generatedSecret(Role, { keys: ["password"] }))
  .step(role)
  .step(connectionSecret(role))
  .build();
export const databases = handler(Database).step(conditions()).step(database).step(connectionSecret(database)).build();
export const configs = providerConfigs(postgres, [Role, Database]);
