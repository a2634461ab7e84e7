/** Objects of a set with what their author decides in code. */
import type { DependentState } from "../core/entries.ts";
import type { Manifest } from "./plan/manifest.ts";

/**
 * What an author decides about one object of a set. A policy of the object that contradicts it is a problem of the set. A policy of the
 * set or of the custom resource that contradicts it has no effect on the object.
 */
export interface ObjectConfig {
  /**
   * Names the object in {@link RenderContext.live}: unique in the set, and the same in every rendering. The operator stores it with the
   * object. @defaultValue `Kind.group/name`; `Kind.group/namespace/name` for an object outside of the default namespace
   */
  readonly id?: string | undefined;
  /**
   * Whether the object is marked as the owner's, and deleted with it. With `false` it carries only the label of the step, and stays: also
   * when it is no longer rendered. An object that was the owner's before is released. @defaultValue true, but false with `created: false`
   */
  readonly owned?: boolean | undefined;
  /** Whether the object is created when it is missing. With `false` another writer creates it, and the set waits. @defaultValue true */
  readonly created?: boolean | undefined;
  /**
   * Whether an existing object is changed: with `false` it is neither updated nor taken, and created again after its deletion. The policy
   * `once` outweighs both values: the object is neither updated nor created again. @defaultValue true, but false with `created: false`
   */
  readonly updated?: boolean | undefined;
  /**
   * Whether a change of the object leads to a pass. With `false` it is read and applied again after the interval of the policy
   * `reapplyMs`. @defaultValue true if its kind is watched; an object that is not owned must be of a listed kind in the operator's cluster
   */
  readonly watched?: boolean | undefined;
  /**
   * Whether the object has an entry in `status.dependents`, and the set waits until it is ready. With `false` neither `after` nor waves
   * wait for it. A failure is logged and retried with a backoff. @defaultValue true
   */
  readonly checkedForReadiness?: boolean | undefined;
  /**
   * The state of the object, in place of its `health()`. The object is ready with the type `Ready` only. For a set with `live` it is the
   * state of the object that the renderer got. Until the renderer has seen the present one, the object is Pending with the reason
   * `Outdated`. @defaultValue `health()` decides
   */
  readonly state?: DependentState | undefined;
}

/** What a renderer returns for one object: a manifest, or one with what {@link configured} adds. */
export type RenderedObject = Manifest | ConfiguredObject;

/** An object of a set with its configuration: {@link configured} makes it. */
export interface ConfiguredObject {
  /** The object. */
  readonly object: Manifest;
  /** What its author decides. */
  readonly config: ObjectConfig;
}

/** Returns whether a rendered value is an object with its configuration. A manifest has an API version. */
export function isConfigured(value: unknown): value is ConfiguredObject {
  return typeof value === "object" && value !== null && "object" in value && "config" in value && !("apiVersion" in value);
}

/** Returns the object of a rendered value. */
export function manifestIn(value: RenderedObject): Manifest {
  return isConfigured(value) ? value.object : value;
}

/** Returns a rendered value with another object. Its configuration stays. */
export function withManifest<O extends RenderedObject>(value: O, object: Manifest): O {
  return (isConfigured(value) ? { ...value, object } : object) as O; // A value stays what it was.
}

/** Returns an object of a set with what its author decides in code, and not by annotations. Pure. */
export function configured(object: Manifest, config: ObjectConfig): ConfiguredObject {
  return { object, config };
}
