export { type Backoff, CLUSTER_BACKOFF, delayAfter, EXTERNAL_BACKOFF, WAITING_BACKOFF } from "./backoff.ts";
export { type AddOptions, LOW_PRIORITY, type QueueKeys, type QueueListeners, type QueueOptions, type QueueStatus } from "./options.ts";
export { WorkQueue } from "./queue.ts";
export { type BackoffProfile, type CustomBackoff, EXTERNAL_BUCKET, RateLimit, type TokenBucket } from "./rate-limit.ts";
