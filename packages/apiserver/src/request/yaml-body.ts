/**
 * Bodies in YAML, read as the real server reads them: YAML 1.1, of which only the first document counts. Of repeated keys the
 * last one counts, and each is reported.
 */
import type { Document, LineCounter, Pair, Tags } from "yaml";

/** Parses the first document as the values of JSON. Maps with other keys than strings are possible. @throws SyntaxError */
export async function parseFirstDocument(text: string): Promise<unknown> {
  try {
    const document = await firstDocument(text);
    const [error] = document?.errors.filter((one) => !isAfter(document, one.pos[0])) ?? [];
    if (error !== undefined) throw error;
    return document?.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // The library throws its own errors, and a ReferenceError for too many aliases.
    throw new SyntaxError(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error), { cause: error });
  }
}

/** Returns a problem for each repeated key of the first document, which is valid. */
export async function repeatedKeys(text: string): Promise<readonly string[]> {
  const { isAlias, isMap, isScalar, LineCounter: Counter, visit } = await import("yaml");
  const lines = new Counter();
  const document = await firstDocument(text, lines);
  const found: string[] = [];
  if (document === undefined) return found;
  /** Adds the keys of a map, and of the maps that are merged into it. */
  const addKeys = (pairs: readonly Pair[], seen: Set<string>): void => {
    for (const { key, value } of pairs) {
      if (!isScalar(key)) continue;
      const merged = key.source === MERGE && isAlias(value) ? value.resolve(document) : undefined;
      if (isMap(merged)) {
        addKeys(merged.items, seen);
        continue;
      }
      const name = typeof key.value === "string" ? JSON.stringify(key.value) : String(key.value);
      // The real server names the line of the value.
      const { range } = isPlaced(value) ? value : key;
      if (seen.has(name)) found.push(`line ${lines.linePos(range?.[0] ?? 0).line}: key ${name} already set in map`);
      seen.add(name);
    }
  };
  visit(document, { Map: (_, map) => addKeys(map.items, new Set()) });
  return found;
}

/** Joins the problems of repeated keys as the cause of a refusal. */
export function repeatedKeysText(problems: readonly string[]): string {
  return ["yaml: unmarshal errors:", ...problems.map((problem) => `  ${problem}`)].join("\n");
}

const MERGE = "<<";

interface Placed {
  readonly range?: readonly number[] | null;
}

function isPlaced(node: unknown): node is Placed {
  return typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range);
}

async function firstDocument(text: string, lineCounter?: LineCounter): Promise<Document.Parsed | undefined> {
  const { parseAllDocuments } = await import("yaml");
  // Without times and numbers with colons. A single dot is not a number.
  const customTags = (tags: Tags): Tags => tags.filter((tag) => typeof tag === "string" || !isTime(tag)).map(withoutDot);
  const counter = lineCounter === undefined ? {} : { lineCounter };
  const [first] = parseAllDocuments(text, { version: "1.1", customTags, uniqueKeys: false, logLevel: "error", ...counter });
  return first;
}

/** Reports whether a position is after a root map or list in braces, which ends its document for the real server. */
function isAfter({ contents }: Document.Parsed, position: number): boolean {
  const isFlow = contents !== null && "flow" in contents && contents.flow === true;
  return isFlow && position >= contents.range[1];
}

function isTime(tag: Exclude<Tags[number], string>): boolean {
  return tag.tag === "tag:yaml.org,2002:timestamp" || tag.format === "TIME";
}

function withoutDot(tag: Tags[number]): Tags[number] {
  if (typeof tag === "string" || !("test" in tag) || tag.test?.test(".") !== true) return tag;
  return { ...tag, test: new RegExp(`^(?![-+]?\\.$)(?:${tag.test.source})`) } as Tags[number]; // the same tag
}
