/** Reads a release of Helm from its Secret. */
import { gunzipSync } from "node:zlib";
import type { KubernetesObject } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { readManifests } from "@treadle/dependents/unstable/render";
import { CliError } from "../../cli-error.ts";
import type { Session } from "../../cluster/session.ts";
import { isRecord, textAt, valueAt } from "../../json.ts";

/** A release of Helm. */
export interface HelmRelease {
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  /** Name and version of the chart. */
  readonly chart: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly objects: readonly KubernetesObject[];
}

/** Reads the deployed revision of a Helm release. @throws CliError if there is none, and errors of the client */
export async function helmRelease({ client, signal, namespace }: Session, name: string): Promise<HelmRelease> {
  const { items } = await client.list(Secret, { namespace, signal, labelSelector: `owner=helm,name=${name}` });
  const all = items as readonly (KubernetesObject & { readonly data?: Readonly<Record<string, string>> })[];
  const newest = all.toSorted((a, b) => revisionOf(b) - revisionOf(a));
  const found = newest.find(({ metadata }) => metadata.labels?.["status"] === "deployed") ?? newest[0];
  if (found === undefined)
    throw new CliError(
      `Helm has no release ${name} in the namespace ${namespace}; \`helm list -A\` shows them, and -n chooses the namespace. Releases that Helm keeps in ConfigMaps are not read`,
    );
  return readRelease(found.data?.["release"] ?? "", `Helm release ${namespace}/${name}`);
}

function revisionOf({ metadata: { labels = {} } }: KubernetesObject): number {
  return Number(labels["version"] ?? 0);
}

/** Reads the data of the Secret. @throws CliError for data of another form */
function readRelease(data: string, title: string): HelmRelease {
  let content: unknown;
  try {
    // Helm encodes its own text, and Kubernetes encodes the Secret.
    const inner = Buffer.from(Buffer.from(data, "base64").toString("utf8"), "base64");
    content = JSON.parse((inner[0] === 0x1f ? gunzipSync(inner) : inner).toString("utf8"));
  } catch (error) {
    throw new CliError(`${title} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const values = valueAt(content, "config");
  const chart = `${textAt(content, "chart", "metadata", "name")} ${textAt(content, "chart", "metadata", "version")}`.trim();
  return {
    name: textAt(content, "name"),
    namespace: textAt(content, "namespace"),
    revision: Number(valueAt(content, "version") ?? 0),
    chart,
    values: isRecord(values) ? values : {},
    objects: readManifests(textAt(content, "manifest"), title).map(({ manifest }) => kept(manifest as KubernetesObject)),
  };
}

/** An object that Helm keeps at the end is kept by a release, too. */
function kept(object: KubernetesObject): KubernetesObject {
  const { annotations = {} } = object.metadata;
  if (annotations["helm.sh/resource-policy"] !== "keep") return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, "treadle.dev/delete-policy": "orphan" } } };
}
