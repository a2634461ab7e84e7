/** What the cluster keeps of a release: its state, and one record for each revision. Types, and their form in Secrets. */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { type Kind, type KubernetesObject, defineResource } from "@treadle/apimachinery";
import { z } from "zod";
import { CliError } from "../../cli-error.ts";
import { RELEASES } from "../name.ts";

/** A release as the engine of sets sees it: the owner of its objects. It is stored in a Secret, and no server knows the kind. */
export const Release: Kind = defineResource({
  group: RELEASES,
  version: "v1alpha1",
  kind: "Release",
  plural: "releases",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ revision: z.number(), targetNamespace: z.string() }),
  status: z.object({}),
});

/** How a revision ended. A revision that was killed has no end. */
export interface Outcome {
  readonly revision: number;
  readonly type: "ready" | "applied" | "failed";
  /** As RFC 3339. */
  readonly at: string;
  /** Why it is not ready. */
  readonly message?: string;
}

/** The state of a release. */
export interface ReleaseRecord {
  /** The owner, with the memory of the engine in its status. Its version is that of the Secret. */
  readonly object: ReleaseObject;
  /** Namespaces with objects of the release, also of former revisions. */
  readonly namespaces: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** When the release was last changed, as RFC 3339. */
  readonly changedAt: string;
}

/** The owner of the objects. */
export interface ReleaseObject extends KubernetesObject {
  readonly spec: {
    /** The revision that the cluster is to have; 0: none. */
    readonly revision: number;
    readonly targetNamespace: string;
  };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly observedGeneration?: number;
    }[];
  };
}

/** A source, as it was given. */
export interface SourceNote {
  /** As on the command line. */
  readonly source: string;
  readonly type: "manifests" | "chart" | "kustomization" | "cdk8s" | "objects";
  /** Digest of what it rendered. */
  readonly digest: string;
  /** How many objects it rendered. */
  readonly objects: number;
}

/** A revision: all that is needed to apply it again. */
export interface RevisionRecord {
  readonly revision: number;
  /** As RFC 3339. */
  readonly createdAt: string;
  /** User and machine. */
  readonly by: string;
  /** What made it, such as `apply` or `rollback to 2`. */
  readonly cause: string;
  readonly targetNamespace: string;
  readonly sources: readonly SourceNote[];
  /** The merged values of `-f` and `--set`. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Digest of target and objects. */
  readonly digest: string;
  readonly objects: readonly KubernetesObject[];
}

/** Bytes of a record after compression. The server refuses a Secret with more than 1 MiB of data. */
const MAX_RECORD_BYTES = 1_000_000;

/** Returns a record as the data of a Secret. @throws CliError if a Secret cannot hold it */
export function encoded(record: object, what: string): string {
  const bytes = gzipSync(JSON.stringify(record));
  if (bytes.length <= MAX_RECORD_BYTES) return bytes.toString("base64");
  throw new CliError(
    `${what} takes ${mib(bytes.length)} after compression, and a Secret holds ${mib(MAX_RECORD_BYTES)}; ` +
      "nothing was changed. Split the sources into several releases, or leave out large objects such as dashboards",
  );
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}

/** @throws CliError for data that no version of this program has written */
export function decoded(data: string | undefined, what: string): unknown {
  try {
    return JSON.parse(gunzipSync(Buffer.from(data ?? "", "base64")).toString("utf8")) as unknown;
  } catch (error) {
    throw new CliError(
      `${what} cannot be read: ${error instanceof Error ? error.message : String(error)}; was it changed by hand, or by a newer treadle?`,
    );
  }
}

/** Returns a digest of plain data. */
export function digestOfData(data: unknown): string {
  return `sha256:${createHash("sha256").update(JSON.stringify(data)).digest("hex")}`;
}

/**
 * Returns the uid of the owner. It follows from namespace and name: a release whose Secret was lost finds its objects again when it is
 * applied.
 */
function uidOf(namespace: string, name: string): string {
  const hex = createHash("sha256").update(`${RELEASES} ${namespace}/${name}`).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

/** Makes the state of a release that does not exist yet. */
export function newRecord(ref: { readonly namespace: string; readonly name: string }, targetNamespace: string, at: string): ReleaseRecord {
  const { namespace, name } = ref;
  return {
    object: {
      apiVersion: `${RELEASES}/v1alpha1`,
      kind: "Release",
      metadata: { name, namespace, uid: uidOf(namespace, name), generation: 1, creationTimestamp: at, resourceVersion: "0" },
      spec: { revision: 0, targetNamespace },
    },
    namespaces: [],
    outcomes: [],
    changedAt: at,
  };
}
