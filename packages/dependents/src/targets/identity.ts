/** Where the objects of an owner belong: the cluster and the user, or why they may not be written. */
import { createHmac, hash, randomBytes } from "node:crypto";
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Impersonation } from "@treadle/client";
import type { KubeconfigText } from "@treadle/client/unstable/kubeconfig";
import { type OneRead, refOfRead } from "@treadle/reconcile/unstable/engine";
import type { KubeconfigReader } from "./kubeconfig.ts";
import type { RefusedTarget, StoredUser, TargetIdentity, TargetOptions } from "./types.ts";
import { resolveUser, serviceAccount, user as userNamed } from "./users.ts";

/** What decides besides the owner and the Secret. */
export interface IdentityRules {
  readonly options: TargetOptions<KubernetesObject>;
  readonly defaultServiceAccount: string | undefined;
  readonly reader: KubeconfigReader;
}

/** Returns the identity of the target of `owner`. Pure. What the functions of the author throw is thrown. */
export function identityOf(rules: IdentityRules, owner: KubernetesObject, secret: KubernetesObject | undefined): TargetIdentity {
  const user = userOf(rules, owner);
  if (user.type === "refused") return refusedTarget(user.message);
  if (rules.options.kubeconfig === undefined) return localTarget(user.as);
  const where = secretRef(rules.options, owner);
  if (where.type === "refused") return refusedTarget(where.message);
  if (secret === undefined)
    return { type: "refused", reason: "TargetUnreachable", message: `Secret ${textOf(where.ref)} with the kubeconfig does not exist` };
  const { namespace, name } = secret.metadata;
  if (namespace !== where.ref.namespace || name !== where.ref.name)
    return refusedTarget(`the read of the kubeconfig gave another Secret than ${textOf(where.ref)}`);
  const read = rules.reader.read(secret, rules.options.key);
  return read.type === "refused"
    ? refusedTarget(read.message)
    : remoteTarget(read.config, { as: user.as, ref: where.ref, secrets: read.secrets });
}

/** What a step state says of the objects of an owner. */
export interface StoredIdentity {
  readonly owner: KubernetesObject;
  /** The Secret that the state names; `undefined`: the cluster of the operator. */
  readonly secret: KubernetesObject | undefined;
  readonly stored: StoredUser;
}

/**
 * Returns the identity of the target in which the objects are, as the step state has it. The state is in the status of the owner, which
 * other writers may change. So the rules for the present target hold for it as well.
 */
export function storedIdentityOf(rules: IdentityRules, { owner, secret, stored }: StoredIdentity): TargetIdentity {
  const user = storedUserOf(rules, owner, stored.as);
  if (user.type === "refused") return refusedTarget(user.message);
  if (secret === undefined) return localTarget(user.as);
  const where = allowedRef(rules.options, owner, { name: secret.metadata.name, ...namespaceOf(secret) });
  if (where.type === "refused") return refusedTarget(where.message);
  const read = rules.reader.read(secret, rules.options.key);
  return read.type === "refused"
    ? refusedTarget(read.message)
    : remoteTarget(read.config, { as: user.as, ref: where.ref, secrets: read.secrets });
}

function namespaceOf({ metadata: { namespace } }: KubernetesObject): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

/** A user that the owner names now, or could name. */
function storedUserOf(
  rules: IdentityRules,
  owner: KubernetesObject,
  as: Impersonation | undefined,
): Found<{ as: Impersonation | undefined }> {
  // A user who may write the status must not get the rights of a credential that the code uses only to impersonate.
  if (as === undefined && rules.options.as !== undefined && rules.options.kubeconfig !== undefined)
    return { type: "refused", message: "the objects were written by the user of the kubeconfig, which the operator's code no longer uses" };
  if (as === undefined) return { type: "found", as };
  const present = presentUserOf(rules, owner);
  if (present.type === "found" && JSON.stringify(present.as) === JSON.stringify(as)) return present;
  const { allow } = rules.options;
  const [, namespace, name = ""] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(as.user) ?? [];
  const isNear = namespace !== undefined && namespace === owner.metadata.namespace;
  const given = isNear ? serviceAccount(name) : userNamed(as.user);
  const accounts = rules.defaultServiceAccount === undefined ? [] : [rules.defaultServiceAccount];
  const listed = allow?.serviceAccounts === undefined ? {} : { serviceAccounts: [...allow.serviceAccounts, ...accounts] };
  const resolved = resolveUser(owner, given, { groups: as.groups ?? [], allow: { ...allow, ...listed } });
  return resolved.type === "refused" ? resolved : { type: "found", as: resolved.as };
}

