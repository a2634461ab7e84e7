/** The client of the target of a set, for the steps before and after it. */
import { keyOf, type KubernetesObject } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import type { AnyStep, ReqClient } from "@treadle/reconcile";
import { clientFor, misuse, refOfRead } from "@treadle/reconcile/unstable/engine";
import { sets } from "../../set/extension.ts";
import { remoteSteps } from "../../target-extension.ts";
import { targetError } from "../target-error.ts";

/**
 * Returns a client of the target of `remote`, for the owner of `req`. It writes as the step of `req`, within its deadline, and does not
 * keep the connection open.
 * @throws TypeError for a step without a target; an error that is retried while the target is refused; the errors of the API server
 */
export async function clientOfStep(req: { readonly signal: AbortSignal }, remote: AnyStep): Promise<ReqClient> {
  const definition = sets.dataOf(remote) ?? remoteSteps.dataOf(remote);
  const target = definition?.target;
  if (definition === undefined || target === undefined)
    throw misuse("ERR_INVALID_STEP", "clusters.client: the second argument must be a step with the option target");
  const pass = (sets.dataOf(remote) === undefined ? remoteSteps : sets).of(req);
  const { object: owner } = pass;
  const ref = target.kubeconfig === undefined ? undefined : refOfRead(target.kubeconfig, owner);
  const secret: KubernetesObject | undefined = ref === undefined ? undefined : await pass.client.get(Secret, ref, { signal: req.signal });
  if (secret !== undefined) pass.conceal(Object.values((secret as { readonly data?: Record<string, string> }).data ?? {}));
  const identity = target.identify(owner, secret);
  if (identity.type === "refused")
    throw targetError(new Error(`cannot reach the target of "${definition.name}" for ${keyOf(owner.metadata)}: ${identity.message}`));
  pass.conceal(identity.secrets);
  const { client, watches } = target.connect(identity, {
    shared: (key, make) => pass.shared(key, make),
    client: pass.client,
    clock: pass.clock,
    name: definition.name,
  });
  return clientFor(req, {
    client,
    observe: (kind, object) => watches.observe(kind, object),
    observeDelete: (kind, given, uid) => watches.observeDelete(kind, given, uid),
  });
}
