export { Backoff, CLUSTER_CURVE, type Curve, EXTERNAL_CURVE, WAITING_CURVE } from "./backoff.ts";
export { type AddOptions, LOW_PRIORITY, type QueueKeys, type QueueObserver, type QueueOptions, type QueueStatus } from "./options.ts";
export { WorkQueue } from "./queue.ts";
export { type BackoffProfile, type Bucket, EXTERNAL_BUCKET, type Profile, RateLimit } from "./rate-limit.ts";
