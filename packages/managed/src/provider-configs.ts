/**
 * Protects the configs of a provider: a config that objects use is not deleted before them, because their external resources could not
 * be cleaned up without it.
 *
 * Guarantees
 * - The users are found in the cache, by the same function as in the steps. Nothing is stored about them, so a restored backup is right
 *   at once.
 * - A change of an object starts a pass of its config only when the finalizer must be added, or when a config that is being deleted has
 *   no user any more. Until then its condition is at most a minute old. A config whose finalizer is held looks at no list until it is deleted.
 *
 * Caveats
 * - An operator for some namespaces sees only the users in these namespaces.
 * - The finalizer stays on a config that no object uses any more. Its deletion then removes it at once.
 */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import { type AnyHandler, conditions, handler, type HandlerBuilder, type HandlerOptions, type Step, step } from "@treadle/reconcile";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import { managedSteps } from "./extension.ts";
import { type ConfigUsers, configUsers, unknownUsers } from "./provider/config-users.ts";
import type { Provider, ProviderDefinition } from "./provider/provider.ts";

/** The options of {@link providerConfigs}. */
export interface ProviderConfigsOptions extends Pick<HandlerOptions, "name" | "formerNames"> {}

/**
 * Makes the handler of the config kind of a provider. Give it all kinds whose objects use the provider, and add it to the manager
 * next to their handlers.
 *
 * @throws TypeError when `kinds` is empty or has a value that is not a kind (untyped code)
 */
export function providerConfigs(provider: Provider<unknown>, kinds: readonly Kind[], options: ProviderConfigsOptions = {}): AnyHandler {
  const users = configUsers(provider as ProviderDefinition, kinds); // provider() makes nothing else.
  const kind = provider.config;
  // The pipeline knows the finalizer once it is built, and no event comes before.
  const isHeld = (config: KubernetesObject): boolean => config.metadata.finalizers?.includes(pipelineOf(built).finalizer ?? "") === true;
  let builder: HandlerBuilder<KubernetesObject, {}> = handler(kind, options)
    .step(conditions())
    .step(protection(kind, { kinds, users, isHeld }));
  for (const each of kinds)
    builder = builder.watch(each, { map: (object: KubernetesObject, cache) => users.concerned(object, { kind: each, cache, isHeld }) });
  const built: AnyHandler = builder.build();
  return built;
}

/** The maximum number of objects that a condition names. */
const MAX_NAMED = 10;

/** Time until a config that is in use is looked at again, if no event is seen. */
const LOOK_AGAIN_MS = 60_000;

interface Protection {
  readonly kinds: readonly Kind[];
  readonly users: ConfigUsers;
  readonly isHeld: (config: KubernetesObject) => boolean;
}

function protection(kind: Kind, { kinds, users, isHeld }: Protection): Step<KubernetesObject> {
  return step(kind, {
    name: "in-use",
    conditions: ["Ready"],
    finalizer: "on-demand",
    dryRun: true,
    async do(req) {
      if (!isHeld(req.object) && users.find(req.object, req.cache, 1).count > 0) await req.holdFinalizer();
      return req.conditions.true("Ready");
    },
    async cleanup(req) {
      const unknown = await unknownUsers(managedSteps.of(req), kinds, req.signal);
      if (unknown !== undefined) return req.conditions.unknown("Ready", "UsersNotKnown", unknown).wait(LOOK_AGAIN_MS);
      const { count, names } = users.find(req.object, req.cache, MAX_NAMED);
      if (count === 0) return undefined;
      const rest = count > names.length ? ` and ${count - names.length} more` : "";
      const message = `${count} ${count === 1 ? "object uses" : "objects use"} it: ${names.join(", ")}${rest}`;
      return req.conditions.false("Ready", "InUse", message).wait(LOOK_AGAIN_MS);
    },
  });
}
