/** Reads what a release has in the cluster: the tree of its objects with their health, as `treadle tree` shows it. */
import type { Ref } from "@treadle/apimachinery";
import type { DiscoveredKind } from "@treadle/client";
import type { Session } from "../cluster/session.ts";
import { collect } from "../inspect/collect.ts";
import type { Situation } from "../inspect/situation.ts";
import { unknownRelease } from "./store/acquire.ts";
import { type Head, readHead, readRevision } from "./store/head.ts";
import { Release, type RevisionRecord } from "./store/record.ts";

/** A release with its objects. */
export interface ReleaseSituation {
  readonly head: Head;
  /** The present revision; `undefined`: none yet. */
  readonly revision: RevisionRecord | undefined;
  readonly situation: Situation;
}

/** No server serves the kind of releases. */
const KIND: DiscoveredKind = { ...Release, singular: "release", shortNames: [], categories: [], verbs: ["get"], subresources: [] };

/** @throws CliError for an unknown release, and errors of the client */
export async function releaseSituation(session: Session, ref: Required<Ref>): Promise<ReleaseSituation> {
  const { client, signal } = session;
  const head = await readHead(client, ref, signal);
  if (head === undefined) throw unknownRelease(ref);
  const { object } = head.record;
  const { revision: present, targetNamespace } = object.spec;
  const revision = present === 0 ? undefined : await readRevision(client, ref, present, signal);
  const dependents = (revision?.objects ?? []).map(({ apiVersion, kind, metadata }) => {
    const isNamespaced = session.kinds.of({ apiVersion, kind })?.scope !== "Cluster";
    const namespace = isNamespaced ? (metadata.namespace ?? targetNamespace) : undefined;
    // The object itself tells how it is now.
    const entry = { step: "objects", type: "Ready", reason: "Ready", message: "" };
    return { ...entry, apiVersion, kind, name: metadata.name, ...(namespace === undefined ? {} : { namespace }) };
  });
  const owner = { ...object, status: { ...object.status, dependents } };
  const situation = await collect(session.reader(), { kind: KIND, object: owner }, { withCauses: false });
  return { head, revision, situation };
}
