/** Serves a kind from within the process, in the same way as a CRD that a client sends. */
import type { CustomResourceDefinitionInput, Kind } from "@treadle/apimachinery";
import type { Parts } from "../request/context.ts";
import { readObject } from "../request/draft.ts";
import { localCall } from "../request/local-call.ts";
import type { WriteOptions } from "../request/write-options.ts";
import { store } from "../verbs/create.ts";
import { change } from "../verbs/update.ts";
import { DEFINITIONS } from "./resource.ts";

/** Returns the CRD of a kind, or `undefined` for a built-in kind. */
export function manifestOf(resource: Kind | CustomResourceDefinitionInput, parts: Parts): CustomResourceDefinitionInput | undefined {
  if ("spec" in resource) return resource;
  if (resource.resource !== undefined) return resource.resource.crd();
  if (parts.registry.find(resource.group, resource.version, resource.plural) !== undefined) return undefined;
  return openDefinition(resource);
}

/** Creates or replaces a CRD. @throws StatusError when it is refused. */
export function installNow(parts: Parts, manifest: CustomResourceDefinitionInput | undefined): void {
  if (manifest === undefined) return;
  const call = localCall(parts, DEFINITIONS, { name: manifest.metadata.name ?? "", subresource: "" });
  const body = { ...structuredClone(manifest), apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  const { draft } = readObject(call.served, body, { text: "" });
  const entry = call.collection.get(manifest.metadata.name ?? "");
  if (entry === undefined) store(call, draft, OPTIONS);
  else {
    delete draft.metadata["resourceVersion"];
    change(call, { entry, draft, subresource: "", options: OPTIONS });
  }
}

const OPTIONS: WriteOptions = { fieldManager: "treadle", fieldValidation: "Ignore", isDryRun: false };

/** Makes a CRD that accepts any fields, for a kind of which only the names are known. */
function openDefinition({ group, version, kind, plural, scope }: Kind): CustomResourceDefinitionInput {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          subresources: { status: {} },
        },
      ],
    },
  };
}
