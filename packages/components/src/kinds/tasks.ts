/** The records of the tasks. Tasks are not graded: a task that does not complete in time has no partial result. */
import { Job } from "@treadle/apimachinery/kinds";
import type { AnyKindRecord, KindRecord } from "./kind-record.ts";

/** The record of Jobs. A Job is suspended first, so that its pods end, and then deleted. */
const jobRecord: KindRecord<typeof Job> = {
  kind: Job,
  category: "task",
  suspend: { merge: { spec: { suspend: true } }, delete: true },
  isSuspended: ({ spec, status }) => spec?.suspend === true && (status?.active ?? 0) === 0,
};

/** All records of this file. */
export const taskRecords: readonly AnyKindRecord[] = [jobRecord];
