/** The objects of a component without a cluster: what its resources want, and the layers that apply. */
import { apiVersionOf, type KubernetesObject } from "@treadle/apimachinery";
import { called } from "@treadle/dependents/unstable/core";
import { desiredOf, holds } from "@treadle/dependents/unstable/step";
import { leavesOf, misuse, runtimeOf } from "@treadle/reconcile/unstable/engine";
import type { Definition, Resource } from "./definition.ts";
import { autoscaledBy, targetKey, withoutReplicas } from "./replicas.ts";

/** Values that a component gets from a cluster, for a preview. */
export interface PreviewOptions {
  /** The values of vars, by name. @defaultValue none */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The values of the reads of the resources, by name. @defaultValue none: each read finds nothing */
  readonly reads?: Readonly<Record<string, unknown>>;
  /** The live objects of the steps in `dependsOn`, by step name. @defaultValue none: no object exists yet */
  readonly dependents?: Readonly<Record<string, unknown>>;
  /** The time that `now()` returns, in milliseconds since 1970. @defaultValue 0 */
  readonly nowMs?: number;
}

/** A rendered object has the fields of the desired state, and its identity. It has no marks of its owner. */
export interface RenderedObject extends KubernetesObject {
  /** Name, namespace, and the metadata of the desired state. */
  readonly metadata: KubernetesObject["metadata"];
}

/** The parts of a component that need no cluster. */
export interface Previews {
  preview(object: KubernetesObject, options?: PreviewOptions): readonly RenderedObject[];
  firing(object: KubernetesObject, options?: PreviewOptions): Readonly<Record<string, readonly string[]>>;
  readonly layers: Readonly<Record<string, readonly string[]>>;
}

/** A `desired` that `layered()` made. */
interface Layered {
  readonly layers: readonly { readonly name: string }[];
  firing(object: unknown, inputs?: object, item?: unknown): readonly string[];
}

/** Returns what is known of a component without a cluster. */
export function previewOf(definition: Definition): Previews {
  const { resources } = definition;
  return {
    preview: (object, options = {}) => {
      const autoscaled = autoscaledBy(definition, { object, cache: { get: () => undefined } });
      return resources.flatMap((resource) => rendered(resource, object, { options, autoscaled }));
    },
    firing: (object, options = {}) =>
      byResource(resources, (layered, resource) =>
        isWanted(resource, object, options) ? firingOf(layered, resource, { object, options }) : [],
      ),
    layers: byResource(resources, ({ layers }) => layers.map(({ name }) => name)),
  };
}

function rendered(
  resource: Resource,
  owner: KubernetesObject,
  { options, autoscaled }: { readonly options: PreviewOptions; readonly autoscaled: ReadonlySet<string> },
): readonly RenderedObject[] {
  const { dependent } = resource;
  const { kind, isCreated } = dependent.policy;
  if (!isCreated || !isWanted(resource, owner, options)) return [];
  const inputs = inputsOf(resource, options);
  return dependent.names(owner).list.flatMap(({ item, target }) => {
    const desired = desiredOf(dependent, owner, { inputs, item }) as (object & { readonly metadata?: object }) | undefined;
    if (desired === undefined) return [];
    const shown = autoscaled.has(targetKey(kind, target)) ? withoutReplicas(desired) : desired;
    return [{ ...identityOf(kind), ...shown, metadata: { ...target, ...desired.metadata } } as RenderedObject];
  });
}

function identityOf(kind: Resource["dependent"]["policy"]["kind"]): object {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}

/** Whether the resource wants objects at all. */
function isWanted(resource: Resource, owner: KubernetesObject, options: PreviewOptions): boolean {
  const { dependent, name } = resource;
  const { when, orphanWhen, includeWhen } = dependent.options;
  const where = `step "${name}"`;
  // Without a cluster every kind counts as served.
  if (includeWhen !== undefined && !called(`${where}: includeWhen`, () => includeWhen(owner, { isServed: () => true }))) return false;
  if (orphanWhen !== undefined && holds<[KubernetesObject]>(orphanWhen, [owner], `${where}: orphanWhen`)) return false;
  return holds<[KubernetesObject, never]>(when, [owner, inputsOf(resource, options) as never], `${where}: when`);
}

/** The inputs of a resource. A var that `data` does not have throws, unless the resource can run without it. */
function inputsOf({ step, name }: Resource, { data = {}, reads = {}, dependents = {}, nowMs = 0 }: PreviewOptions): object {
  const vars = new Proxy(data, {
    get: (values, key) => {
      if (typeof key === "symbol" || Object.hasOwn(values, key) || isOptional(step, key)) return Reflect.get(values, key) as unknown;
      throw misuse("ERR_INVALID_STEP", `step "${name}" uses vars.${key}, which the preview does not have: give it in data`);
    },
  });
  return { vars, reads, dependents, now: () => nowMs, revisit: () => undefined };
}

/** Whether the var is one of a step without which the resource can run. */
function isOptional(step: unknown, name: string): boolean {
  const optional = leavesOf([...(runtimeOf(step)?.optionalNeeds ?? [])]);
  return optional.some(({ gives }) => gives?.names.includes(name) === true);
}

function byResource(
  resources: readonly Resource[],
  of: (layered: Layered, resource: Resource) => readonly string[],
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    resources.flatMap((resource) => {
      const layered = layeredOf(resource);
      return layered === undefined ? [] : [[resource.name, of(layered, resource)] as const];
    }),
  );
}

function layeredOf({ dependent }: Resource): Layered | undefined {
  const desired = dependent.options.desired as Partial<Layered> | undefined;
  return desired?.layers === undefined || desired.firing === undefined ? undefined : (desired as Layered);
}

/** The layers that apply for any of the objects. */
function firingOf(
  layered: Layered,
  resource: Resource,
  { object, options }: { readonly object: KubernetesObject; readonly options: PreviewOptions },
): readonly string[] {
  const inputs = inputsOf(resource, options);
  const all = resource.dependent.names(object).list.map(({ item }) => layered.firing(object, inputs, item));
  return layered.layers.map(({ name }) => name).filter((name) => all.some((firing) => firing.includes(name)));
}
