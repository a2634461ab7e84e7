/** Faults by which a write is not done at all. */
import type { ApiResponse } from "@treadle/apimachinery";
import { answerTo, connectionReset } from "../faults/answers.ts";
import type { Target } from "./journal.ts";
import type { PointFault, WriteFaultPoint } from "./fault-point.ts";

export type Refusal = WriteFaultPoint & { readonly type: keyof typeof REFUSALS };

/** How they are told. */
export const REFUSALS = {
  conflict: "the write is refused with 409 Conflict",
  error: "the write is refused with 500, as often as the client tries",
  reset: "the connection breaks before the server hears of the write, as often as the client tries",
} as const;

export function isRefusal(fault: PointFault | undefined): fault is Refusal {
  return fault !== undefined && fault.type in REFUSALS;
}

/** @throws Error for a broken connection */
export function refuse({ type }: Refusal, target: Target): ApiResponse {
  const answer =
    type === "conflict" ? answerTo({ type }, target) : type === "error" ? answerTo({ type: "serverError" }, target) : undefined;
  if (answer !== undefined) return answer;
  throw connectionReset("injected, before the server heard of it");
}
