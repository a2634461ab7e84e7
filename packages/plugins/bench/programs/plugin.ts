/** The plugin of the measurements. Its name and its type are the name of its file, so that many copies can serve at once. */
import { parse } from "node:path";
import { Secret, Service, StatefulSet } from "@treadle/apimachinery/kinds";
import { capability, dependent, servePlugin } from "@treadle/plugins/author";
import { z } from "zod";

const { name } = parse(process.argv[1] ?? "plugin");

export const postgres = capability({
  name,
  category: "database",
  types: [{ name, parameters: z.object({ storageGb: z.int32().default(1) }) }],
  kinds: [Secret, Service, StatefulSet],
  plan({ owner: { metadata }, parameters, live }) {
    const labels = { app: metadata.name };
    const resources = { requests: { storage: `${parameters.storageGb}Gi` } };
    return [
      dependent("credentials", Secret, { stringData: { user: metadata.name } }, { updated: false, ready: true }),
      dependent(
        "server",
        StatefulSet,
        {
          spec: {
            serviceName: `${metadata.name}-address`,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "postgres", image: "postgres:17" }] } },
            volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources } }],
          },
        },
        { ready: live["server"] !== undefined || "it does not exist yet" },
      ),
      dependent("address", Service, { spec: { ports: [{ port: 5432 }] } }, { ready: true }),
    ];
  },
});

if (import.meta.main) servePlugin(postgres);
