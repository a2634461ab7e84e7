/**
 * Reads YAML as `kubectl` does, which uses sigs.k8s.io/yaml: YAML 1.1 with anchors and merge keys, as JSON.
 *
 * It refuses what `kubectl` reads with a loss: duplicate keys, keys that YAML 1.1 changes (`on:` becomes "true"), integers above
 * 2^53, unknown tags, and a merge key after a key that it sets too, for which tools disagree. Output of programs may have such keys:
 * see {@link ReadYamlOptions.keys}.
 */
import { createRequire } from "node:module";
import type { Alias, Document, LineCounter, Node, ParsedNode, Scalar, YAMLMap } from "yaml";
import type * as Yaml from "yaml";
import { type GoScalar, goScalar } from "./go-scalars.ts";

let loaded: typeof Yaml | undefined;

/** The parser. It is loaded at the first use, because most operators read no YAML. */
function yaml(): typeof Yaml {
  return (loaded ??= createRequire(import.meta.url)("yaml") as typeof Yaml);
}

/** One document of a YAML text. */
export interface YamlDocument {
  /** Its position, from 1. */
  readonly number: number;
  /** The line of its first value, from 1. */
  readonly line: number;
  /** Plain JSON. */
  readonly value: unknown;
}

/** The first problem of a YAML text. */
export class YamlError extends Error {
  /** The name of the class. */
  override readonly name = "YamlError";
  /** The position of the document, from 1. */
  readonly document: number;
  /** The line in the text, from 1. */
  readonly line: number;

  constructor(problem: string, place: { readonly document: number; readonly line: number }) {
    super(problem);
    this.document = place.document;
    this.line = place.line;
  }
}

/** Options of {@link readYaml}. */
export interface ReadYamlOptions {
  /** `any`: the last one of duplicate keys counts, and a key is what YAML 1.1 reads, as in the programs. @defaultValue "strict" */
  readonly keys?: "strict" | "any";
}

/** Returns the documents of a text. Documents without a value, such as comments, have the value null. @throws YamlError */
export function readYaml(text: string, { keys = "strict" }: ReadYamlOptions = {}): readonly YamlDocument[] {
  const lines = new (yaml().LineCounter)();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const documents = parsed(text, lines);
  return documents.map((document, index) => {
    const place = { document: index + 1, line: lineAt(document.contents?.range?.[0] ?? document.range[0]) };
    const [error] = document.errors;
    if (error?.message.startsWith("Maximum call stack")) throw tooDeep(place); // The parser reports it as a syntax error.
    if (error !== undefined) throw new YamlError(withoutValues(error.message), { ...place, line: lineAt(error.pos[0]) });
    const { yaml: directive } = document.directives ?? {};
    if (directive?.explicit === true && directive.version !== "1.1")
      throw new YamlError(`%YAML ${directive.version} is not the version that kubectl reads: remove the line`, place);
    return { number: place.document, line: place.line, value: new Reader(document, { document: place.document, lineAt, keys }).read() };
  });
}

function parsed(text: string, lineCounter: LineCounter): readonly Document.Parsed[] {
  try {
    // The schema leaves all scalars texts: Reader gives them the types of Go.
    const options = {
      version: "1.1",
      schema: "failsafe",
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "silent",
      lineCounter,
    } as const;
    const documents = yaml().parseAllDocuments<ParsedNode>(text, options);
    return "empty" in documents ? [] : documents;
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep({ document: 1, line: 1 });
    throw error;
  }
}

