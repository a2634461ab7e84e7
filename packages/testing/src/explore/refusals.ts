/** Faults that refuse a write. */
import type { ApiResponse } from "@treadle/apimachinery";
import { answerTo, connectionReset } from "../faults/answers.ts";
import type { Target } from "./journal.ts";
import type { PointFault, WriteFaultPoint } from "./fault-point.ts";

/** A fault that refuses a write. */
export type Refusal = WriteFaultPoint & { readonly type: keyof typeof REFUSALS };

/** The descriptions of these faults. */
export const REFUSALS = {
  conflict: "the write is refused with 409 Conflict",
  error: "the write is refused with 500, at each attempt of the client",
  reset: "the connection breaks before the write reaches the server, at each attempt of the client",
} as const;

/** Whether a fault refuses its write. */
export function isRefusal(fault: PointFault | undefined): fault is Refusal {
  return fault !== undefined && fault.type in REFUSALS;
}

/** Returns the answer of a refused write. @throws Error for a broken connection */
export function refuse({ type }: Refusal, target: Target): ApiResponse {
  const answer =
    type === "conflict" ? answerTo({ type }, target) : type === "error" ? answerTo({ type: "serverError" }, target) : undefined;
  if (answer !== undefined) return answer;
  throw connectionReset("injected, before the request reached the server");
}
