/** The component of the web interface: what visitors reach. */
import { component, one } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { autoscaler } from "./autoscaler.ts";
import { database } from "./database.ts";
import { exporter } from "./exporter.ts";
import { oldService } from "./old-service.ts";
import { settings } from "./settings.ts";
import { web } from "./web.ts";
import { isSuspended, WebApp } from "./web-app.ts";

/**
 * Begins when the database was ready once, and no release freeze is in effect. Once begun it goes on, also when the database is
 * not ready any more.
 */
export const webInterface = component(WebApp, {
  name: "web",
  condition: "WebReady",
  after: [database],
  reads: { freeze: one(ConfigMap, () => "release-freeze") },
  until: (_app, { reads }) =>
    reads.freeze === undefined || `a release freeze is in effect: ${reads.freeze.data?.["reason"] ?? "no reason given"}`,
  graceMs: 120_000,
  suspended: isSuspended,
  resources: [settings, web, exporter, autoscaler, oldService],
});
