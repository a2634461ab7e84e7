/** Parts of the declaration of a managed kind: spread them into `defineResource()`. */
import { z } from "zod";

/** An action that a managed step may take at the provider: one entry of `spec.managementPolicies`. `"*"` means all of them. */
export type ManagementPolicy = "*" | "Observe" | "Create" | "Update" | "Delete" | "LateInitialize";

const MANAGEMENT_POLICIES = ["*", "Observe", "Create", "Update", "Delete", "LateInitialize"] as const satisfies readonly ManagementPolicy[];

/** The fields that the spec of a managed kind has besides those of the author. */
export const managedSpec: ManagedSpec = {
  providerConfigRef: z
    .object({ name: z.string().default("default").describe("Name of the provider config.") })
    .default({ name: "default" })
    .describe("The provider config: connection and credentials."),
  managementPolicies: z
    .array(z.enum(MANAGEMENT_POLICIES))
    .default(["*"])
    .describe("The actions that are allowed at the provider. An empty list pauses the object."),
  deletionPolicy: z
    .enum(["Delete", "Orphan"])
    .default("Delete")
    .describe("Whether the external resource is deleted with the object. Orphan leaves it."),
};

/** This is the type of {@link managedSpec}. */
export interface ManagedSpec {
  /** The provider config of the object. @defaultValue `{ name: "default" }` */
  readonly providerConfigRef: z.ZodDefault<z.ZodObject<{ name: z.ZodDefault<z.ZodString> }>>;
  /** The allowed actions, in any combination. @defaultValue `["*"]` */
  readonly managementPolicies: z.ZodDefault<
    z.ZodArray<
      z.ZodEnum<{
        "*": "*";
        Observe: "Observe";
        Create: "Create";
        Update: "Update";
        Delete: "Delete";
        LateInitialize: "LateInitialize";
      }>
    >
  >;
  /** What becomes of the external resource when the object is deleted. @defaultValue `"Delete"` */
  readonly deletionPolicy: z.ZodDefault<z.ZodEnum<{ Delete: "Delete"; Orphan: "Orphan" }>>;
}

/** The fields that the status of a managed kind has besides those of the author. */
export const managedStatus: ManagedStatus = {
  externalName: z.string().describe("Name of the external resource at the provider."),
};

/** This is the type of {@link managedStatus}. */
export interface ManagedStatus {
  /** The name of the external resource. With `prefix: "Bucket"`, declare `bucketExternalName` instead. */
  readonly externalName: z.ZodString;
}

/** The traits of a managed kind: step state, dependents, the category `managed` and printer columns. */
export const managedTraits: ManagedTraits = {
  stepState: true,
  dependents: true,
  categories: ["managed"],
  printerColumns: [
    { name: "Synced", type: "string", jsonPath: '.status.conditions[?(@.type=="Synced")].status' },
    { name: "External-Name", type: "string", jsonPath: ".status.externalName" },
    { name: "Sync-Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Synced")].reason', priority: 1 },
    { name: "Sync-Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Synced")].message', priority: 1 },
  ],
};

/** This is the type of {@link managedTraits}. */
export interface ManagedTraits {
  /** Managed kinds keep the create record in the step state. */
  readonly stepState: true;
  /** Managed kinds may have dependents, such as a connection Secret. */
  readonly dependents: true;
  /** The categories of `kubectl get`. */
  readonly categories: readonly string[];
  /** The columns of `kubectl get`; the columns Ready, Reason and Age are those of `defineResource()`. */
  readonly printerColumns: readonly {
    readonly name: string;
    readonly type: "string";
    readonly jsonPath: string;
    readonly priority?: number;
  }[];
}
