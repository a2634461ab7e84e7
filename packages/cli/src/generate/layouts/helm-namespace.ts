/** The namespace of the release in the place of that of the plain form. Pure. */
import type { Commented, Manifest } from "../manifest.ts";
import { Template } from "./template.ts";

/** `$` is the root of the values, also in a loop. */
const NAMESPACE = 'include "operator.namespace" $';

/**
 * Returns a manifest whose references to `namespace` are those to the namespace of the release: of its metadata, its subjects, and the
 * Services of webhooks. Host names of Services follow, too.
 */
export function releaseNamespace({ manifest, ...rest }: Commented, namespace: string): Commented {
  return { ...rest, manifest: replaced(manifest, namespace) as Manifest }; // the same object with templates as values
}

function replaced(value: unknown, namespace: string, key?: string): unknown {
  if (value instanceof Template) return value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, namespace));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaced(inner, namespace, name)]));
  if (key === "namespace" && value === namespace) return Template.value(NAMESPACE);
  return typeof value === "string" ? hostOf(value, namespace) : value;
}

/** `name.namespace.svc`, and the Certificate of cert-manager as `namespace/name`. */
function hostOf(text: string, namespace: string): unknown {
  const host = `.${namespace}.svc`;
  const at = text.indexOf(host);
  if (at > 0 && /^[a-z0-9.-]+$/.test(text))
    return Template.value(`printf "${text.slice(0, at)}.%s.svc${text.slice(at + host.length)}" (${NAMESPACE})`);
  const [first, second, ...more] = text.split("/");
  if (first === namespace && second !== undefined && more.length === 0 && /^[a-z0-9-]+$/.test(second))
    return Template.value(`printf "%s/${second}" (${NAMESPACE})`);
  return text;
}
