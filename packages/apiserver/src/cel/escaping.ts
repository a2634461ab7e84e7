/** Names of fields that are not CEL identifiers, and their escaped form in rules (k8s.io/apiserver `pkg/cel/escaping.go`). */

/** Returns the name of a property in rules, or `undefined` when rules cannot name it. */
export function escapeName(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`;
  if (property === "" || /^[0-9]|[^a-zA-Z0-9_./-]/.test(property)) return undefined;
  const escaped = property.replace(/__|[-./]/g, (text) => ESCAPES[text] ?? text);
  return /^[a-zA-Z_]/.test(escaped) ? escaped : undefined;
}

/** Returns the escaped name of a field whose name is a keyword. A rule may also use the plain name: `self.namespace`. */
export function keywordField(name: string): string | undefined {
  return RESERVED.has(name) ? `__${name}__` : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { __: "__underscores__", "-": "__dash__", ".": "__dot__", "/": "__slash__" };

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
