/** References of a JSON schema to other documents. Helm downloads those with `http:` and `https:` addresses. */

/**
 * Returns the addresses of documents that a schema refers to and does not contain. The schemas of JSON Schema itself are part of Helm.
 * A text that is not JSON has none: Helm reports it.
 */
export function remoteRefsIn(schema: string): readonly string[] {
  const found: Found = { ids: new Set(), refs: new Set() };
  try {
    visit(JSON.parse(schema), "file:///values.schema.json", found);
  } catch {
    return [];
  }
  return [...found.refs].filter((ref) => /^https?:/.test(ref) && !found.ids.has(ref) && !isMetaSchema(ref)).toSorted();
}

interface Found {
  readonly ids: Set<string>;
  readonly refs: Set<string>;
}

function visit(value: unknown, base: string, found: Found): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) visit(each, base, found);
    return;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const id = fields["$id"] ?? fields["id"]; // Draft 4 has no dollar.
  const here = typeof id === "string" ? documentOf(id, base) : base;
  if (here !== base) found.ids.add(here);
  for (const [key, member] of Object.entries(fields)) {
    if (["$ref", "$dynamicRef", "$recursiveRef"].includes(key) && typeof member === "string") found.refs.add(documentOf(member, here));
    else if (key === "$schema" && typeof member === "string") found.refs.add(documentOf(member, base));
    else visit(member, here, found);
  }
}

/** The address without its fragment. */
function documentOf(ref: string, base: string): string {
  if (!URL.canParse(ref, base)) return base;
  const url = new URL(ref, base);
  url.hash = "";
  return url.href;
}

function isMetaSchema(ref: string): boolean {
  return (
    /^https?:\/\/json-schema\.org\/(?:draft-0[467]|draft\/20\d\d-\d\d)\//.test(ref) || /^https?:\/\/json-schema\.org\/schema$/.test(ref)
  );
}
