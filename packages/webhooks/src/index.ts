/** `@treadle/webhooks`: admission and conversion webhooks. Most programs import these names from `treadle/webhooks`. */
export { type Webhooks, webhooks } from "./webhooks.ts";
export {
  type SecretManifest,
  type ServiceManifest,
  type WebhookConfigurationManifest,
  type WebhookManifest,
  type WebhookManifestMetadata,
  webhookManifests,
  type WebhookManifestsOptions,
} from "./manifests/manifests.ts";
export type { EntryRule, RegistrationEnv, WebhookEntry, WebhookRegistration } from "./manifests/registration.ts";
export type { WebhookPlacement, WebhookService } from "./placement.ts";
export { deny, type DenyOptions } from "./admission/deny.ts";
export {
  type OtherVersionsOf,
  review,
  type ReviewedObject,
  type ReviewedReads,
  type ReviewedRequest,
  type ReviewOutcome,
} from "./review.ts";
export { type CallEnv, CallError, type CallErrorCode } from "./call.ts";
export type {
  Conversion,
  ConversionsOf,
  ConvertOption,
  Converted,
  DraftOf,
  Operation,
  RegistrationOptions,
  Review,
  ReviewedUser,
  WebhookSelector,
  WebhooksOptions,
} from "./types.ts";
export { type WebhookServer, webhookServer, type WebhookServerOptions } from "./server/webhook-server.ts";
