/**
 * One unit of the core without a handler, a pass or a step: it converges objects on a test cluster. The cache shows what the test says
 * it shows, with the entries of managedFields that a real cache keeps.
 */
import {
  apiVersionOf,
  defineResource,
  groupKindOf,
  keepOwnManagedFields,
  keyOf,
  type Kind,
  type KubernetesObject,
  type Ref,
} from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { unitManager } from "@treadle/reconcile/unstable/engine";
import type { TestCluster } from "@treadle/testing";
import { z } from "zod";
import type { Context } from "../src/core/context.ts";
import { converge } from "../src/core/converge.ts";
import { DependentsMemory } from "../src/core/memory.ts";
import type { Converged, Plan, Policy } from "../src/core/plan.ts";

export const Owner = defineResource({ group: "example.dev", version: "v1", kind: "Owner", scope: "Namespaced", spec: z.object({}) });
export const HANDLER = "owners.example.dev";

export function policyOf(kind: Kind, given: Partial<Policy> = {}): Policy {
  return {
    kind,
    isOwned: true,
    isCreated: true,
    isUpdated: true,
    isWatched: true,
    adopt: "ifUnowned",
    ownership: "label",
    update: undefined,
    displayName: undefined,
    onImmutable: "fail",
    immutableFields: [],
    ...given,
  };
}

/** One process of an operator with one unit. */
export interface CoreUnit {
  readonly context: Context;
  /** Requests since the last {@link clear}, such as `apply ConfigMap x`. */
  readonly requests: string[];
  /** Loads the objects of these kinds into the cache. */
  look(): Promise<void>;
  /** Looks, then converges one object. */
  bring(policy: Policy, name: string, desired: object, more?: Partial<Plan>): Promise<Converged>;
  /** The object in the cache, without the managedFields of a Secret, which a fetch does not have. */
  live(kind: Kind, name: string): KubernetesObject | undefined;
}

export interface UnitOptions {
  readonly cluster: Pick<TestCluster, "client" | "clock">;
  readonly owner: KubernetesObject;
  readonly kinds: readonly Kind[];
  readonly context?: Partial<Context>;
  readonly namespace?: string;
}

/** @param options `context`: what differs from a unit "stack" of the handler */
export function coreUnit({ cluster: { client, clock }, owner, kinds, context: given = {}, namespace = "default" }: UnitOptions): CoreUnit {
  const requests: string[] = [];
  let cached = new Map<string, KubernetesObject>();
  const { unit = "stack", handlerName = HANDLER, handlerNames = [handlerName] } = given;
  const keyIn = (kind: Kind, ref: Ref): string => `${groupKindOf(kind)} ${keyOf(ref)}`;
  const live = (kind: Kind, ref: Ref): KubernetesObject | undefined => cached.get(keyIn(kind, ref));
  const context: Context = {
    unit,
    unitNoun: "unit",
    units: [{ unit, keeps: () => undefined }],
    owner,
    ownerKind: Owner,
    handlerName,
    handlerNames,
    replacedManagers: [],
    client: counted(client, { requests, namespace, handlerName, unit, uid: owner.metadata.uid ?? "" }),
    cache: {
      get: (kind, ref) => live(kind, ref) as never,
      list: (kind, { matchLabels = {} } = {}) =>
        [...cached]
          .filter(([key]) => key.startsWith(`${groupKindOf(kind)} `))
          .map(([, object]) => object)
          .filter(({ metadata }) => Object.entries(matchLabels).every(([key, value]) => metadata.labels?.[key] === value)) as never,
      covers: () => true,
    },
    memory: new DependentsMemory(),
    clock,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    claims: () => true,
    isSelected: () => true,
    requireKindGone: async () => undefined,
    ...given,
  };
  const unitOf: CoreUnit = {
    context,
    requests,
    live: (kind, name) => {
      const object = live(kind, kind.scope === "Cluster" ? { name } : { name, namespace });
      if (object === undefined || kind.cachedAs !== "metadata") return object;
      const { managedFields: _, ...metadata } = object.metadata;
      return { ...object, metadata };
    },
    look: async () => {
      cached = new Map();
      for (const kind of [Owner, ...kinds]) {
        const { items } = await client.list(kind, kind.scope === "Cluster" ? {} : { namespace });
        for (const item of items as readonly KubernetesObject[]) {
          const object = keepOwnManagedFields({ ...item, apiVersion: apiVersionOf(kind), kind: kind.kind }, new Set(handlerNames));
          cached.set(keyIn(kind, object.metadata), object);
        }
      }
    },
    bring: async (policy, name, desired, more = {}) => {
      await unitOf.look();
      const target = policy.kind.scope === "Cluster" ? { name } : { name, namespace };
      return await converge(context, {
        policy,
        target,
        live: unitOf.live(policy.kind, name),
        desired: () => desired,
        inputs: undefined,
        readyWhen: () => true,
        refine: undefined,
        ...more,
      });
    },
  };
  return unitOf;
}

interface Counted {
  readonly requests: string[];
  readonly namespace: string;
  readonly handlerName: string;
  readonly unit: string;
  readonly uid: string;
}

/** As the client of a pass: with the field managers of the handler and of the unit. */
function counted(client: Client, { requests, namespace, handlerName, unit, uid }: Counted): Context["client"] {
  const note = (verb: string, kind: Kind, name: string): void => void requests.push(`${verb} ${kind.kind} ${name}`);
  const nameIn = (object: object): string => (object as KubernetesObject).metadata.name;
  const fieldManager = handlerName;
  return {
    list: async (kind, options = {}) => {
      note("list", kind, options.fieldSelector?.slice("metadata.name=".length) ?? "all");
      const { namespace: within = namespace, ...rest } = options;
      const where = kind.scope === "Cluster" || within === "*" ? {} : { namespace: within };
      return (await client.list(kind, { ...rest, ...where })).items;
    },
    create: async (kind, object, options) => {
      note(options?.dryRun === true ? "dry-run create" : "create", kind, nameIn(object) ?? "successor");
      return await client.create(kind, object, { ...options, fieldManager });
    },
    update: async (kind, object) => {
      note("update", kind, nameIn(object));
      return await client.update(kind, object, { fieldManager });
    },
    patch: async (kind, ref, patch) => {
      note("patch", kind, (ref as Ref).name);
      return await client.patch(kind, ref as Ref, patch, { fieldManager });
    },
    delete: async (kind, ref, options) => {
      note("delete", kind, (ref as Ref).name);
      await client.delete(kind, ref as Ref, options);
    },
    apply: async (kind, object, { existing, unit: as = unit, handlerName: name = handlerName }) => {
      note("apply", kind, nameIn(object));
      const { metadata } = object as { readonly metadata: object };
      const guard = existing === undefined ? { resourceVersion: "1" } : { uid: (existing as KubernetesObject).metadata.uid };
      const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...object, metadata: { ...metadata, ...guard } };
      return await client.apply(kind, body, { fieldManager: unitManager({ handlerName: name, unit: as, uid }), force: true });
    },
  };
}

/** `there Ready updated`. */
export const said = ({ type, state, operation }: Converged): string => `${type} ${state.reason} ${operation.type}`;
