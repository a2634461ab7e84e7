/** The server in which the API server calls the webhooks. `treadle generate` writes its Service, its Secret and its configurations. */
import { webhookServer } from "treadle/webhooks";
import { templateWebhook } from "./template-webhook.ts";

export const server = webhookServer([templateWebhook], {
  service: { name: "template-operator", namespace: "template-operator-system" },
});
