/** The options of a plugin host and of its steps. Types only. */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import type { Runnable, Source } from "@treadle/controller";
import type { Adoption } from "@treadle/dependents";
import type { Step } from "@treadle/reconcile";
import type { PluginSource } from "./connection.ts";
import type { ReleasesOptions } from "./sources/release.ts";

/** The kinds that a plugin may give: kinds, those of `kind<T>()` that the operator does not know, or any with all rights. */
export type GrantedKinds = readonly Kind[] | "any";

/** Options of `pluginHost()`. */
export interface PluginHostOptions {
  /**
   * Name of the host in messages, and in the label of its CapabilityInfos. Operators of one cluster need different names.
   * @defaultValue "plugins"
   */
  readonly name?: string;
  /** Where plugins come from. Of plugins with the same priority and pair the first by name serves. */
  readonly from: readonly PluginSource[];
  /** What each plugin may give, by the name of the plugin. A plugin without an entry may give nothing. */
  readonly kinds: Readonly<Record<string, GrantedKinds>>;
  /** Options of the releases that the environment variable TREADLE_PLUGINS adds to `from`, such as the base of a mirror. */
  readonly releases?: ReleasesOptions;
}

/** The request of an owner for a capability: each a function of the owner. */
export interface PluginStepOptions<T extends KubernetesObject, C extends string> {
  /** Persistent name of the step, and of its set. @defaultValue "plugin" */
  readonly name?: string;
  /** The condition of the set. @defaultValue "DependentsReady" */
  readonly condition?: C;
  /** What the capability is, such as `database`. @defaultValue `spec.category` */
  readonly category?: (object: T) => string | undefined;
  /** Which of them, such as `postgresql`. @defaultValue `spec.type` */
  readonly type?: (object: T) => string | undefined;
  /** Its version; `undefined` and an empty text: any. @defaultValue `spec.version` */
  readonly version?: (object: T) => string | undefined;
  /** Its parameters. @defaultValue `spec.parameters`, or none */
  readonly parameters?: (object: T) => object | undefined;
  /**
   * Whether a plan may take objects that exist and are not the owner's. The plugin chooses the names. With `ifUnowned` it takes objects without
   * an owner, and those of a restored backup. @defaultValue "never"
   */
  readonly adopt?: Adoption;
}

/** What `pluginHost()` returns: a runnable that keeps the plugins, in the leader, and makes steps. */
export interface PluginHost extends Runnable {
  /** Holds the first passes of a controller back until the plugins have been looked at: without it they find none. */
  readonly source: Source;

  /**
   * Makes a step that keeps the objects that a plugin gives for the owner. The kind needs a namespace, `dependents: true` and
   * `stepState: true`. The chain continues when the objects are ready.
   *
   * The step has the condition `PluginReady` besides that of the set. True: Ready. False: NoPlugin, PluginUnavailable, Invalid, or the
   * code of an error of the plugin that a retry does not resolve. Unknown: Starting.
   *
   * @throws TypeError for a kind without namespaces, and as `dependentSet()` does
   */
  step<P extends Kind, const C extends string = "DependentsReady">(
    primary: P,
    options?: PluginStepOptions<ObjectOf<P>, C>,
  ): Step<ObjectOf<P>, {}, {}, C | "PluginReady">;
}
