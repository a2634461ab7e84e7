/** The rights of an operator, and a user who changes its Secret. */
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Secret, ServiceAccount } from "@treadle/apimachinery/kinds";
import { certificateRights } from "../../src/manifests/rights.ts";
import { settlePlacement } from "../../src/placement.ts";
import { NAMESPACE, type Rig, SECRET, TARGETS } from "./rig.ts";

export type Data = Record<string, string>;
export const text = (value: string): string => Buffer.from(value).toString("base64");

/** Changes the data of the Secret, as a user does. */
export async function changeSecret({ client }: Rig, change: (data: Data) => unknown): Promise<void> {
  const secret = await client.get(Secret, SECRET);
  const data = { ...secret?.data } as Data;
  await change(data);
  await client.update(Secret, { ...secret!, data });
}

export const OPERATOR = "system:serviceaccount:ops:operator";

/** Applies the roles of the manifests, with only some verbs for the configurations and the CRDs. */
export async function grant(
  { client }: Rig,
  {
    configurations,
    definitions = configurations,
  }: { readonly configurations: readonly string[]; readonly definitions?: readonly string[] },
): Promise<void> {
  const service = { name: "website-operator", namespace: NAMESPACE };
  const placement = settlePlacement({ service, secretName: SECRET.name }, "test");
  for (const manifest of certificateRights(placement, TARGETS, { serviceAccount: "operator", labels: {} })) {
    const rules = manifest.rules?.map((rule) => {
      const allowed = rule.resources?.includes("customresourcedefinitions") === true ? definitions : configurations;
      return { ...rule, verbs: rule.verbs.filter((verb) => allowed.includes(verb)) };
    });
    const object = manifest.kind === "ClusterRole" ? { ...manifest, rules } : manifest;
    await client.apply(ROLE_KINDS[manifest.kind], object, { fieldManager: "deployer", force: true });
  }
}

const ROLE_KINDS = { ServiceAccount, Role, RoleBinding, ClusterRole, ClusterRoleBinding };
