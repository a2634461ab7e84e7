/** `targets()`: what all targets of an operator share, as one runnable. */
import type { KubernetesObject, Transport } from "@treadle/apimachinery";
import type { Impersonation } from "@treadle/client";
import type { KubeconfigFeature, KubeconfigText } from "@treadle/client/unstable/kubeconfig";
import { KUBECONFIG_FEATURES } from "@treadle/client/unstable/kubeconfig";
import type { Runnable } from "@treadle/controller";
import { RateLimit, type TokenBucket } from "@treadle/workqueue";
import type { AnyStep, ReqClient } from "@treadle/reconcile";
import type { OneRead } from "@treadle/reconcile/unstable/engine";
import { Connections } from "./connections.ts";
import { identityOf, storedIdentityOf } from "./identity.ts";
import { KubeconfigReader } from "./kubeconfig.ts";
import { impersonationRights } from "./permissions.ts";
import { serverRule } from "./servers.ts";
import { clientOfStep } from "./pass/client-of-step.ts";
import type { Target, TargetDefinition, TargetOptions } from "./types.ts";

/** Options of {@link targets}. */
export interface TargetsOptions {
  /** The service account as which objects are written where an owner names none, in the namespace of the owner. @defaultValue none: the owner is refused */
  readonly defaultServiceAccount?: string;
  /** The maximum rate of requests for each connection. @defaultValue no limit but that of the target */
  readonly rate?: TokenBucket;
  /**
   * The servers that kubeconfigs may name: names (`api.example.com`, `*.example.com`), addresses and CIDRs, each with or without a port.
   * @defaultValue all but loopback, link-local, unspecified, multicast, reserved and metadata addresses
   */
  readonly servers?: readonly string[];
  /** The parts of kubeconfigs that are refused unless they are listed here. @defaultValue none */
  readonly allow?: readonly KubeconfigFeature[];
}

/** What all targets of an operator share. Add it to the manager: `manager.add(clusters)`. */
export interface Targets extends Runnable {
  /**
   * Makes a target, for the option `target` of steps.
   * @throws TypeError without `kubeconfig`, `as` and `defaultServiceAccount`: the objects would be written as the operator. And for
   * `groups` without `kubeconfig` and `allow.groups`: the right on all groups is that of `system:masters`
   */
  target<T extends KubernetesObject>(options: TargetOptions<T>): Target<T>;
  /**
   * Returns a client of the target of the set `remote`, for the object of `req`: for steps before and after the set. Those of the former
   * need the right to get Secrets, which the set has.
   * @throws TypeError for a step without a target; an error that is retried while the target is refused; the errors of the API server
   */
  client(req: { readonly signal: AbortSignal }, remote: AnyStep): Promise<ReqClient>;
}

/**
 * Makes what all targets of an operator share: the connections, their rate, and the rules for kubeconfigs.
 * @throws TypeError for an option with an impossible value
 */
export function targets(options: TargetsOptions = {}): Targets {
  return targetsWith(options, {});
}

/** As {@link targets}, with other transports, for tests without sockets. */
export function targetsWith(
  options: TargetsOptions,
  { transport }: { readonly transport?: (config: KubeconfigText, as: Impersonation | undefined) => Transport },
): Targets {
  const { defaultServiceAccount, rate, servers, allow = [] } = options;
  const unknown = allow.find((feature) => !KUBECONFIG_FEATURES.includes(feature));
  if (unknown !== undefined)
    throw new TypeError(`targets({ allow }): ${JSON.stringify(unknown)} is not one of ${KUBECONFIG_FEATURES.join(", ")}`);
  if (rate !== undefined) checkRate(rate);
  const allowAddress = serverRule(servers);
  const reader = new KubeconfigReader(allow);
  const key = {};
  const make = (): Connections => new Connections({ rate, allowAddress, transport });
  return {
    name: "targets",
    needsLeader: false,
    client: clientOfStep,
    start: (_, env) => env.shared(key, make).attach(env),
    target<T extends KubernetesObject>(given: TargetOptions<T>): Target<T> {
      // The functions get the owner of the step, which has this type.
      const rules = { options: given as unknown as TargetOptions<KubernetesObject>, defaultServiceAccount, reader };
      checkTarget(rules);
      const { kubeconfig, as, allow: users } = given;
      const definition: TargetDefinition = {
        kubeconfig: kubeconfig as OneRead | undefined, // What one() returns.
        permissions:
          kubeconfig === undefined ? impersonationRights({ hasUser: as !== undefined, allow: users, defaultServiceAccount }) : [],
        identify: (owner, secret, stored) =>
          stored === undefined ? identityOf(rules, owner, secret) : storedIdentityOf(rules, { owner, secret, stored }),
        connect: (identity, services) => services.shared(key, make).connect(identity, services),
      };
      return { definition };
    },
  };
}

function checkTarget({
  options,
  defaultServiceAccount,
}: {
  options: TargetOptions<KubernetesObject>;
  defaultServiceAccount: string | undefined;
}): void {
  const { kubeconfig, as, groups, allow } = options;
  if (kubeconfig === undefined && as === undefined && defaultServiceAccount === undefined)
    throw new TypeError(
      "clusters.target() has neither kubeconfig nor as, and targets() has no defaultServiceAccount: the objects would be written as the operator; give one of them, or leave out the target",
    );
  if (groups !== undefined && as === undefined && defaultServiceAccount === undefined)
    throw new TypeError("clusters.target() has groups and no as: a server takes groups with a user only");
  if (groups !== undefined && kubeconfig === undefined && allow?.groups === undefined)
    throw new TypeError(
      "clusters.target() has groups and no kubeconfig: list them in allow.groups, so that the operator may impersonate those only",
    );
}

/** @throws TypeError for impossible numbers */
function checkRate(bucket: TokenBucket): void {
  try {
    new RateLimit({ baseMs: 0, maxMs: 0, bucket }, { elapsed: () => 0 });
  } catch (cause) {
    throw new TypeError(`targets({ rate }): ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
