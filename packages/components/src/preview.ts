/**
 * The objects of a component without a cluster, and the layers that apply to them.
 *
 * Guarantees
 * - The objects are those that a pass applies, but for the marks of the owner. They are copies.
 * - The owner is completed as a server completes it: identity, and the defaults of its spec.
 * - A value that only a cluster has must be given. A missing one is an error that names it.
 */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { desiredOf, factsOf, isWantedWith, renderedWith } from "@treadle/dependents/unstable/step";
import { leavesOf, misuse, runtimeOf } from "@treadle/reconcile/unstable/engine";
import type { Definition, Resource } from "./definition.ts";
import { completeOwner } from "./preview-owner.ts";
import { autoscaledIn, targetKey, withoutReplicas } from "./replicas.ts";

/** Values that a component gets from a cluster, for a preview. */
export interface PreviewOptions<V extends object = Readonly<Record<string, unknown>>> {
  /** The values of vars, by name. @defaultValue none: a function that uses a var fails, unless the var is optional */
  readonly data?: Partial<V>;
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
  preview(object: object, options?: PreviewOptions): readonly RenderedObject[];
  firing(object: object, options?: PreviewOptions): Readonly<Record<string, readonly string[]>>;
  readonly layers: Readonly<Record<string, readonly string[]>>;
}

/** The objects of one resource, for packages that compare previews. */
export interface RenderedResource {
  /** The name of the resource. */
  readonly name: string;
  /** Its objects; empty if it wants none. */
  readonly objects: readonly RenderedObject[];
}

type RenderResources = (object: object, options?: PreviewOptions) => readonly RenderedResource[];

/** `Symbol.for`: components of another copy of this package work too. */
const RESOURCES: symbol = Symbol.for("treadle.components.Resources");

/** Returns the objects of a component by resource; `undefined` for a value that is not a component. */
export function renderResourcesOf(component: unknown): RenderResources | undefined {
  if (typeof component !== "object" || component === null) return undefined;
  return (component as { [RESOURCES]?: RenderResources })[RESOURCES as never];
}

/** Returns what is known of a component of owners of `kind` without a cluster. */
export function previewOf(kind: Kind, definition: Definition): Previews {
  const { name, resources } = definition;
  const ownerOf = (given: object): KubernetesObject => completeOwner(kind, given, `component "${name}"`);
  const render: RenderResources = (object, options = {}) => rendered(definition, ownerOf(object), options);
  const previews: Previews = {
    preview: (object, options) => render(object, options).flatMap(({ objects }) => objects),
    firing: (object, options = {}) => {
      const owner = ownerOf(object);
      return byResource(resources, (layered, resource) => firingOf(layered, resource, { owner, options }));
    },
    layers: Object.freeze(byResource(resources, ({ layers }) => Object.freeze(layers.map((layer) => layer.name)))),
  };
  return Object.defineProperty(previews, RESOURCES, { value: render });
}

/** The objects of the resources that the component creates. */
function rendered({ resources, autoscalers }: Definition, owner: KubernetesObject, options: PreviewOptions): readonly RenderedResource[] {
  const objectsOf = (resource: Resource): readonly KubernetesObject[] =>
    renderedWith(resource.dependent, owner, inputsOf(resource, options));
  const autoscaled = new Set(autoscalers.flatMap((resource) => objectsOf(resource).flatMap(autoscaledIn)));
  return resources
    .filter(({ dependent }) => dependent.policy.isCreated)
    .map((resource) => {
      const { kind } = resource.dependent.policy;
      const objects = objectsOf(resource).map((object) =>
        autoscaled.has(targetKey(kind, object.metadata)) ? (withoutReplicas(object) as RenderedObject) : object,
      );
      return { name: resource.name, objects };
    });
}

/** The inputs of a resource. A var that `data` does not have throws, unless the resource can run without it. */
function inputsOf({ step, dependent }: Resource, { data = {}, reads = {}, dependents = {}, nowMs = 0 }: PreviewOptions): object {
  const runtime = runtimeOf(step);
  const vars = new Proxy(data, {
    get: (values, key) => {
      if (typeof key === "symbol" || Object.hasOwn(values, key) || isOptional(step, key)) return Reflect.get(values, key) as unknown;
      throw misuse("ERR_INVALID_STEP", `the preview has no value for vars.${key}: give it in data: { ${key}: ... }`);
    },
  });
  const lists = Object.entries(runtime?.reads ?? {}).filter(([, { type }]) => type !== "one");
  const absent = Object.fromEntries(lists.map(([name]) => [name, []]));
  const noItems = (dependent.options.dependsOn ?? []).flatMap((needed: unknown) => {
    const other = factsOf(needed)?.dependent;
    return other?.isEach === true ? [[other.name, {}] as const] : [];
  });
  return {
    vars,
    reads: { ...absent, ...reads },
    dependents: { ...Object.fromEntries(noItems), ...dependents },
    now: () => nowMs,
    revisit: () => undefined,
  };
}

/** Whether the resource can run without the var: a step in `optional()` gives it. */
function isOptional(step: unknown, name: string): boolean {
  const runtime = runtimeOf(step);
  if (runtime === undefined || runtime.givers.some(({ gives }) => gives?.names.includes(name) === true)) return false;
  // Nothing is known of the vars of a step without `gives`.
  return leavesOf([...runtime.optionalNeeds]).some(({ gives }) => gives === undefined || gives.names.includes(name));
}

/** A `desired` that `layered()` made. */
interface Layered {
  readonly layers: readonly { readonly name: string }[];
  firing(object: unknown, inputs?: object, item?: unknown): readonly string[];
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

/** The layers that apply to any of the objects. To an object that is not desired no layer applies. */
function firingOf(
  layered: Layered,
  resource: Resource,
  { owner, options }: { readonly owner: KubernetesObject; readonly options: PreviewOptions },
): readonly string[] {
  const { dependent } = resource;
  const inputs = inputsOf(resource, options);
  if (!isWantedWith(dependent, owner, inputs)) return [];
  const all = dependent
    .names(owner)
    .list.filter(({ item }) => desiredOf(dependent, owner, { inputs, item }) !== undefined)
    .map(({ item }) => layered.firing(owner, inputs, item));
  return layered.layers.map(({ name }) => name).filter((name) => all.some((firing) => firing.includes(name)));
}
