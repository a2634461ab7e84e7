/** Finds the objects that use a provider config, in the cache. */
import { apiVersionOf, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { Cache } from "@treadle/reconcile";
import { type ExtensionPass, inNamespaceOf, servedVersionOf } from "@treadle/reconcile/unstable/engine";
import type { ProviderDefinition } from "./provider.ts";

/**
 * Returns why the cache may miss users; `undefined`: it has all of them. Objects of a kind whose watch is refused, or whose version is
 * not served, still exist.
 */
export async function unknownUsers(
  pass: Pick<ExtensionPass<unknown, object, object>, "isServed" | "refusalOf" | "client">,
  kinds: readonly Kind[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const kind of kinds) {
    const refusal = pass.refusalOf(kind);
    if (refusal !== undefined) return `cannot tell whether a ${kind.kind} uses it: ${refusal}`;
    const servedAs = pass.isServed(kind) ? undefined : await servedVersionOf(pass.client, kind, signal);
    if (servedAs !== undefined)
      return `cannot tell whether a ${kind.kind} uses it: the server has them as ${servedAs}, and the operator watches ${apiVersionOf(kind)}`;
  }
  return undefined;
}

/** The objects that use a config. */
export interface FoundUsers {
  /** The number of objects. */
  readonly count: number;
  /** The first of them, for messages. */
  readonly names: readonly string[];
}

/** What decides whether an event matters. */
export interface Concern {
  /** The kind of the object. */
  readonly kind: Kind;
  /** The cache. */
  readonly cache: Cache;
  /** Whether a config has the finalizer of the handler. */
  readonly isHeld: (config: KubernetesObject) => boolean;
}

/** Finds the objects that use a config. */
export interface ConfigUsers {
  /** Returns the objects that name a config, and the names of at most `most` of them. With 1 it stops at the first one. */
  find(config: KubernetesObject, cache: Cache, most: number): FoundUsers;
  /** Returns the config of an object if a change of the object matters for it. */
  concerned(object: KubernetesObject, concern: Concern): readonly Ref[];
}

/** Makes the search for the users of the configs of a provider. @throws TypeError when `kinds` is empty */
export function configUsers({ config: kind, configOf }: ProviderDefinition, kinds: readonly Kind[]): ConfigUsers {
  if (!Array.isArray(kinds) || kinds.length === 0)
    throw new TypeError("providerConfigs: the second argument must list the kinds whose objects use the provider");
  const named = (object: KubernetesObject): Ref | undefined => {
    let given: string | Ref | undefined;
    try {
      given = configOf(object);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`cannot tell which ${kind.kind} ${object.kind} ${keyOf(object.metadata)} uses: configOf() threw: ${why}`, { cause });
    }
    const ref = typeof given === "string" ? { name: given } : given;
    // An object that was stored under an older schema may hold null, although its type promises a text.
    return ref?.name ? inNamespaceOf(object, kind, ref) : undefined;
  };
  const names = (object: KubernetesObject, key: string): boolean => {
    const ref = named(object);
    return ref !== undefined && keyOf(ref) === key;
  };
  return {
    find(config, cache, most) {
      const key = keyOf(config.metadata);
      const found: string[] = [];
      let count = 0;
      for (const each of kinds) {
        for (const object of cache.list(each)) {
          if (!names(object, key)) continue;
          count += 1;
          if (found.length < most) found.push(`${each.kind} ${keyOf(object.metadata)}`);
          if (most === 1) return { count, names: found };
        }
      }
      return { count, names: found };
    },
    concerned(object, { kind: each, cache, isHeld }) {
      const ref = named(object);
      const config = ref === undefined ? undefined : cache.get(kind, ref);
      if (ref === undefined || config === undefined) return []; // A config that is created has a pass of its own.
      if (config.metadata.deletionTimestamp === undefined) return isHeld(config) ? [] : [ref];
      // A pass changes the status of the config, which starts a pass of each object that is left: so only the end starts one.
      const now = cache.get(each, object.metadata);
      const isLast = !(now !== undefined && names(now, keyOf(ref))) && this.find(config, cache, 1).count === 0;
      return isLast ? [ref] : [];
    },
  };
}
