/** What crosses between host and plugin, with objects in place of their JSON. Types only; `proto/treadle/capability/v1.proto` explains them. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { DependentState, ObjectConfig } from "@treadle/dependents";

/** What a plugin offers. */
export interface Description {
  /** The name of the plugin. */
  readonly name: string;
  /** The version of the plugin itself; empty: unknown. */
  readonly version: string;
  /** The API versions that it supports, `major.minor`. */
  readonly apiVersions: { readonly oldest: string; readonly newest: string };
  /** What the types are, such as `database`. */
  readonly category: string;
  /** The types that it offers. */
  readonly types: readonly CapabilityType[];
  /** The kinds that it may return. The host decides which are granted. */
  readonly kinds: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

/** A type of capability. */
export interface CapabilityType {
  /** The name, such as `postgresql`. */
  readonly name: string;
  /** The versions that can be requested. */
  readonly versions: readonly string[];
  /** JSON Schema of the parameters; `undefined`: any object. */
  readonly parameterSchema: object | undefined;
}

/** A request for the desired objects of one owner. */
export interface PlanRequest {
  /** The type, as the plugin wrote it. */
  readonly type: string;
  /** Empty: none is requested. */
  readonly version: string;
  /** The owner. */
  readonly owner: KubernetesObject;
  /** The parameters, with their defaults. */
  readonly parameters: object;
  /** The objects of the owner that exist. */
  readonly live: readonly { readonly id: string; readonly object: KubernetesObject }[];
}

/** The answer of a plugin. */
export type PlanAnswer =
  | { readonly type: "problems"; readonly problems: readonly PlanProblem[] }
  | { readonly type: "dependents"; readonly dependents: readonly PlannedDependent[] }
  | { readonly type: "error"; readonly error: PlanFailure };

/** A field of the owner that is not valid. */
export interface PlanProblem {
  /** Path of the field, such as `spec.parameters.storageGb`. */
  readonly path: string;
  /** What is wrong with it. */
  readonly message: string;
}

/** An error of the plugin's author. */
export interface PlanFailure {
  /** Why: one CamelCase word. */
  readonly code: string;
  /** The message for people. */
  readonly message: string;
  /** When it may be tried again, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request fails again. */
  readonly terminal: boolean;
}

/** One desired object. */
export interface PlannedDependent {
  /** The name of the object in the plan. */
  readonly id: string;
  /** Checked: a JSON object with apiVersion and kind. */
  readonly object: Readonly<Record<string, unknown>>;
  /** What the plugin decides about the object. */
  readonly config: DependentConfig;
  /** The state of the object; `undefined`: the host judges it. */
  readonly state: DependentState | undefined;
}

/** What a plugin decides about an object, as in `ObjectConfig`. */
export type DependentConfig = Omit<ObjectConfig, "id" | "state">;
