/** Random lives of owners and dependents: acts of users on a few ConfigMaps that own each other, and the objects that are left. */
import type { ApiRequest, Random, Transport } from "@treadle/apimachinery";
import type { Json } from "../session.ts";

export type Act =
  | { readonly type: "create"; readonly name: string; readonly owners: readonly Owner[]; readonly finalizers: readonly string[] }
  | { readonly type: "own"; readonly name: string; readonly owners: readonly Owner[] }
  | { readonly type: "delete"; readonly name: string; readonly policy: "Background" | "Foreground" | "Orphan" }
  | { readonly type: "release"; readonly name: string };

export interface Owner {
  readonly name: string;
  readonly blocks: boolean;
}

/** The visible state of the objects by name, without uids. */
export type Picture = Readonly<
  Record<string, { readonly isDeleting: boolean; readonly owners: readonly string[]; readonly finalizers: readonly string[] }>
>;

const NAMES = ["a", "b", "c", "d", "e", "f"] as const;
const HOLD = "example.com/hold";

export function actsOf(random: Random, count: number): readonly Act[] {
  return Array.from({ length: count }, () => actOf(random));
}

function actOf(random: Random): Act {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T; // no list is empty
  const name = pick(NAMES);
  const ownersOf = (): readonly Owner[] => {
    const names = NAMES.filter((other) => other !== name && random.next() < 0.35);
    return [...names, ...(random.next() < 0.05 ? ["never"] : [])].map((owner) => ({ name: owner, blocks: random.next() < 0.6 }));
  };
  const dice = random.next();
  if (dice < 0.5)
    return { type: "create", name, owners: ownersOf(), finalizers: pick([[], [], [], [HOLD], ["orphan"], ["foregroundDeletion"]]) };
  if (dice < 0.62) return { type: "own", name, owners: ownersOf() };
  if (dice < 0.85) return { type: "delete", name, policy: pick(["Background", "Foreground", "Orphan"] as const) };
  return { type: "release", name };
}

/** The ConfigMaps of one namespace. */
export class Place {
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, namespace: string) {
    this.#transport = transport;
    this.#path = `/api/v1/namespaces/${namespace}/configmaps`;
  }

  /** Does an act. A refused act changes nothing. */
  async act(act: Act): Promise<void> {
    const path = `${this.#path}/${act.name}`;
    switch (act.type) {
      case "create": {
        const metadata = { name: act.name, ownerReferences: await this.#references(act.owners), finalizers: act.finalizers };
        await this.#send("POST", this.#path, { apiVersion: "v1", kind: "ConfigMap", metadata });
        break;
      }
      case "own":
        await this.#send("PATCH", path, { metadata: { ownerReferences: await this.#references(act.owners) } });
        break;
      case "delete":
        await this.#send("DELETE", path, { propagationPolicy: act.policy });
        break;
      case "release": {
        const { metadata } = await this.#send("GET", path);
        const finalizers = ((metadata?.finalizers ?? []) as readonly string[]).filter((one) => one !== HOLD);
        await this.#send("PATCH", path, { metadata: { finalizers } });
        break;
      }
    }
  }

  async picture(): Promise<Picture> {
    const { items } = await this.#send("GET", this.#path);
    const objects = (items as readonly Json[]).filter(({ metadata }) => metadata.name !== "kube-root-ca.crt");
    return Object.fromEntries(
      objects.map(({ metadata }) => {
        const owners = (metadata.ownerReferences ?? []) as readonly Json[];
        return [
          metadata.name,
          {
            isDeleting: metadata.deletionTimestamp !== undefined,
            owners: owners.map((owner) => `${owner["name"]}${owner["blockOwnerDeletion"] === true ? "!" : ""}`),
            finalizers: metadata.finalizers ?? [],
          },
        ];
      }),
    );
  }

  async #references(owners: readonly Owner[]): Promise<readonly object[]> {
    const references: object[] = [];
    for (const { name, blocks } of owners) {
      const { metadata } = await this.#send("GET", `${this.#path}/${name}`);
      const uid = metadata?.uid ?? "00000000-0000-4000-8000-000000000000";
      references.push({ apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: blocks });
    }
    return references;
  }

  async #send(method: ApiRequest["method"], path: string, body?: object): Promise<Json> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.#transport.request({
      method,
      path,
      headers: { accept: "application/json", "content-type": type },
      ...text,
    });
    return JSON.parse(response.body ?? "{}") as Json;
  }
}
