/** The rule of samples: objects that a project shows to its users must be valid. */
import { createApiServer } from "@treadle/apiserver";
import type { CustomResourceDefinition } from "@treadle/apimachinery";
import { type Json, isRecord, textAt } from "../../json.ts";
import type { Finding, Rule } from "../problem.ts";

/** An object in a file of samples. */
export interface Sample {
  /** The file, and the number of the object if it has several. */
  readonly where: string;
  readonly manifest: Json;
}

/** Objects of the kinds of the program, and its CRDs. */
export interface Samples {
  readonly crds: readonly CustomResourceDefinition[];
  readonly samples: readonly Sample[];
}

export const sampleRefused: Omit<Rule<never>, "find"> = {
  id: "sample-refused",
  severity: "error",
  demands: "The API server accepts the objects in `deploy/samples` of the project.",
  remedy: "Correct the sample, or the schema.",
};

/** Asks the in-memory API server about each sample of a kind of `crds`. A CRD that is refused has a rule of its own. */
export async function refusedSamples({ crds, samples }: Samples): Promise<readonly Finding[]> {
  const server = createApiServer();
  const served = crds.filter((crd) => {
    try {
      server.install(crd);
      return true;
    } catch {
      return false;
    }
  });
  const findings: Finding[] = [];
  for (const { where, manifest } of samples) {
    const path = pathOf(manifest, served);
    if (path === undefined) continue;
    // The namespace of a sample does not exist here.
    const { namespace: _, ...metadata } = isRecord(manifest["metadata"]) ? manifest["metadata"] : {};
    const body = JSON.stringify({ ...manifest, metadata });
    const headers = { "content-type": "application/json" };
    const { status, body: answer = "" } = await server.handle({ method: "POST", path, headers, body });
    if (status >= 400) findings.push({ where, message: messageOf(answer) });
  }
  await server.close();
  return findings;
}

/** An unknown field is a mistake in a sample: the server would only warn. */
function pathOf(manifest: Json, crds: readonly CustomResourceDefinition[]): string | undefined {
  const [group = "", version = ""] = textAt(manifest, "apiVersion").split("/");
  const crd = crds.find(({ spec }) => spec.group === group && spec.names.kind === manifest["kind"]);
  if (crd === undefined) return undefined;
  const namespace = crd.spec.scope === "Namespaced" ? "namespaces/default/" : "";
  return `/apis/${group}/${encodeURIComponent(version)}/${namespace}${crd.spec.names.plural}?dryRun=All&fieldValidation=Strict`;
}

function messageOf(answer: string): string {
  const status: unknown = JSON.parse(answer); // a Status of the server
  return textAt(status, "message");
}
