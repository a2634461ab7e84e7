/** Serving a kind from inside the process, by the same way as a CRD that a client sends. */
import { ADMINISTRATOR, userInfoOf } from "../authorization/identity.ts";
import type { CustomResourceDefinitionInput, Kind } from "@treadle/apimachinery";
import type { Call, Parts } from "../context.ts";
import { readObject } from "../draft.ts";
import type { WriteOptions } from "../options.ts";
import type { Served } from "../registry.ts";
import { store } from "../verbs/create.ts";
import { change } from "../verbs/update.ts";
import { DEFINITIONS_ID } from "./resource.ts";

/** The CRD of a kind; `undefined` for a kind that is built in. */
export function manifestOf(resource: Kind | CustomResourceDefinitionInput, parts: Parts): CustomResourceDefinitionInput | undefined {
  if ("spec" in resource) return resource;
  if (resource.resource !== undefined) return resource.resource.crd();
  if (parts.registry.find(resource.group, resource.version, resource.plural) !== undefined) return undefined;
  return openDefinition(resource);
}

/** Creates or replaces a CRD. @throws StatusError when it is refused. */
export function installNow(parts: Parts, manifest: CustomResourceDefinitionInput | undefined): void {
  if (manifest === undefined) return;
  const served = parts.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  if (served === undefined) throw new Error("CustomResourceDefinition is not served");
  const body = { ...structuredClone(manifest), apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  const { draft } = readObject(served, body, "");
  const call = localCall(parts, served, manifest.metadata.name ?? "");
  const entry = call.collection.get(manifest.metadata.name ?? "");
  if (entry === undefined) store(call, draft, OPTIONS);
  else {
    delete draft.metadata["resourceVersion"];
    change(call, { entry, draft, subresource: "", options: OPTIONS });
  }
}

const OPTIONS: WriteOptions = { fieldManager: "treadle", fieldValidation: "Ignore", isDryRun: false };

function localCall(parts: Parts, served: Served, name: string): Call {
  return {
    parts,
    request: { method: "POST", path: "", headers: {} },
    user: userInfoOf(ADMINISTRATOR),
    route: {
      type: "resource",
      group: served.type.group,
      version: "v1",
      resource: served.type.plural,
      namespace: "",
      name,
      subresource: "",
    },
    query: new URLSearchParams(),
    served,
    collection: parts.store.collection(DEFINITIONS_ID),
    accepted: { encoding: "json", isMetadataOnly: false },
    warnings: [],
  };
}

/** A CRD without rules, for a kind of which only the names are known. */
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
