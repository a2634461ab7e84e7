/** Writes of the simulated control plane: requests like any other, by the account and the manager of fields that the real part has. */
import {
  type ApiRequest,
  type ApiResponse,
  apiVersionOf,
  type Kind,
  type KubernetesObject,
  type ObjectOf,
  pathOf,
  type Status,
} from "@treadle/apimachinery";
import type { Identity } from "../authorization/identity.ts";

/** How a request is answered; never rejects. */
export type SendAs = (request: ApiRequest, sender: Identity) => Promise<ApiResponse>;

/** A request that the server did not grant. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }

  /** Somebody else was faster: the write was based on what is no more. */
  get isConflict(): boolean {
    return this.reason === "Conflict";
  }
}

/** An object about to be written; `apiVersion` and `kind` follow from the kind. */
export interface Draft {
  readonly metadata: object;
  readonly [field: string]: unknown;
}

export interface DeleteOptions {
  readonly graceSeconds?: number;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
}

/** All throw {@link RefusedError}, and resolve to the object as it is stored then. */
export interface Writer {
  create<K extends Kind>(kind: K, namespace: string | undefined, draft: Draft): Promise<ObjectOf<K>>;
  /** Replaces the object; with the resourceVersion of `draft`, only if it is still that one. */
  update<K extends Kind>(kind: K, draft: KubernetesObject): Promise<ObjectOf<K>>;
  updateStatus<K extends Kind>(kind: K, draft: KubernetesObject): Promise<ObjectOf<K>>;
  /** A merge patch; only of this very object, not of a later one of the same name. */
  patch<K extends Kind>(
    kind: K,
    object: KubernetesObject,
    body: { readonly metadata?: object; readonly [field: string]: unknown },
  ): Promise<ObjectOf<K>>;
  patchStatus<K extends Kind>(kind: K, object: KubernetesObject, status: object): Promise<ObjectOf<K>>;
  /** Only this very object; one that is gone is no failure. */
  delete(kind: Kind, object: KubernetesObject, options?: DeleteOptions): Promise<void>;
}

/** @param name of a controller, `kubelet` or `kube-scheduler` */
export function writerFor(name: string, sendAs: SendAs): Writer {
  const isOfManager = !PROGRAMS.has(name);
  // That it may do what it does is not asked.
  const user = isOfManager ? `system:serviceaccount:kube-system:${name}` : `system:${name}`;
  const agent = isOfManager ? "kube-controller-manager" : name;
  const send = async (method: ApiRequest["method"], path: string, { body, type = "application/json" }: Body): Promise<never> => {
    const headers = { "content-type": type, accept: "application/json", "user-agent": agent };
    const response = await sendAs({ method, path, headers, body: JSON.stringify(body) }, { user, groups: ["system:masters"] });
    const answer = JSON.parse(response.body ?? "{}") as Status;
    if (response.status >= 300) throw new RefusedError(response.status, answer.reason ?? "", answer.message ?? `status ${response.status}`);
    return answer as never; // the object, since it was not refused
  };
  const put = (kind: Kind, draft: KubernetesObject, subresource: object): Promise<never> =>
    send("PUT", pathOf(kind, { ...draft.metadata, ...subresource }) + TRUSTED, { body: draft });
  const patch = (kind: Kind, { metadata }: KubernetesObject, body: Draft, subresource: object): Promise<never> => {
    const patched = { ...body, metadata: { ...body.metadata, uid: metadata.uid } };
    return send("PATCH", pathOf(kind, { ...metadata, ...subresource }) + TRUSTED, { body: patched, type: "application/merge-patch+json" });
  };
  return {
    create: (kind, namespace, draft) => send("POST", pathOf(kind, { namespace }) + TRUSTED, { body: { ...typeOf(kind), ...draft } }),
    update: (kind, draft) => put(kind, draft, {}),
    updateStatus: (kind, draft) => put(kind, draft, STATUS),
    patch: (kind, object, body) => patch(kind, object, { metadata: {}, ...body }, {}),
    patchStatus: (kind, object, status) => patch(kind, object, { metadata: {}, status }, STATUS),
    async delete(kind, { metadata }, { graceSeconds, propagationPolicy } = {}) {
      const body = {
        kind: "DeleteOptions",
        apiVersion: "v1",
        preconditions: { uid: metadata.uid },
        ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      };
      try {
        await send("DELETE", pathOf(kind, metadata), { body });
      } catch (error) {
        // Another object of the name answers with a conflict: then this one is gone, too.
        if (!(error instanceof RefusedError && (error.status === 404 || error.isConflict))) throw error;
      }
    },
  };
}

/** Programs of their own; the rest are parts of kube-controller-manager. */
const PROGRAMS: ReadonlySet<string> = new Set(["kubelet", "kube-scheduler", "cloud-controller-manager"]);

/** There are no fields here that are repeated or unknown: looking for some would cost as much as the rest. */
const TRUSTED = "?fieldValidation=Ignore";

const STATUS = { subresource: "status" };

interface Body {
  readonly body: object;
  readonly type?: string;
}

function typeOf(kind: Kind): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}
