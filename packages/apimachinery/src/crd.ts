/** CustomResourceDefinition as a kind. It is apart from its types because a {@link Kind} names them. */
import type { CustomResourceDefinition as Crd, CustomResourceDefinitionInput } from "./crd-types.ts";
import type { Kind } from "./kind.ts";

/** A CRD as the server returns it. */
export type CustomResourceDefinition = Crd;

/** The built-in kind of CRDs. */
export const CustomResourceDefinition: Kind<Crd, CustomResourceDefinitionInput> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};
