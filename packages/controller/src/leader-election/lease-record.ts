/** The contents of a Lease, as client-go writes and reads them. */
import type { Lease } from "@treadle/apimachinery/kinds";

/** The annotation with the names of the holder's handlers, which shows that two operators share a lease by mistake. */
const OPERATOR_ANNOTATION = "treadle.dev/operator";

export interface LeaseRecord {
  /** Empty: no process. */
  readonly holder: string;
  /** Undefined when the lease does not name it. */
  readonly durationMs: number | undefined;
  /** The handlers of the holder, if it is an operator made with Treadle. */
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

/** Changes with each write of the holder, and not when a user labels the lease. */
export function fingerprint({ metadata, spec }: Lease): string {
  const { holderIdentity, renewTime, acquireTime, leaseDurationSeconds, leaseTransitions } = spec ?? {};
  return JSON.stringify([metadata.uid, holderIdentity, renewTime, acquireTime, leaseDurationSeconds, leaseTransitions]);
}

/** A time as Kubernetes' `MicroTime`: always with six digits, because Go programs reject any other form. */
function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "000Z");
}

/** The writer of a lease. */
export interface Holder {
  readonly identity: string;
  readonly handlers: readonly string[];
  readonly durationMs: number;
}

type Metadata = Partial<Lease["metadata"]>;
/** The fields to send. Fields of other writers are sent back unchanged. */
export interface LeaseToWrite {
  readonly metadata: Metadata & { readonly name: string; readonly namespace: string };
  readonly spec: NonNullable<Lease["spec"]>;
}

/** Makes the lease of `ref` with `holder` as its holder from now on; `present` is the existing lease. */
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
      // A new lease starts at 0; a released or expired one has changed hands. It is an int32, and the server rejects larger numbers.
      leaseTransitions: before === undefined ? 0 : Math.min((before.leaseTransitions ?? 0) + (isRenewal ? 0 : 1), 2 ** 31 - 1),
    },
  };
}

/** Makes the released lease: other processes need not wait until it expires. */
export function releasedLease(ref: { readonly name: string; readonly namespace: string }, present: Lease, nowMs: number): LeaseToWrite {
  const time = microTime(nowMs);
  return {
    metadata: { ...present.metadata, ...ref },
    spec: { ...present.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: time, renewTime: time },
  };
}
