/** Field names that are no CEL identifiers, and how rules write them (k8s.io/apiserver `pkg/cel/escaping.go`). */

/** The name of a property in rules; `undefined` when rules cannot name it. */
export function escapeName(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`;
  if (property === "" || /^[0-9]|[^a-zA-Z0-9_./-]/.test(property)) return undefined;
  const escaped = property.replace(/__|[-./]/g, (text) => ESCAPES[text] ?? text);
  return /^[a-zA-Z_]/.test(escaped) ? escaped : undefined;
}

/** The name of a field that a rule may also write as it is, though it is a keyword: `self.namespace`. */
export function keywordField(name: string): string | undefined {
  return RESERVED.has(name) ? `__${name}__` : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { __: "__underscores__", "-": "__dash__", ".": "__dot__", "/": "__slash__" };

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
