/** The history of a StatefulSet or DaemonSet: a ControllerRevision for each template. The newest one has the highest number. */
import { jsonEqual, type Kind, type KubernetesObject, type LabelSelector } from "@treadle/apimachinery";
import type { DaemonSet, StatefulSet } from "@treadle/apimachinery/kinds";
import { claim, controllerReference } from "./adoption.ts";
import type { Objects } from "./objects.ts";
import { templateHash } from "./revisions.ts";
import type { Writer } from "./writer.ts";

export interface ControllerRevision extends KubernetesObject {
  readonly revision: number;
  readonly data?: { readonly spec?: { readonly template?: Template } };
}

export type Template = NonNullable<NonNullable<StatefulSet["spec"]>["template"]>;

export const ControllerRevision: Kind<ControllerRevision> = {
  group: "apps",
  version: "v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  scope: "Namespaced",
};

export interface History {
  readonly kind: Kind;
  readonly owner: StatefulSet | DaemonSet;
  /** Label with the hash. */
  readonly label: string;
}

export interface Revisions {
  /** Revision of the current template. */
  readonly newest: ControllerRevision;
  /** All revisions, by number. */
  readonly all: readonly ControllerRevision[];
}

/** Makes sure that the revision of the template exists and has the highest number. @throws RefusedError */
export async function revise(objects: Objects, write: Writer, { kind, owner, label }: History): Promise<Revisions> {
  const selector = (owner.spec?.selector ?? {}) as LabelSelector;
  const found = await claim(objects, write, { as: kind, owner, selector, kind: ControllerRevision });
  const all = found.toSorted((a, b) => a.revision - b.revision);
  const data = { spec: { template: { ...owner.spec?.template, $patch: "replace" } } };
  const last = all.at(-1);
  const same = all.findLast((one) => jsonEqual(one.data, data));
  const next = (last?.revision ?? 0) + 1;
  if (same !== undefined) {
    if (same === last) return { newest: same, all };
    // An earlier template is the newest one again.
    const newest = await write.update(ControllerRevision, { ...same, revision: next } as ControllerRevision);
    return { newest, all: [...all.filter((one) => one !== same), newest] };
  }
  const hash = templateHash(data, owner.status?.collisionCount);
  const { annotations } = owner.metadata;
  const newest = await write.create(ControllerRevision, owner.metadata.namespace, {
    metadata: {
      name: `${owner.metadata.name}-${hash}`,
      labels: { ...owner.spec?.template.metadata?.labels, [label]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(kind, owner)],
    },
    data,
    revision: next,
  });
  return { newest, all: [...all, newest] };
}

/** Deletes the oldest unused revisions beyond the limit of the spec. */
export async function forget(
  write: Writer,
  { all }: Revisions,
  isLive: (one: ControllerRevision) => boolean,
  limit: number,
): Promise<void> {
  const old = all.filter((one) => !isLive(one));
  for (const one of old.slice(0, Math.max(0, old.length - limit))) await write.delete(ControllerRevision, one);
}
