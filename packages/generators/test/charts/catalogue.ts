/** The charts of the suite, and the values with which they are installed and upgraded. */
import { join } from "node:path";

/** A chart with the values of its releases, in order. */
export interface Case {
  readonly name: string;
  /** Returns the folder of the chart. @throws Error when it was not downloaded */
  readonly chart: () => string;
  /** The values of the install, and of each upgrade. */
  readonly releases: readonly object[];
}

/** The pods of the simulation wait for the delays of their probes. */
const atOnce = { readinessProbe: { initialDelaySeconds: 0 } };

/** Charts that other projects wrote, unchanged. */
export const foreignCharts: readonly Case[] = [
  foreign("external-dns", [atOnce, { ...atOnce, provider: { name: "google" }, interval: "5m", txtOwnerId: "me", logLevel: "debug" }]),
  foreign("metrics-server", [atOnce, { ...atOnce, replicas: 2, podDisruptionBudget: { enabled: true, minAvailable: 1 }, args: ["--v=2"] }]),
  foreign("ingress-nginx", [
    { controller: atOnce },
    { controller: { ...atOnce, replicaCount: 2, config: { "use-gzip": "true" } }, defaultBackend: { ...atOnce, enabled: true } },
    { controller: { ...atOnce, admissionWebhooks: { enabled: false } } },
  ]),
  foreign("descheduler", [{}, { kind: "Deployment", replicas: 1, schedule: null }]),
  foreign("gatekeeper", [{}, { replicas: 2, auditInterval: 30 }]),
  foreign("sealed-secrets", [{}, { service: { port: 9090 }, networkPolicy: { enabled: true }, metrics: { service: { enabled: false } } }]),
];

/** Charts of this folder, with the features that the others do not have. */
export const ownCharts: readonly Case[] = [
  own("hooks", [{}, { greeting: "goodbye", replicas: 2, retired: false }, { greeting: "again", retired: false }]),
  own("parts", [
    {},
    { size: "large", replica: { enabled: true }, tags: { monitoring: true } },
    { primary: { port: 1, exported: { limit: 1 } } },
  ]),
  own("documents", [{}, { names: ["two", "three"], text: "0755", password: "y" }]),
  own("definitions", [{}, { size: 2 }]),
  own("stateful", [{}, { replicas: 3, schedule: null }]),
];

function foreign(name: string, releases: readonly object[]): Case {
  return { name, chart: () => downloaded(name), releases };
}

/** `npm run test:programs` downloads the charts of tools/programs/charts.json. */
function downloaded(name: string): string {
  const folders = JSON.parse(process.env["TREADLE_TEST_CHARTS"] || "{}") as Readonly<Record<string, string>>; // written by tools/programs
  const folder = folders[name];
  if (folder === undefined) throw new Error(`TREADLE_TEST_CHARTS has no folder of the chart ${name}: run npm run test:programs`);
  return folder;
}

function own(name: string, releases: readonly object[]): Case {
  return { name, chart: () => join(import.meta.dirname, "fixtures", name), releases };
}
