/** The reasons of the conditions of managed steps and of provider configs. docs/operations.md explains each. */
export const REASONS = [
  // Ready
  "Available",
  "Unavailable",
  "Creating",
  "Updating",
  "Deleting",
  "Failed",
  "WaitingForExternal",
  // Ready and UpToDate
  "NotObserved",
  // Synced
  "ReconcileSuccess",
  "ReconcileError",
  "TimedOut",
  "AlreadyExists",
  "ExternalNotFound",
  "InvalidExternalName",
  "CreateInterrupted",
  "RateLimited",
  "CredentialsRefused",
  "NotConnected",
  "WaitingForReference",
  "StepWaiting",
  "StepFailed",
  // UpToDate
  "ObserveMatched",
  "UpdateRequested",
  "UpdatePending",
  "UpdateRestricted",
  "UpdateFailed",
  // Ready of a provider config
  "InUse",
  "UsersNotKnown",
] as const;

/** A reason of a condition of a managed step. The code of a `TerminalError` is the only other one. */
export type Reason = (typeof REASONS)[number];