/** The parser quotes the text that it does not expect, which may be a secret value. */
function withoutValues(message: string): string {
  return message.replace(/:? ".*$/s, "");
}

function tooDeep(place: { readonly document: number; readonly line: number }): YamlError {
  return new YamlError("the values are nested too deeply", place);
}

/** The tags of YAML that a manifest may use. */
const TAGS: ReadonlySet<string> = new Set(["str", "bool", "int", "float", "null", "timestamp", "map", "seq"]);
const TAG_PREFIX = "tag:yaml.org,2002:";

interface ReaderOptions extends Required<ReadYamlOptions> {
  readonly document: number;
  readonly lineAt: (offset: number) => number;
}

/** Turns the nodes of one document into JSON. */
class Reader {
  readonly #root: Document.Parsed;
  readonly #document: number;
  readonly #lineAt: (offset: number) => number;
  readonly #isStrict: boolean;
  readonly #targets = new Map<Alias, Node>();
  /** The aliases that are being expanded. */
  readonly #open = new Set<Node>();
  #values = 0;
  #aliased = 0;

  constructor(root: Document.Parsed, { document, lineAt, keys }: ReaderOptions) {
    this.#root = root;
    this.#document = document;
    this.#lineAt = lineAt;
    this.#isStrict = keys === "strict";
  }

  read(): unknown {
    try {
      this.#findTargets();
      return this.#value(this.#root.contents);
    } catch (error) {
      if (error instanceof RangeError) throw tooDeep({ document: this.#document, line: this.#lineOf(this.#root.contents) });
      throw error;
    }
  }

  /** An alias means the last node before it that has its anchor. */
  #findTargets(): void {
    const anchors = new Map<string, Node>();
    yaml().visit(this.#root, {
      Alias: (_key, alias) => {
        const target = anchors.get(alias.source);
        if (target === undefined) throw this.#problem(alias, `the alias *${alias.source} has no anchor before it`);
        this.#targets.set(alias, target);
      },
      Value: (_key, node) => {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
      },
    });
  }

  #value(node: unknown): unknown {
    this.#count(node);
    if (yaml().isAlias(node)) return this.#expanded(node, (target) => this.#value(target));
    if (yaml().isMap(node)) return this.#map(node);
    if (yaml().isSeq(node)) {
      this.#requireTag(node);
      return node.items.map((item) => this.#value(item));
    }
    if (yaml().isScalar(node)) return this.#usable(node, this.#scalar(node));
    return null; // A key without a value.
  }

  #map(node: YAMLMap): object {
    this.#requireTag(node);
    const own = new Map<string, unknown>();
    let merged: Map<string, unknown> | undefined;
    for (const { key, value } of node.items) {
      if (isMergeKey(key)) {
        if (merged !== undefined && this.#isStrict) throw this.#problem(key, "the key << occurs twice: write one with a list");
        merged = new Map([...(merged ?? []), ...this.#merged(value)]);
        const both = [...merged.keys()].find((name) => own.has(name));
        if (both !== undefined && this.#isStrict)
          throw this.#problem(key, `the key << sets ${JSON.stringify(both)} too, on which tools disagree: put << first`);
        for (const name of merged.keys()) own.delete(name); // Go reads in order.
        continue;
      }
      const name = this.#key(key);
      if (own.has(name) && this.#isStrict) throw this.#problem(key, `the key ${JSON.stringify(name)} occurs twice`);
      own.set(name, this.#value(value));
    }
    return Object.fromEntries(merged === undefined ? own : new Map([...merged, ...own]));
  }

  /** The fields that a merge key sets. Of several maps the first one counts. */
  #merged(node: unknown): Map<string, unknown> {
    this.#count(node);
    if (yaml().isAlias(node)) return this.#expanded(node, (target) => this.#merged(target));
    if (yaml().isMap(node)) return new Map(Object.entries(this.#map(node)));
    if (yaml().isSeq(node)) return new Map(node.items.toReversed().flatMap((item) => [...this.#merged(item)]));
    throw this.#problem(node, "the key << needs a map, or a list of maps");
  }

  #key(node: unknown): string {
    if (yaml().isAlias(node)) return this.#expanded(node, (target) => this.#key(target));
    if (!yaml().isScalar(node)) throw this.#problem(node, "a key must be text, not a list or a map");
    const written = String(node.value);
    const scalar = this.#scalar(node);
    const text = String(this.#usable(node, scalar));
    // `on`, `0644` and `1.10` would become "true", "420" and "1.1".
    if (this.#isStrict && (scalar.type === "null" || text !== written))
      throw this.#problem(node, `YAML 1.1 reads the key ${JSON.stringify(written)} as ${text}: put it in quotes`);
    return text;
  }

  #scalar(node: Scalar): GoScalar {
    const tag = this.#requireTag(node);
    const text = String(node.value);
    if (tag === "str" || (tag === undefined && node.type !== "PLAIN")) return { type: "str", value: text };
    const scalar = goScalar(text);
    if (tag === undefined || scalar.type === "unusable" || scalar.type === tag) return scalar;
    if (tag === "float" && scalar.type === "int") return scalar;
    if (tag === "timestamp" && scalar.type === "str") return scalar;
    throw this.#problem(node, `the value is not of the type !!${tag}`);
  }

  #usable(node: Node, scalar: GoScalar): string | number | boolean | null {
    if (scalar.type === "unusable") throw this.#problem(node, scalar.problem);
    return scalar.value;
  }

  /** Returns the tag without its prefix; `undefined` without a tag. */
  #requireTag(node: Node): string | undefined {
    const { tag } = node as { readonly tag?: string };
    if (tag === undefined || tag === "!") return undefined;
    const name = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : tag;
    if (!tag.startsWith(TAG_PREFIX) || !TAGS.has(name))
      throw this.#problem(node, `the tag ${tag.startsWith(TAG_PREFIX) ? "!!" : ""}${name} has no meaning in a manifest`);
    return name;
  }

  #expanded<Result>(alias: Alias, read: (target: Node) => Result): Result {
    const target = this.#targets.get(alias);
    if (target === undefined || this.#open.has(target)) throw this.#problem(alias, `the alias *${alias.source} is inside its own anchor`);
    this.#open.add(target);
    try {
      return read(target);
    } finally {
      this.#open.delete(target);
    }
  }

  /** The limit of go-yaml for values that come from aliases, so that a small file cannot fill the memory. */
  #count(node: unknown): void {
    this.#values++;
    if (this.#open.size > 0) this.#aliased++;
    if (this.#aliased > 100 && this.#values > 1_000 && this.#aliased / this.#values > allowedShare(this.#values))
      throw this.#problem(node, "the aliases stand for too many values");
  }

  #problem(node: unknown, problem: string): YamlError {
    return new YamlError(problem, { document: this.#document, line: this.#lineOf(node) });
  }

  #lineOf(node: unknown): number {
    const { range } = (node ?? {}) as { readonly range?: readonly [number, number, number] | null };
    return this.#lineAt(range?.[0] ?? this.#root.range[0]);
  }
}

/** A plain `<<`. */
function isMergeKey(key: unknown): key is Scalar {
  if (!yaml().isScalar(key) || key.value !== "<<") return false;
  return key.tag === undefined ? key.type === "PLAIN" : key.tag === `${TAG_PREFIX}merge`;
}

/** The share of values that may come from aliases: 99 % of up to 400,000 values, and less above, down to 10 % of 4,000,000. */
function allowedShare(values: number): number {
  const above = Math.min(Math.max(values - 400_000, 0) / 3_600_000, 1);
  return 0.99 - 0.89 * above;
}
