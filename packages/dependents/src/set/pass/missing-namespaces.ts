/** Creates the namespaces that objects of a set use and that do not exist. */
import { isAlreadyExists } from "@treadle/apimachinery";
import { Namespace } from "@treadle/apimachinery/kinds";
import { isNamespaceMissing } from "../../core/namespaces.ts";
import type { PlannedMember } from "../plan/plan.ts";
import type { Given } from "./outcome.ts";
import type { Run, SetDoReq } from "./run.ts";

/** Creates a missing namespace of an object, if the policy allows it, and applies the object again. */
export async function withNamespace<R>(
  run: Run<SetDoReq>,
  { member, given }: { readonly member: PlannedMember; readonly given: Given },
  apply: () => Promise<R>,
): Promise<R> {
  const { namespace } = member.ref;
  try {
    return await apply();
  } catch (error) {
    const { namespaces, plan } = given;
    if (namespace === undefined || namespaces === undefined || !isNamespaceMissing(error, namespace)) throw error;
    // A namespace of the set is a member itself.
    if (plan.byKey.has(`Namespace ${namespace}`)) throw error;
    // Many objects miss it at once.
    let creation = namespaces.get(namespace);
    if (creation === undefined) namespaces.set(namespace, (creation = createNamespace(run, namespace)));
    await creation;
    return await apply();
  }
}

async function createNamespace({ context }: Run, name: string): Promise<void> {
  try {
    await context.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    context.log.info({ namespace: name }, "created a namespace that objects of the set use");
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
