/** Refusals and warnings of built-in kinds, see `validation/table.ts`. */
import type { Scenario } from "../session.ts";
import { clusterTables } from "./validation/cluster.ts";
import { eventTables } from "./validation/events.ts";
import { networkTables } from "./validation/network.ts";
import { podTables } from "./validation/pods.ts";
import { storageTables } from "./validation/storage.ts";
import { scenarioOf } from "./validation/table.ts";
import { workloadTables } from "./validation/workloads.ts";

const tables = [podTables, workloadTables, networkTables, storageTables, clusterTables, eventTables];

export const validation: readonly Scenario[] = tables.flat().map(scenarioOf);
