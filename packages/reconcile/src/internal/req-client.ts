/** `req.client`: the client as a step has it, with the primary's namespace, our field manager and the phase's signal filled in. */
import { apiVersionOf, type Kind, type KubernetesObject, type Ref, shortenName } from "@treadle/apimachinery";
import { inNamespaceOf } from "../reads.ts";
import type { ReqClient } from "../req.ts";
import type { Scope } from "./deadline.ts";
import type { Pass } from "./pass-state.ts";
import type { StepRuntime } from "./step-runtime.ts";

/** Kubernetes refuses longer field managers. */
const MAX_FIELD_MANAGER_LENGTH = 128;

export function reqClient(pass: Pass, step: StepRuntime, scope: Scope): ReqClient {
  const { client } = pass.env;
  const fieldManager = pass.pipeline.name;
  const ref = (kind: Kind, given: Ref | string): Ref =>
    inNamespaceOf(pass.object, kind, typeof given === "string" ? { name: given } : given);
  /** Every call is checked and ends with the phase; every write counts as progress. */
  const read = (): { readonly signal: AbortSignal } => {
    scope.check(step.name);
    return { signal: scope.signal };
  };
  const write = (): { readonly signal: AbortSignal; readonly fieldManager: string } => {
    pass.clientWrites++;
    return { ...read(), fieldManager };
  };
  return {
    get: async (kind, given) => await client.get(kind, ref(kind, given), read()),
    list: async (kind, options = {}) => {
      const { namespace } = inNamespaceOf(
        pass.object,
        kind,
        options.namespace === undefined ? { name: "" } : { name: "", namespace: options.namespace },
      );
      const within = options.namespace === "*" || namespace === undefined ? {} : { namespace };
      const { namespace: _given, ...rest } = options;
      return (await client.list(kind, { ...rest, ...within, ...read() })).items;
    },
    create: async (kind, object) => await client.create(kind, placed(pass, kind, object), write()),
    update: async (kind, object) => await client.update(kind, placed(pass, kind, object), write()),
    patch: async (kind, given, patch, options) => await client.patch(kind, ref(kind, given), patch, { ...options, ...write() }),
    apply: async (kind, object, { existing }) => {
      const given = placed(pass, kind, object) as { readonly metadata: object };
      // The uid keeps an apply from re-creating what vanished; version "1" lets it create and nothing else.
      const guard = existing === undefined ? { resourceVersion: "1" } : { uid: (existing as KubernetesObject).metadata.uid };
      const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...given, metadata: { ...given.metadata, ...guard } };
      return await client.apply(kind, body, { ...write(), fieldManager: unitManager(pass, step), force: true });
    },
    delete: async (kind, given, options) => {
      const { signal } = write();
      await client.delete(kind, ref(kind, given), { ...options, signal });
    },
  };
}

/** `object` in the primary's namespace, where it names none and its kind has one. */
function placed<T>(pass: Pass, kind: Kind, object: T): T {
  const { metadata } = object as { readonly metadata?: Ref };
  if (kind.scope === "Cluster" || metadata === undefined || metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...metadata, ...inNamespaceOf(pass.object, kind, metadata), ...metadata } };
}

/** `<handler>/<step>/<owner uid>`: one manager per unit, so that what it no longer applies is removed. */
function unitManager(pass: Pass, step: StepRuntime): string {
  const uid = pass.object.metadata.uid ?? "";
  return `${shortenName(`${pass.pipeline.name}/${step.name}`, MAX_FIELD_MANAGER_LENGTH - 1 - uid.length)}/${uid}`;
}
