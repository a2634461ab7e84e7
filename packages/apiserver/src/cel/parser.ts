/** Parses CEL to a tree, as the grammar of cel-go (`parser/gen/CEL.g4`) does. */
import { checkDepth, checkSize, MAX_DEPTH, NOWHERE } from "./depth.ts";
import { CelSyntaxError, type ConstValue, type Token, tokensOf } from "./lexer.ts";
import { call } from "./macros.ts";
import type { Expr } from "./syntax.ts";

/** Parses an expression. @throws CelSyntaxError */
export function parseCel(source: string): Expr {
  checkSize(source);
  const parser = new Parser(tokensOf(source));
  const expr = parser.expression();
  parser.end();
  checkDepth(expr);
  return expr;
}

/** Operators by their precedence, the weakest first. Each level is left-associative. */
const LEVELS: readonly (readonly string[])[] = [["||"], ["&&"], ["<", "<=", ">=", ">", "==", "!=", "in"], ["+", "-"], ["*", "/", "%"]];

/** What ANTLR expects where an operand must begin. */
const OPERAND = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Names that no variable can have. */
const RESERVED: ReadonlySet<string> = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  end(): void {
    if (this.#peek().type !== "end") throw this.#unexpected("extraneous input", "<EOF>");
  }

  expression(): Expr {
    if (++this.#depth > MAX_DEPTH) throw new CelSyntaxError(`expression recursion limit exceeded: ${MAX_DEPTH}`, NOWHERE);
    const expr = this.#conditional();
    this.#depth--;
    return expr;
  }

  #conditional(): Expr {
    const condition = this.#binary(0);
    const { at } = this.#peek();
    if (!this.#takes("?")) return condition;
    const yes = this.#binary(0);
    this.#expect(":");
    return operator("_?_:_", [condition, yes, this.expression()], at);
  }

  #binary(level: number): Expr {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    if (level < 2) return this.#logical(level);
    let left = this.#binary(level + 1);
    for (;;) {
      const token = this.#peek();
      if (token.type !== "mark" || !operators.includes(token.text)) return left;
      this.#next++;
      left = operator(token.text === "in" ? "@in" : `_${token.text}_`, [left, this.#binary(level + 1)], token.at);
    }
  }

  /** Parses a chain of `&&` or `||` to a balanced tree, so that a long one is not deep. */
  #logical(level: number): Expr {
    const operands = [this.#binary(level + 1)];
    const places: number[] = [];
    const [symbol = ""] = LEVELS[level] ?? [];
    for (let { at } = this.#peek(); this.#takes(symbol); { at } = this.#peek()) {
      places.push(at);
      operands.push(this.#binary(level + 1));
    }
    const joined = (first: number, last: number): Expr => {
      const middle = (first + last) >> 1;
      const operand = operands[first];
      if (first === last && operand !== undefined) return operand;
      return operator(`_${symbol}_`, [joined(first, middle), joined(middle + 1, last)], places[middle] ?? 0);
    };
    return joined(0, operands.length - 1);
  }

  #unary(): Expr {
    const { text, at } = this.#peek();
    if (!this.#is("!") && !this.#is("-")) return this.#member(this.#primary());
    let count = 0;
    // A minus before a number belongs to the number: the smallest integer has no positive counterpart.
    while (this.#is(text) && !(count === 0 && text === "-" && this.#isNegative())) {
      this.#next++;
      count++;
    }
    if (count === 0) return this.#member(this.#negative());
    const operand = this.#member(this.#primary());
    return count % 2 === 0 ? operand : operator(`${text}_`, [operand], at);
  }

  #isNegative(): boolean {
    const { value } = this.#tokens[this.#next + 1] ?? END;
    return typeof value === "bigint" || typeof value === "number";
  }

  #negative(): Expr {
    const { at } = this.#take();
    const { value } = this.#take();
    return constant(typeof value === "bigint" ? -value : -Number(value), at);
  }

  #member(first: Expr): Expr {
    let expr = first;
    for (;;) {
      const { at } = this.#peek();
      if (this.#takes("[")) {
        const isOptional = this.#takes("?");
        const index = this.expression();
        this.#expect("]");
        expr = operator(isOptional ? "_[?_]" : "_[_]", [expr, index], at);
      } else if (this.#takes(".")) {
        const isOptional = this.#takes("?");
        const name = this.#field((text) => `no viable alternative at input '.${text === "<EOF>" ? "" : text}'`);
        const open = this.#peek();
        if (isOptional) expr = operator("_?._", [expr, { type: "const", value: name, at: open.at }], at);
        else if (this.#takes("(")) expr = call(name, expr, { args: this.#arguments(), at: open.at });
        else expr = { type: "select", operand: expr, field: name, at };
      } else return expr;
    }
  }

  #primary(): Expr {
    const token = this.#peek();
    const { at, value } = token;
    if (token.type === "const") {
      this.#next++;
      return constant(value ?? null, at);
    }
    if (token.type === "word" || token.text === ".") return this.#name();
    if (this.#takes("(")) {
      const inner = this.expression();
      this.#expect(")");
      return inner;
    }
    if (this.#takes("[")) return this.#list(at);
    if (this.#takes("{")) return this.#map(at);
    throw this.#unexpected("mismatched input", OPERAND);
  }

  /** Parses a variable, a call of a global function, or a literal of a named type. */
  #name(): Expr {
    const struct = this.#structName();
    if (struct !== undefined) return this.#struct(struct);
    this.#takes(".");
    const { type, text, at } = this.#take();
    if (type !== "word") throw this.#unexpected("mismatched input", "IDENTIFIER", -1);
    const open = this.#peek();
    if (this.#takes("(")) return call(text, undefined, { args: this.#arguments(), at: open.at });
    if (RESERVED.has(text)) throw new CelSyntaxError(`reserved identifier: ${text}`, at);
    return { type: "ident", name: text, at };
  }

  /** Takes the dotted name before a brace. Takes nothing when there is no such name. */
  #structName(): string | undefined {
    let i = this.#next + (this.#is(".") ? 1 : 0);
    const names: string[] = [];
    for (; this.#tokens[i]?.type === "word"; i += 2) {
      names.push(this.#tokens[i]?.text ?? "");
      if (this.#tokens[i + 1]?.text !== ".") break;
    }
    const brace = this.#tokens[i + 1];
    if (names.length === 0 || brace?.type !== "mark" || brace.text !== "{") return undefined;
    this.#next = i + 1;
    return names.join(".");
  }

  #struct(name: string): Expr {
    const { at } = this.#take();
    const optional = new Set<Expr>();
    const fields = this.#items("}", (isOptional) => {
      const field = this.#field((text) => `mismatched input '${text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`);
      const colon = this.#peek();
      this.#expect(":");
      const value = this.expression();
      if (isOptional) optional.add(value);
      return { name: field, value, at: colon.at };
    });
    return { type: "struct", name, fields, optional, at };
  }

  #list(at: number): Expr {
    const optional = new Set<Expr>();
    const items = this.#items("]", (isOptional) => {
      const item = this.expression();
      if (isOptional) optional.add(item);
      return item;
    });
    return { type: "list", items, optional, at };
  }

  #map(at: number): Expr {
    const optional = new Set<Expr>();
    const entries = this.#items("}", (isOptional) => {
      const key = this.expression();
      this.#expect(":");
      const value = this.expression();
      if (isOptional) optional.add(value);
      return [key, value] as const;
    });
    return { type: "map", entries, optional, at };
  }

  /** Parses items up to a bracket. A comma may follow the last one, and may stand alone. */
  #items<T>(close: string, read: (isOptional: boolean) => T): readonly T[] {
    const items: T[] = [];
    if (this.#is(",") && this.#tokens[this.#next + 1]?.text === close) this.#next++;
    while (!this.#takes(close)) {
      items.push(read(this.#takes("?")));
      if (this.#takes(",")) continue;
      this.#expect(close);
      break;
    }
    return items;
  }

  #arguments(): readonly Expr[] {
    if (this.#takes(")")) return [];
    const args = [this.expression()];
    while (this.#takes(",")) args.push(this.expression());
    this.#expect(")");
    return args;
  }

  #field(problem: (text: string) => string): string {
    const { type, text, at } = this.#take();
    if (type === "word") return text;
    // The option of cel-go that allows quoted names is off in Kubernetes.
    if (type === "quoted") throw new CelSyntaxError("unsupported syntax: '`'", at);
    throw new CelSyntaxError(`Syntax error: ${problem(text)}`, at);
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? END;
  }

  #take(): Token {
    const token = this.#peek();
    this.#next++;
    return token;
  }

  #is(mark: string): boolean {
    const token = this.#peek();
    return token.type === "mark" && token.text === mark;
  }

  #takes(mark: string): boolean {
    const found = this.#is(mark);
    if (found) this.#next++;
    return found;
  }

  #expect(mark: string): void {
    if (!this.#takes(mark)) throw this.#unexpected("mismatched input", `'${mark}'`);
  }

  #unexpected(what: string, wanted: string, offset = 0): CelSyntaxError {
    const { text, at } = this.#tokens[this.#next + offset] ?? this.#tokens.at(-1) ?? END;
    return new CelSyntaxError(`Syntax error: ${what} '${text}' expecting ${wanted}`, at);
  }
}

const END: Token = { type: "end", text: "<EOF>", at: 0 };

function constant(value: ConstValue, at: number): Expr {
  if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value) throw new CelSyntaxError("invalid int literal", at);
  if (typeof value === "number" && !Number.isFinite(value)) throw new CelSyntaxError("invalid double literal", at);
  if (typeof value === "object" && value !== null && "uint" in value && BigInt.asUintN(64, value.uint) !== value.uint)
    throw new CelSyntaxError("invalid uint literal", at);
  return { type: "const", value, at };
}

function operator(name: string, args: readonly Expr[], at: number): Expr {
  return { type: "call", name, target: undefined, args, at };
}
