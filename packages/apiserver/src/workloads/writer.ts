/** Writes of the simulated control plane. They are ordinary requests with the account and the field manager of the real component. */
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

/** Sends a request as a user, and returns the answer; never rejects. */
export type SendAs = (request: ApiRequest, sender: Identity) => Promise<ApiResponse>;

/** A request that the server refused. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  readonly reason: string;
  /** Whether the namespace is being deleted. */
  readonly isOfEndingNamespace: boolean;

  constructor({ code, reason = "", message = `status ${code}`, details }: Status) {
    super(message);
    this.status = code;
    this.reason = reason;
    this.isOfEndingNamespace = details?.causes?.some((cause) => cause.reason === "NamespaceTerminating") === true;
  }

  /** Whether the write was based on an outdated version. */
  get isConflict(): boolean {
    return this.reason === "Conflict";
  }
}

/** An object to write. `apiVersion` and `kind` follow from the kind. */
export interface Draft {
  readonly metadata: object;
  readonly [field: string]: unknown;
}

export interface DeleteOptions {
  readonly graceSeconds?: number;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
}

/** The subresource `scale` of an object. */
export interface Scale {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly selector?: string };
}

/** Writes of one component. All throw {@link RefusedError}, and return the stored object. */
export interface Writer {
  create<K extends Kind>(kind: K, namespace: string | undefined, draft: Draft): Promise<ObjectOf<K>>;
  /** Replaces the object. With a resourceVersion in `draft`, only that version. */
  update<K extends Kind>(kind: K, draft: KubernetesObject): Promise<ObjectOf<K>>;
  updateStatus<K extends Kind>(kind: K, draft: KubernetesObject): Promise<ObjectOf<K>>;
  /** Sends a merge patch for this object, not for a later one with the same name. */
  patch<K extends Kind>(
    kind: K,
    object: KubernetesObject,
    body: { readonly metadata?: object; readonly [field: string]: unknown },
  ): Promise<ObjectOf<K>>;
  /** Reads the scale of an object. */
  scaleOf(kind: Kind, name: { readonly name: string; readonly namespace: string }): Promise<Scale>;
  updateScale(kind: Kind, scale: Scale): Promise<Scale>;
  patchStatus<K extends Kind>(kind: K, object: KubernetesObject, status: object): Promise<ObjectOf<K>>;
  /** Applies a status by server-side apply, with force. */
  applyStatus(kind: Kind, object: KubernetesObject, given: { readonly status: object; readonly manager: string }): Promise<void>;
  /** Deletes this object. An object that no longer exists is not an error. */
  delete(kind: Kind, object: KubernetesObject, options?: DeleteOptions): Promise<void>;
}

/** @param name Name of a controller, `kubelet` or `kube-scheduler`. */
export function writerFor(name: string, sendAs: SendAs): Writer {
  const isOfManager = !PROGRAMS.has(name);
  // The rights of these accounts are not checked.
  const user = isOfManager ? `system:serviceaccount:kube-system:${name}` : `system:${name}`;
  const send = async (method: ApiRequest["method"], path: string, { body, type = "application/json" }: Body): Promise<never> => {
    const headers = { "content-type": type, accept: "application/json", "user-agent": managerOf(name) };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await sendAs({ method, path, headers, ...sent }, { user, groups: ["system:masters"] });
    const answer = JSON.parse(response.body ?? "{}") as Status;
    if (response.status >= 300) throw new RefusedError({ ...answer, code: response.status });
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
    scaleOf: (kind, name) => send("GET", pathOf(kind, { ...name, subresource: "scale" }), {}),
    updateScale: (kind, scale) => send("PUT", pathOf(kind, { ...scale.metadata, subresource: "scale" }) + TRUSTED, { body: scale }),
    patchStatus: (kind, object, status) => patch(kind, object, { metadata: {}, status }, STATUS),
    async applyStatus(kind, { metadata }, { status, manager }) {
      const { name, namespace } = metadata;
      const path = `${pathOf(kind, { name, namespace, ...STATUS })}?fieldManager=${manager}&force=true`;
      const body = { ...typeOf(kind), metadata: { name }, status };
      await send("PATCH", path, { body, type: "application/apply-patch+yaml" });
    },
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
        // A conflict means that another object has the name, so this one no longer exists.
        if (!(error instanceof RefusedError && (error.status === 404 || error.isConflict))) throw error;
      }
    },
  };
}

/** Returns the field manager of a part of the control plane. */
export function managerOf(name: string): string {
  return PROGRAMS.has(name) ? name : "kube-controller-manager";
}

/** Separate programs. All other names are parts of kube-controller-manager. */
const PROGRAMS: ReadonlySet<string> = new Set(["kubelet", "kube-scheduler", "cloud-controller-manager"]);

/** Disables field validation: there are no duplicate or unknown fields, and the check would cost as much as the rest. */
const TRUSTED = "?fieldValidation=Ignore";

const STATUS = { subresource: "status" };

interface Body {
  readonly body?: object;
  readonly type?: string;
}

function typeOf(kind: Kind): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}
