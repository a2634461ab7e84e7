/** The Secrets of releases: reads them, and writes them as plain requests. No rules about who may. */
import { isAlreadyExists, isNotFound, type KubernetesObject, metadataOnly, type Ref } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";
import { headName, NAME_LABEL, REVISION_LABEL, revisionName } from "../name.ts";
import { type Lock, lockIn } from "./lock.ts";
import { decoded, encoded, type ReleaseRecord, type RevisionRecord } from "./record.ts";

/** The Secret with the state of a release. */
export interface Head {
  readonly record: ReleaseRecord;
  readonly lock: Lock | undefined;
  readonly resourceVersion: string;
}

/** The types of the Secrets. */
const HEAD_TYPE = "treadle.dev/release";
const REVISION_TYPE = "treadle.dev/release-revision";

type SecretData = Readonly<Record<string, string>>;

/** @throws CliError for a Secret that is no release, and errors of the client */
export async function readHead(client: Client, ref: Ref, signal: AbortSignal): Promise<Head | undefined> {
  const found = await client.get(Secret, secretRef(ref, headName(ref.name)), { signal });
  return found === undefined ? undefined : headOf(found as KubernetesObject, ref);
}

/** Lists the releases of a namespace, or of all. @throws errors of the client */
export async function listHeads(client: Client, namespace: string | undefined, signal: AbortSignal): Promise<readonly Head[]> {
  const { items } = await client.list(Secret, {
    signal,
    labelSelector: `${NAME_LABEL},!${REVISION_LABEL}`,
    ...(namespace === undefined ? {} : { namespace }),
  });
  return items.map((each) => headOf(each as KubernetesObject, nameIn(each as KubernetesObject)));
}

function nameIn({ metadata: { name, namespace = "", labels = {} } }: KubernetesObject): Ref {
  return { name: labels[NAME_LABEL] ?? name, namespace };
}

function headOf(secret: KubernetesObject, { name, namespace = "" }: Ref): Head {
  const { data = {} } = secret as { readonly data?: SecretData };
  const { resourceVersion = "" } = secret.metadata;
  const record = decoded(data["release"], `Secret ${namespace}/${secret.metadata.name}, the state of release ${name},`) as ReleaseRecord;
  const metadata = { ...record.object.metadata, resourceVersion };
  const lock = lockIn(data["lock"] === undefined ? undefined : Buffer.from(data["lock"], "base64").toString("utf8"));
  return { record: { ...record, object: { ...record.object, metadata } }, lock, resourceVersion };
}

/** Stores a state that no other writer has changed since `resourceVersion`; `undefined` creates the Secret. @throws errors of the client */
export async function writeHead(
  client: Client,
  { record, lock, resourceVersion }: Pick<Head, "record" | "lock"> & { readonly resourceVersion: string | undefined },
  options: { readonly signal: AbortSignal },
): Promise<Head> {
  const { namespace = "", name } = record.object.metadata;
  const data = {
    release: encoded(record, `the state of release ${namespace}/${name}`),
    ...(lock === undefined ? {} : { lock: Buffer.from(JSON.stringify(lock)).toString("base64") }),
  };
  const secret = {
    metadata: {
      ...secretRef({ namespace, name }, headName(name)),
      labels: { ...MANAGED, [NAME_LABEL]: name },
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type: HEAD_TYPE,
    data,
  };
  const stored =
    resourceVersion === undefined ? await client.create(Secret, secret, options) : await client.update(Secret, secret, options);
  return headOf(stored as KubernetesObject, { name, namespace });
}

const MANAGED = { "app.kubernetes.io/managed-by": "treadle" };

/** Removes the Secret of a release that no other writer has changed since. @throws errors of the client */
export async function deleteHead(
  client: Client,
  head: Head,
  options: { readonly signal: AbortSignal; readonly dryRun?: boolean },
): Promise<void> {
  const { namespace = "", name } = head.record.object.metadata;
  await client.delete(Secret, secretRef({ namespace, name }, headName(name)), {
    ...options,
    preconditions: { resourceVersion: head.resourceVersion },
  });
}

/** @throws errors of the client, and CliError for a Secret that is no revision */
export async function readRevision(client: Client, ref: Ref, revision: number, signal: AbortSignal): Promise<RevisionRecord | undefined> {
  const found = await client.get(Secret, secretRef(ref, revisionName(ref.name, revision)), { signal });
  return found === undefined ? undefined : revisionIn(found as KubernetesObject);
}

/** Lists the numbers of the revisions of a release, the oldest first. Their content may be unreadable. @throws errors of the client */
export async function listRevisionNumbers(client: Client, ref: Ref, signal: AbortSignal): Promise<readonly number[]> {
  const { items } = await client.list(metadataOnly(Secret), { signal, ...revisionsOf(ref) });
  return items
    .map(({ metadata: { labels } }) => Number(labels?.[REVISION_LABEL]))
    .filter((revision) => Number.isSafeInteger(revision) && revision > 0)
    .toSorted((a, b) => a - b);
}

function revisionsOf({ name, namespace }: Ref): { readonly labelSelector: string; readonly namespace?: string } {
  return { labelSelector: `${NAME_LABEL}=${name},${REVISION_LABEL}`, ...(namespace === undefined ? {} : { namespace }) };
}

/** Lists the revisions of a release, the oldest first. @throws CliError for one that cannot be read, and errors of the client */
export async function listRevisions(client: Client, ref: Ref, signal: AbortSignal): Promise<readonly RevisionRecord[]> {
  const { items } = await client.list(Secret, { signal, ...revisionsOf(ref) });
  return items.map((each) => revisionIn(each as KubernetesObject)).toSorted((a, b) => a.revision - b.revision);
}

function revisionIn(secret: KubernetesObject): RevisionRecord {
  const { data = {} } = secret as { readonly data?: SecretData };
  const { namespace = "", name } = secret.metadata;
  return decoded(data["revision"], `Secret ${namespace}/${name}, a revision of a release,`) as RevisionRecord;
}

/** Stores a revision. One with this number that a killed run left is replaced. @throws CliError if it is too large, and errors of the client */
export async function writeRevision(client: Client, ref: Ref, record: RevisionRecord, signal: AbortSignal): Promise<void> {
  const { revision } = record;
  const data = { revision: encoded(record, `revision ${revision} of release ${ref.namespace ?? ""}/${ref.name}`) };
  const metadata = {
    ...secretRef(ref, revisionName(ref.name, revision)),
    labels: { ...MANAGED, [NAME_LABEL]: ref.name, [REVISION_LABEL]: String(revision) },
  };
  const secret = { metadata, type: REVISION_TYPE, data };
  try {
    await client.create(Secret, secret, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await client.update(Secret, secret, { signal });
  }
}

/** Removes a revision, if it exists. @throws errors of the client */
export async function deleteRevision(client: Client, ref: Ref, revision: number, signal: AbortSignal): Promise<void> {
  try {
    await client.delete(Secret, secretRef(ref, revisionName(ref.name, revision)), { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function secretRef({ namespace = "" }: Ref, name: string): { readonly name: string; readonly namespace: string } {
  return { name, namespace };
}
