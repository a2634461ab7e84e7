/** Splits CEL into tokens (cel-go `parser/gen/CEL.g4`). Comments and white space are skipped. */

export type ConstValue = bigint | number | string | boolean | null | Uint8Array | { readonly uint: bigint };

export interface Token {
  /** `word`: an identifier. `quoted`: a field name in backquotes. `mark`: an operator or a bracket. */
  readonly type: "word" | "quoted" | "const" | "mark" | "end";
  readonly text: string;
  /** Value of a literal. */
  readonly value?: ConstValue;
  readonly at: number;
}

/** A text that is not valid CEL. */
export class CelSyntaxError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.name = "CelSyntaxError";
    this.at = at;
  }
}

const SKIPPED = /(?:[\t \r\n\f]|\/\/[^\n]*)+/y;
const MARK = /==|!=|<=|>=|&&|\|\||[<>+\-*/%!?:,.()[\]{}]/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED = /`[A-Za-z0-9_./ -]+`/y;
const FLOAT = /(?:\d+\.\d+|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y;
const INT = /(0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const TEXT =
  /([bB]?)(?:([rR])("""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|("""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\.|[^\\"\n\r])*"|'(?:\\.|[^\\'\n\r])*'))/y;

/** Returns the tokens of an expression; the last one is its end. @throws CelSyntaxError */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source) ?? undefined;
  };
  for (;;) {
    at += take(SKIPPED)?.[0].length ?? 0;
    if (at >= source.length) return [...tokens, { type: "end", text: "<EOF>", at: source.length }];
    const token = nextToken(take, at);
    if (token === undefined) throw new CelSyntaxError(`Syntax error: token recognition error at: '${source[at] ?? ""}'`, at);
    tokens.push(token);
    at += token.text.length;
  }
}

function nextToken(take: (pattern: RegExp) => RegExpExecArray | undefined, at: number): Token | undefined {
  const text = take(TEXT);
  if (text !== undefined) return { type: "const", text: text[0], value: textValue(text, at), at };
  const float = take(FLOAT)?.[0];
  if (float !== undefined) return { type: "const", text: float, value: Number(float), at };
  const int = take(INT);
  if (int !== undefined) {
    const value = BigInt(int[1] ?? "");
    return { type: "const", text: int[0], value: int[2] === "" ? value : { uint: value }, at };
  }
  const word = take(WORD)?.[0];
  if (word !== undefined) {
    if (Object.hasOwn(CONSTANTS, word)) return { type: "const", text: word, value: CONSTANTS[word] ?? null, at };
    return { type: word === "in" ? "mark" : "word", text: word, at };
  }
  const quoted = take(QUOTED)?.[0];
  if (quoted !== undefined) return { type: "quoted", text: quoted, at };
  const mark = take(MARK)?.[0];
  return mark === undefined ? undefined : { type: "mark", text: mark, at };
}

const CONSTANTS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

function textValue([all, bytes, raw, rawText, plainText]: RegExpExecArray, at: number): string | Uint8Array {
  const quoted = rawText ?? plainText ?? "";
  const width = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1;
  const inner = quoted.slice(width, -width).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  if (bytes === "") return raw === undefined ? unescaped(inner, at, all) : inner;
  if (raw !== undefined) return new Uint8Array(Buffer.from(inner));
  // The parts between escaped bytes are text.
  const parts = inner.split(/(\\[xX][0-9a-fA-F]{2}|\\[0-3][0-7]{2}|\\[^])/);
  return new Uint8Array(Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : byteOf(part, at, all)))));
}

function byteOf(escape: string, at: number, all: string): Buffer {
  if (/^\\[uU]/.test(escape)) throw invalidEscape(at, all);
  const text = unescaped(escape, at, all);
  return /^\\[xX0-3]/.test(escape) ? Buffer.from([text.charCodeAt(0)]) : Buffer.from(text);
}

const ESCAPE = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/g;
const PLAIN: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  '"': '"',
  "'": "'",
  "\\": "\\",
  "?": "?",
  "`": "`",
};

function unescaped(text: string, at: number, all: string): string {
  return text.replace(ESCAPE, (_, ...groups: (string | undefined)[]) => {
    const [hex, short, long, octal, plain] = groups;
    if (plain !== undefined && Object.hasOwn(PLAIN, plain)) return PLAIN[plain] ?? "";
    const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? "", 16) : Number.parseInt(octal, 8);
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) throw invalidEscape(at, all);
    return String.fromCodePoint(code);
  });
}

function invalidEscape(at: number, all: string): CelSyntaxError {
  return new CelSyntaxError(`Syntax error: token recognition error at: '${all}'`, at);
}
