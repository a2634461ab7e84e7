/** The controller of the status of ValidatingAdmissionPolicies. It checks the types of their expressions. */
import { ValidatingAdmissionPolicy } from "@treadle/apimachinery/kinds";
import { expressionWarnings } from "../admission/type-checking.ts";
import type { Context, Controller } from "./controller.ts";

const NAME = "validatingadmissionpolicy-status";

export function policyStatus({ clock, registry, objects, as }: Context): Controller {
  const write = as(`${NAME}-controller`);
  return {
    name: NAME,
    kind: ValidatingAdmissionPolicy,
    async sync(key) {
      const policy = objects.get(ValidatingAdmissionPolicy, key);
      const { generation = 0 } = policy?.metadata ?? {};
      // A policy is checked once for each generation, as on the real server: a later CRD does not cause another check.
      if (policy === undefined || generation <= (policy.status?.observedGeneration ?? 0)) return undefined;
      const warnings = expressionWarnings(registry, { ...policy }, (clock.now() % 1000) * 1_000_000);
      const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
      await write.applyStatus(ValidatingAdmissionPolicy, policy, {
        status: { observedGeneration: generation, typeChecking },
        manager: NAME,
      });
      return undefined;
    },
  };
}
