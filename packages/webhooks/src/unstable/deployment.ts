/**
 * `@treadle/webhooks/unstable/deployment`: what the server of a loaded program tells of its deployment. For tools that make manifests. Not for
 * operators; it may change in any version.
 */
export { type WebhookDeployment, webhookDeploymentOf } from "../manifests/deployment.ts";
