/** The documents of the commands of releases. */
import { z } from "zod";
import { header, health, object, time, unread } from "./schema-parts.ts";

const release = z.strictObject({
  name: z.string(),
  namespace: z.string().describe("Where the release is stored."),
  targetNamespace: z.string().describe("Namespace of objects that name none."),
});
const state = z
  .enum(["Ready", "Applied", "Failed", "Changing", "Unfinished", "Deleting"])
  .describe("Of the present revision, as the last run left it. Unfinished: the run was killed; the next one finishes it.");
const revision = z.int().min(0);
const source = z.strictObject({
  source: z.string().describe("As given."),
  type: z.enum(["manifests", "chart", "kustomization", "cdk8s", "objects"]),
  digest: z.string().describe("Of what it rendered."),
  objects: z.int().min(0),
});
const lock = z
  .strictObject({ holder: z.string(), command: z.string(), since: time })
  .optional()
  .describe("The run that changes the release now.");
const listed = { release, revision, state, changedAt: time, lock };

const count = z.int().min(0);

/** The document of `treadle diff -o json`, and of `--dry-run`. */
export const releaseDiff = z
  .strictObject({
    ...header,
    kind: z.literal("ReleaseDiff"),
    release,
    isNew: z.boolean(),
    counts: z.strictObject({ create: count, update: count, delete: count, release: count, none: count, refuse: count }),
    changes: z
      .array(
        z.strictObject({
          object,
          action: z
            .enum(["create", "update", "delete", "release", "none", "refuse"])
            .describe("release: the object stays, and no longer belongs to the release. refuse: apply would refuse."),
          fields: z.array(
            z.strictObject({
              path: z.string().describe("As in spec.containers[name=web].image."),
              before: z.string().optional().describe("As JSON; absent: the field is not there, or is hidden."),
              after: z.string().optional(),
              isHidden: z.literal(true).optional().describe("The values are those of a Secret."),
            }),
          ),
          isUnchecked: z.literal(true).optional().describe("The server was not asked: the kind or the namespace is new."),
          reason: z.string().optional(),
          message: z.string().optional(),
        }),
      )
      .describe("In the order in which objects are applied, then those that are removed."),
  })
  .meta({ title: "ReleaseDiff", description: "What apply would change: treadle diff -o json" });

/** The document of `treadle apply`, `rollback` and `adopt`. */
export const releaseResult = z
  .strictObject({
    ...header,
    kind: z.literal("ReleaseResult"),
    release,
    revision,
    isNewRevision: z.boolean(),
    outcome: z.enum(["ready", "applied", "failed", "timeout"]).describe("applied: with --no-wait, all objects are written."),
    message: z.string(),
    objects: z.array(
      z.strictObject({
        object,
        operation: z.enum(["created", "updated", "unchanged"]),
        wave: z.int(),
        health: z.string(),
        reason: z.string(),
        message: z.string(),
      }),
    ),
    deleted: z.array(object),
  })
  .meta({ title: "ReleaseResult", description: "How a change of a release ended: treadle apply, rollback and adopt -o json" });

/** The document of `treadle delete -o json`. */
export const releaseDeletion = z
  .strictObject({
    ...header,
    kind: z.literal("ReleaseDeletion"),
    release,
    outcome: z.enum(["deleted", "failed", "timeout"]),
    message: z.string(),
    isOrphaning: z.boolean().describe("Whether the objects stay."),
    deleted: z.array(object).describe("The objects whose deletion was sent."),
    left: z.array(object).describe("The objects that still exist."),
  })
  .meta({ title: "ReleaseDeletion", description: "How a deletion ended: treadle delete -o json" });

/** The document of `treadle status -o json`. */
export const releaseStatus = z
  .strictObject({
    ...header,
    kind: z.literal("ReleaseStatus"),
    ...listed,
    message: z.string().describe("What the last run reported."),
    sources: z.array(source),
    objects: z
      .array(z.strictObject({ object, health, reason: z.string(), message: z.string(), since: time.optional() }))
      .describe("As they are now."),
    unread,
  })
  .meta({ title: "ReleaseStatus", description: "A release and its objects: treadle status -o json" });

/** The document of `treadle list -o json`. */
export const releaseList = z
  .strictObject({ ...header, kind: z.literal("ReleaseList"), items: z.array(z.strictObject(listed)) })
  .meta({ title: "ReleaseList", description: "The releases of a namespace, or of all: treadle list -o json" });

/** The document of `treadle history -o json`. */
export const releaseHistory = z
  .strictObject({
    ...header,
    kind: z.literal("ReleaseHistory"),
    release,
    revisions: z
      .array(
        z.strictObject({
          revision,
          state: z.enum([...state.options, "Superseded"]),
          createdAt: time,
          by: z.string().describe("User and machine."),
          cause: z.string().describe("Such as apply, or rollback to 2."),
          targetNamespace: z.string(),
          digest: z.string().describe("Of the target and the objects."),
          objects: z.int().min(0),
          sources: z.array(source),
        }),
      )
      .describe("The oldest first."),
  })
  .meta({ title: "ReleaseHistory", description: "The revisions of a release: treadle history -o json" });

/** The documents, by the name of their file. */
export const RELEASE_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "release-deletion.json": releaseDeletion,
  "release-diff.json": releaseDiff,
  "release-history.json": releaseHistory,
  "release-list.json": releaseList,
  "release-result.json": releaseResult,
  "release-status.json": releaseStatus,
};
