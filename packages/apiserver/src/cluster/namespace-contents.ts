/**
 * The controllers that keep the usual contents of each namespace: the ServiceAccount `default` and the ConfigMap with the
 * authority of the server. They restore deleted objects, and the changed data of the ConfigMap.
 */
import { isDeepStrictEqual } from "node:util";
import { type Kind, keyOf, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Namespace, ServiceAccount } from "@treadle/apimachinery/kinds";
import { type Context, type MakeController, type Watch, watch } from "../workloads/controller.ts";

const ACCOUNT = "default";
const AUTHORITY = "kube-root-ca.crt";

/** @param caPem Certificate of the server's authority */
export function namespaceContents(caPem: string): readonly MakeController[] {
  return [defaultAccounts, (context) => authorities(context, caPem)];
}

function defaultAccounts({ objects, as }: Context): ReturnType<MakeController> {
  const write = as("service-account-controller");
  return {
    name: "default-service-accounts",
    kind: Namespace,
    watches: [namespaceOf(ServiceAccount, ACCOUNT)],
    async sync(namespace) {
      if (!isActive(objects.get(Namespace, namespace))) return undefined;
      if (objects.get(ServiceAccount, `${namespace}/${ACCOUNT}`) === undefined)
        await write.create(ServiceAccount, namespace, { metadata: { name: ACCOUNT } });
      return undefined;
    },
  };
}

function authorities({ objects, as }: Context, caPem: string): ReturnType<MakeController> {
  const write = as("root-ca-cert-publisher");
  const data = { "ca.crt": caPem };
  return {
    name: "authorities-of-namespaces",
    kind: Namespace,
    watches: [namespaceOf(ConfigMap, AUTHORITY)],
    async sync(namespace) {
      if (!isActive(objects.get(Namespace, namespace))) return undefined;
      const found = objects.get(ConfigMap, `${namespace}/${AUTHORITY}`);
      if (found === undefined) await write.create(ConfigMap, namespace, { metadata: { name: AUTHORITY }, data });
      else if (!isDeepStrictEqual({ ...found.data }, data)) await write.update(ConfigMap, { ...found, data } as KubernetesObject);
      return undefined;
    },
  };
}

/** Whether objects can be created in the namespace. */
function isActive(namespace: Namespace | undefined): boolean {
  return namespace !== undefined && namespace.metadata.deletionTimestamp === undefined;
}

/** A change of the object of this name is work for its namespace. */
function namespaceOf(kind: Kind, name: string): Watch {
  return watch(kind, ({ metadata }) => (keyOf(metadata).endsWith(`/${name}`) ? [metadata.namespace ?? ""] : []));
}
