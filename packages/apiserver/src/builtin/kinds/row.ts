/** The format of the tables of built-in kinds. */
import type { Hooks, NameRule, ResourceType, ServedVersion } from "../../storage/registry.ts";

/** A kind: names, scope, subresources, and the few rules beyond storage. */
export interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly scope?: "Cluster";
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly status?: true;
  readonly keepsStatus?: true;
  readonly scale?: true;
  /** Whether metadata.generation counts changes of the spec. */
  readonly generation?: true;
  readonly name?: NameRule;
  readonly fields?: readonly string[];
  /** Text of the warning of each request. */
  readonly deprecation?: string;
  readonly createsOnUpdate?: true;
  readonly returnsDeleted?: true;
  readonly needsVersion?: true;
  readonly marksDeletion?: true;
  readonly orphansDependents?: true;
  readonly graceSeconds?: ResourceType["graceSeconds"];
  readonly hooks?: Hooks;
  /** Conversions by version, for versions that differ from the stored one by more than apiVersion. */
  readonly conversions?: Readonly<Record<string, Pick<ServedVersion, "fromStored" | "toStored">>>;
  readonly isReview?: true;
  readonly isComputed?: true;
}

/** The kinds of an API group. */
export interface Group {
  readonly group: string;
  /** Versions; the first one is stored. */
  readonly versions: readonly string[];
  readonly rows: readonly Row[];
}

/** The category of kinds that users run. */
export const all = ["all"] as const;
