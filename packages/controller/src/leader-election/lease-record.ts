/** What stands in a Lease, as client-go writes and reads it. */
import type { Lease } from "@treadle/apimachinery/kinds";

/** Names the handlers of the holder, so that two operators that share a lease by mistake can be told. */
const OPERATOR_ANNOTATION = "treadle.dev/operator";

export interface LeaseRecord {
  /** Empty: nobody. */
  readonly holder: string;
  /** Undefined when the lease does not say. */
  readonly durationMs: number | undefined;
  /** The handlers of the holder, when it is an operator made with Treadle. */
  readonly handlers: readonly string[] | undefined;
}

export function recordOf({ metadata, spec }: Lease): LeaseRecord {
  const seconds = spec?.leaseDurationSeconds ?? 0;
  const handlers = metadata.annotations?.[OPERATOR_ANNOTATION];
  return {
    holder: spec?.holderIdentity ?? "",
    durationMs: seconds > 0 ? seconds * 1000 : undefined,
    handlers: handlers === undefined || handlers === "" ? undefined : handlers.split(","),
  };
}

/** Changes whenever the holder wrote; not when somebody labels the lease. */
export function fingerprint({ metadata, spec }: Lease): string {
  const { holderIdentity, renewTime, acquireTime, leaseDurationSeconds, leaseTransitions } = spec ?? {};
  return JSON.stringify([metadata.uid, holderIdentity, renewTime, acquireTime, leaseDurationSeconds, leaseTransitions]);
}

/** A time as Kubernetes' `MicroTime`: always with six digits, or Go programs refuse the object. */
function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}

/** Who writes into a lease. */
export interface Holder {
  readonly identity: string;
  readonly handlers: readonly string[];
  readonly durationMs: number;
}

type Metadata = Partial<Lease["metadata"]>;
/** What is sent; parts of somebody else's that a lease may hold besides are sent back as they came. */
export interface LeaseToWrite {
  readonly metadata: Metadata & { readonly name: string; readonly namespace: string };
  readonly spec: NonNullable<Lease["spec"]>;
}

/** The lease of `ref` with `holder` as its holder, as of now; `present` is what is there. */
export function heldLease(
  ref: { readonly name: string; readonly namespace: string },
  present: Lease | undefined,
  given: Holder & { readonly nowMs: number },
): LeaseToWrite {
  const { identity, handlers, durationMs, nowMs } = given;
  const time = microTime(nowMs);
  const before = present?.spec;
  const isRenewal = before?.holderIdentity === identity;
  return {
    metadata: {
      ...present?.metadata,
      ...ref,
      annotations: { ...present?.metadata.annotations, [OPERATOR_ANNOTATION]: handlers.join(",") },
    },
    spec: {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: durationMs / 1000,
      acquireTime: isRenewal ? (before.acquireTime ?? time) : time,
      renewTime: time,
      // A new lease begins at 0; what was released, or ran out, has changed hands. It is an int32, and more of it is refused.
      leaseTransitions: before === undefined ? 0 : Math.min((before.leaseTransitions ?? 0) + (isRenewal ? 0 : 1), 2 ** 31 - 1),
    },
  };
}

/** The same lease, given back: others need not wait for its end. */
export function releasedLease(ref: { readonly name: string; readonly namespace: string }, present: Lease, nowMs: number): LeaseToWrite {
  const time = microTime(nowMs);
  return {
    metadata: { ...present.metadata, ...ref },
    spec: { ...present.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time },
  };
}
