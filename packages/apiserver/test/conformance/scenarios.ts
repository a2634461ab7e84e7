/** All scenarios, in the order in which they run. */
import { allocations } from "./scenarios/allocations.ts";
import { apply } from "./scenarios/apply.ts";
import { autoscalers } from "./scenarios/autoscalers.ts";
import { builtInDefaults } from "./scenarios/builtin-defaults.ts";
import { builtInFields } from "./scenarios/builtin-fields.ts";
import { caBundles } from "./scenarios/ca-bundles.ts";
import { changes } from "./scenarios/changes.ts";
import { conversion } from "./scenarios/conversion.ts";
import { convertedOwners } from "./scenarios/converted-owners.ts";
import { definitionChecks } from "./scenarios/definition-checks.ts";
import { definitions } from "./scenarios/definitions.ts";
import { differingVersions } from "./scenarios/differing-versions.ts";
import { embedded } from "./scenarios/embedded.ts";
import { equivalentVersions } from "./scenarios/equivalent-versions.ts";
import { failingWebhooks } from "./scenarios/failing-webhooks.ts";
import { failingConversions } from "./scenarios/failing-conversions.ts";
import { metadata } from "./scenarios/metadata.ts";
import { namespaces } from "./scenarios/namespaces.ts";
import { objects } from "./scenarios/objects.ts";
import { changedDefinitions } from "./scenarios/old-versions.ts";
import { ownership } from "./scenarios/ownership.ts";
import { patches } from "./scenarios/patches.ts";
import { podActions } from "./scenarios/pod-actions.ts";
import { computedKinds } from "./scenarios/computed-kinds.ts";
import { invalidPolicies } from "./scenarios/invalid-policies.ts";
import { mutatingPolicies } from "./scenarios/mutating-policies.ts";
import { policies } from "./scenarios/policies.ts";
import { protocol } from "./scenarios/protocol.ts";
import { quotas } from "./scenarios/quotas.ts";
import { reads } from "./scenarios/reads.ts";
import { requestMetrics } from "./scenarios/request-metrics.ts";
import { sentOwners } from "./scenarios/sent-owners.ts";
import { rules } from "./scenarios/rules.ts";
import { rights } from "./scenarios/rights.ts";
import { scale } from "./scenarios/scale.ts";
import { schema } from "./scenarios/schema.ts";
import { statuses } from "./scenarios/statuses.ts";
import { strategic } from "./scenarios/strategic.ts";
import { tables } from "./scenarios/tables.ts";
import { tokens } from "./scenarios/tokens.ts";
import { validation } from "./scenarios/validation.ts";
import { webhookSubresources } from "./scenarios/webhook-subresources.ts";
import { webhooks } from "./scenarios/webhooks.ts";
import { yamlBodies } from "./scenarios/yaml-bodies.ts";
import type { Scenario } from "./session.ts";

export const scenarios: readonly Scenario[] = [
  ...objects,
  ...metadata,
  ...embedded,
  ...differingVersions,
  ...sentOwners,
  ...yamlBodies,
  ...namespaces,
  ...patches,
  ...strategic,
  ...schema,
  ...rules,
  ...ownership,
  ...protocol,
  ...reads,
  ...requestMetrics,
  ...podActions,
  ...changes,
  ...builtInDefaults,
  ...builtInFields,
  ...autoscalers,
  ...allocations,
  ...quotas,
  ...apply,
  ...scale,
  ...validation,
  ...tables,
  ...rights,
  ...tokens,
  ...webhooks,
  ...webhookSubresources,
  ...policies,
  ...mutatingPolicies,
  ...invalidPolicies,
  ...computedKinds,
  ...caBundles,
  ...conversion,
  ...convertedOwners,
  ...equivalentVersions,
  ...failingConversions,
  ...failingWebhooks,
  ...definitions,
  ...definitionChecks,
  ...changedDefinitions,
  ...statuses,
];
