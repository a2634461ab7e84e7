/** A client that sends each write as a dry run of the server, and keeps what the server would have made of the object. */
import {
  ApiError,
  apiVersionOf,
  isApiError,
  isNotFound,
  type Kind,
  keyOf,
  type KubernetesObject,
  type ObjectOf,
  type Ref,
} from "@treadle/apimachinery";
import { type Client, intercept } from "@treadle/client";
import { idOf } from "../../cluster/object-name.ts";

/** A field that another field manager has set to another value. */
export interface Conflict {
  readonly manager: string;
  readonly field: string;
}

/** What a dry run found of one object. */
export interface DryWrite {
  readonly verb: "apply" | "create" | "update" | "patch" | "delete";
  /** The object as it is; `undefined`: it does not exist. */
  readonly before: KubernetesObject | undefined;
  /** The object as it would be; `undefined`: it would be deleted, or is not known. */
  readonly after: KubernetesObject | undefined;
  /** Whether the server could not check the object, because its namespace does not exist: `made` if the run makes it. */
  readonly namespace?: "made" | "missing";
  readonly conflicts: readonly Conflict[];
}

/** The dry runs of a preview, by the id of their object. */
export class Recorder {
  readonly writes: Map<string, DryWrite> = new Map();
  readonly #forces: boolean;
  readonly #makes: (namespace: string) => boolean;

  /** @param options.forces whether fields of other managers are taken. `options.makes`: whether the run makes a missing namespace */
  constructor({ forces, makes }: { readonly forces: boolean; readonly makes: (namespace: string) => boolean }) {
    this.#forces = forces;
    this.#makes = makes;
  }

  /** Returns a client whose writes are dry runs. */
  through(client: Client): Client {
    return intercept(client, (next) => ({
      apply: (kind, object, options) =>
        this.#recorded(next, { kind, object, verb: "apply" }, () =>
          next.apply(kind, object, { ...options, dryRun: true, force: this.#forces || createsOnly(object) }),
        ),
      create: (kind, object, options) =>
        this.#recorded(next, { kind, object, verb: "create" }, () => next.create(kind, object, { ...options, dryRun: true })),
      update: (kind, object, options) =>
        this.#recorded(next, { kind, object, verb: "update" }, () => next.update(kind, object, { ...options, dryRun: true })),
      patch: async (kind, ref, patch, options) => {
        const before = await next.get(kind, ref);
        const after = await next.patch(kind, ref, patch, { ...options, dryRun: true });
        this.#note(kind, after, { verb: "patch", before, after, conflicts: [] });
        return after;
      },
      delete: async (kind, ref, options) => {
        const before = await next.get(kind, ref);
        if (before !== undefined) this.#note(kind, before, { verb: "delete", before, after: undefined, conflicts: [] });
        return await next.delete(kind, ref, { ...options, dryRun: true });
      },
    }));
  }

  async #recorded<K extends Kind>(
    client: Client,
    { kind, object, verb }: { readonly kind: K; readonly object: unknown; readonly verb: DryWrite["verb"] },
    send: () => Promise<ObjectOf<K>>,
  ): Promise<ObjectOf<K>> {
    const given = { ...(object as KubernetesObject), apiVersion: apiVersionOf(kind), kind: kind.kind };
    const before: KubernetesObject | undefined = await client.get(kind, given.metadata);
    try {
      const after = await send();
      this.#note(kind, after, { verb, before, after, conflicts: [] });
      return after;
    } catch (error) {
      const conflicts = conflictsIn(error);
      if (conflicts.length > 0) this.#note(kind, given, { verb, before, after: undefined, conflicts });
      // The engine repeats a conflict of versions. This one stays.
      if (conflicts.length > 0) throw conflictError(kind, given.metadata, conflicts);
      if (!isNamespaceMissing(error, given.metadata)) throw error;
      const isMade = this.#makes(given.metadata.namespace ?? "");
      this.#note(kind, given, { verb, before: undefined, after: undefined, namespace: isMade ? "made" : "missing", conflicts: [] });
      if (!isMade) throw error;
      const made = { ...given, metadata: { ...given.metadata, uid: "00000000-0000-0000-0000-000000000000" } };
      return made as ObjectOf<K>; // What the server would create, but for its defaults.
    }
  }

  #note(kind: Kind, { metadata: { name, namespace } }: KubernetesObject, write: DryWrite): void {
    const id = idOf({ apiVersion: apiVersionOf(kind), kind: kind.kind, name, ...(namespace === undefined ? {} : { namespace }) });
    const former = this.writes.get(id);
    this.writes.set(id, former === undefined ? write : { ...write, before: former.before });
  }
}

/** Whether an apply may only create its object. Where the object exists, its owner is asked before its fields. */
function createsOnly(object: unknown): boolean {
  return (object as KubernetesObject).metadata.resourceVersion === "1";
}

/** Returns the fields of other managers that an apply without force would change. */
function conflictsIn(error: unknown): readonly Conflict[] {
  if (!isApiError(error)) return [];
  return error.causes
    .filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ field = "", message = "" }) => ({
      field: field.replace(/^\./, ""),
      manager: /conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message,
    }));
}

/** The error of an apply that would take fields of others. It is no conflict of versions, which a retry resolves. */
function conflictError(kind: Kind, { name, namespace }: Ref, conflicts: readonly Conflict[]): ApiError {
  const ref = namespace === undefined ? { name } : { name, namespace };
  return new ApiError({ message: `${kind.kind} ${keyOf(ref)}: ${conflictText(conflicts)}`, status: 422, reason: "Invalid" });
}

/** Returns what the conflicts are, by manager. */
export function conflictText(conflicts: readonly Conflict[]): string {
  const managers = [...new Set(conflicts.map(({ manager }) => manager))];
  return managers
    .map((manager) => `${conflicts.flatMap((each) => (each.manager === manager ? [each.field] : [])).join(", ")} set by ${manager}`)
    .join("; ");
}

function isNamespaceMissing(error: unknown, { namespace }: Ref): boolean {
  if (!isNotFound(error) || !isApiError(error) || namespace === undefined) return false;
  return error.details?.kind === "namespaces" || error.message.includes(`namespaces "${namespace}" not found`);
}