/** A function of the author that throws must not block the deletion of the owner. */
function presentUserOf(rules: IdentityRules, owner: KubernetesObject): Found<{ as: Impersonation | undefined }> {
  try {
    return userOf(rules, owner);
  } catch {
    return { type: "refused", message: "the operator's code names no user for the owner" };
  }
}

type Found<T> = ({ readonly type: "found" } & T) | { readonly type: "refused"; readonly message: string };

function userOf({ options, defaultServiceAccount }: IdentityRules, owner: KubernetesObject): Found<{ as: Impersonation | undefined }> {
  const { as, kubeconfig, allow } = options;
  const groups = options.groups?.(owner) ?? [];
  const given = as?.(owner);
  // A kubeconfig alone names its user by its credential.
  if (as === undefined && kubeconfig !== undefined && groups.length === 0) return { type: "found", as: undefined };
  if (given === undefined && defaultServiceAccount === undefined) {
    const problem = groups.length > 0 && as === undefined ? "groups need a user" : `${owner.kind} ${owner.metadata.name} names no user`;
    return {
      type: "refused",
      message: `${problem}, and targets() has no defaultServiceAccount: its objects are not written as the operator`,
    };
  }
  const resolved =
    given === undefined
      ? resolveUser(owner, serviceAccount(defaultServiceAccount ?? ""), {
          groups,
          allow: { ...allow, serviceAccounts: [defaultServiceAccount ?? ""] },
        })
      : resolveUser(owner, given, { groups, allow });
  return resolved.type === "refused" ? resolved : { type: "found", as: resolved.as };
}

function secretRef({ kubeconfig, secretNamespaces }: TargetOptions<KubernetesObject>, owner: KubernetesObject): Found<{ ref: Ref }> {
  const ref = kubeconfig === undefined ? undefined : refOfRead(kubeconfig as OneRead, owner); // What one() returns.
  if (ref === undefined)
    return {
      type: "refused",
      message: `${owner.kind} ${owner.metadata.name} names no Secret with a kubeconfig: its objects are not written to the cluster of the operator`,
    };
  return allowedRef(secretNamespaces === undefined ? {} : { secretNamespaces }, owner, ref);
}

/** Without this rule an owner would borrow the credentials of others. */
function allowedRef(
  { secretNamespaces = [] }: Pick<TargetOptions<KubernetesObject>, "secretNamespaces">,
  owner: KubernetesObject,
  ref: Ref,
): Found<{ ref: Ref }> {
  const { namespace } = ref;
  if (namespace === undefined || (namespace !== owner.metadata.namespace && !secretNamespaces.includes(namespace)))
    return {
      type: "refused",
      message: `Secret ${textOf(ref)} is not in the namespace of ${owner.kind} ${owner.metadata.name}: move it there, or list its namespace in the operator's code: secretNamespaces`,
    };
  return { type: "found", ref };
}

/** The key of digests. With it, a digest that is logged does not help to guess the credential. */
const KEY: Buffer = randomBytes(32);

function localTarget(as: Impersonation | undefined): TargetIdentity {
  if (as === undefined) return refusedTarget("no user is named: the objects are not written as the operator");
  return {
    type: "known",
    digest: digestOf(["local", as]),
    secret: undefined,
    serverDigest: LOCAL,
    as,
    config: undefined,
    secrets: [],
  };
}

/** What the cluster of the operator is called where others have the digest of their server. */
export const LOCAL = "local";

function remoteTarget(
  config: KubeconfigText,
  given: { readonly as: Impersonation | undefined; readonly ref: Ref; readonly secrets: readonly string[] },
): TargetIdentity {
  const { as, ref, secrets } = given;
  const { server, fields, inline } = config;
  return {
    type: "known",
    digest: digestOf(["remote", fields.cluster, fields.user, as]),
    secret: ref,
    serverDigest: hash("sha256", JSON.stringify([server, inline.ca ?? ""]), "hex").slice(0, 32),
    as,
    config,
    secrets,
  };
}

function digestOf(parts: readonly unknown[]): string {
  return createHmac("sha256", KEY)
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest("hex");
}

function refusedTarget(message: string): RefusedTarget {
  return { type: "refused", reason: "TargetRefused", message };
}

function textOf({ namespace, name }: Ref): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
