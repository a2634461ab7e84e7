/** All scenarios, in the order in which they run. */
import { apply } from "./scenarios/apply.ts";
import { builtInDefaults } from "./scenarios/builtin-defaults.ts";
import { builtInFields } from "./scenarios/builtin-fields.ts";
import { changes } from "./scenarios/changes.ts";
import { conversion } from "./scenarios/conversion.ts";
import { objects } from "./scenarios/objects.ts";
import { ownership } from "./scenarios/ownership.ts";
import { patches } from "./scenarios/patches.ts";
import { protocol } from "./scenarios/protocol.ts";
import { rules } from "./scenarios/rules.ts";
import { rights } from "./scenarios/rights.ts";
import { schema } from "./scenarios/schema.ts";
import { strategic } from "./scenarios/strategic.ts";
import { tables } from "./scenarios/tables.ts";
import { webhooks } from "./scenarios/webhooks.ts";
import type { Scenario } from "./session.ts";

export const scenarios: readonly Scenario[] = [
  ...objects,
  ...patches,
  ...strategic,
  ...schema,
  ...rules,
  ...ownership,
  ...protocol,
  ...changes,
  ...builtInDefaults,
  ...builtInFields,
  ...apply,
  ...tables,
  ...rights,
  ...webhooks,
  ...conversion,
];
