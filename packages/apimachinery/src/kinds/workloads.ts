/** The built-in kinds of workloads that operators use less often. */
import type { V1ControllerRevision, V1PodTemplate, V1ReplicationController } from "@kubernetes/client-node";
import type { ObjectOf } from "../kind.ts";
import type { BuiltInKind } from "../plain-json.ts";
import { namespaced } from "./built-in.ts";

/** The built-in kind PodTemplate. */
export const PodTemplate: BuiltInKind<V1PodTemplate> = namespaced("v1", "PodTemplate", "podtemplates");
/** An object of kind PodTemplate, as the server returns it. */
export interface PodTemplate extends ObjectOf<typeof PodTemplate> {}

/** The built-in kind ReplicationController. */
export const ReplicationController: BuiltInKind<V1ReplicationController> = namespaced(
  "v1",
  "ReplicationController",
  "replicationcontrollers",
);
/** An object of kind ReplicationController, as the server returns it. */
export interface ReplicationController extends ObjectOf<typeof ReplicationController> {}

/** The built-in kind ControllerRevision, of apps/v1. */
export const ControllerRevision: BuiltInKind<V1ControllerRevision> = namespaced("apps/v1", "ControllerRevision", "controllerrevisions");
/** An object of kind ControllerRevision, as the server returns it. */
export interface ControllerRevision extends ObjectOf<typeof ControllerRevision> {}
