/** The server in which the API server calls the webhooks. */
import { webhookServer } from "treadle/webhooks";
import { pods, website } from "./webhooks.ts";

export const server = webhookServer([website, pods], { service: { name: "website-operator", namespace: "ops" } });
