/** Finds the record of a kind. */
import type { Kind } from "@treadle/apimachinery";
import { integrationRecords } from "./integrations.ts";
import type { AnyKindRecord } from "./kind-record.ts";
import { staticRecords } from "./statics.ts";
import { taskRecords } from "./tasks.ts";
import { workloadRecords } from "./workloads.ts";

const BUILT_IN: readonly AnyKindRecord[] = [...workloadRecords, ...taskRecords, ...integrationRecords, ...staticRecords];

/**
 * Returns the record of a kind, by group and kind: the first of `custom`, else the built-in one. A kind without a record is an
 * integration that is judged by `health()`, is not graded and cannot be suspended.
 */
export function recordOf(kind: Kind, custom: readonly AnyKindRecord[] = []): AnyKindRecord {
  const isOfKind = (record: AnyKindRecord): boolean => record.kind.group === kind.group && record.kind.kind === kind.kind;
  return custom.find(isOfKind) ?? BUILT_IN.find(isOfKind) ?? { kind, category: "integration" };
}
