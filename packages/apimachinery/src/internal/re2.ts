/**
 * Converts JavaScript regular expressions to RE2, the engine of the API server. Syntax that both engines know is unchanged,
 * so that people find their own pattern in the CRD and in the server's errors. Syntax that only JavaScript knows is
 * translated, or refused if RE2 has no equivalent.
 *
 * Caveat: two escapes differ for rare characters. JavaScript's dot stops also at \r, U+2028 and U+2029, and its \s also
 * matches \v and the spaces beyond ASCII.
 */

/** A pattern for RE2, or the reason why there is none. */
export type Re2 = { readonly pattern: string } | { readonly problem: string };

/** Returns the RE2 pattern that matches the same texts as `regex`, or the reason why there is none. */
export function toRe2(regex: RegExp): Re2 {
  const flags = [...regex.flags].filter((flag) => flag !== "u");
  if (flags.length > 0) return { problem: `the regular expression ${regex} has the flag ${flags.join("")}, which a schema cannot carry` };
  const lacks = (what: string): Re2 => ({
    problem: `the regular expression ${regex} has ${what}, which the API server's engine (RE2) lacks`,
  });
  const repeats = new Repeats();
  let out = "";
  let rest = regex.source === "(?:)" ? "" : regex.source;
  while (rest !== "") {
    const problem = unsupported(rest);
    if (problem !== undefined) return lacks(problem);
    const { token, written } = next(rest, regex.unicode);
    if (written === undefined) return lacks(token);
    repeats.add(token);
    out += written;
    rest = rest.slice(token.length);
  }
  const name = /\(\?<(?<name>\w+)>.*\(\?<\k<name>>/.exec(out)?.groups?.["name"];
  if (name !== undefined) return lacks(`the group name ${name} twice`);
  return repeats.isTooMuch() ? lacks(`repetitions that come to more than ${MAX_REPEAT}`) : { pattern: out };
}

/** RE2 allows a repetition at most 1,000 times (regexp/syntax). */
const MAX_REPEAT = 1000;

function unsupported(rest: string): string | undefined {
  if (/^\\[1-9]/.test(rest) || rest.startsWith("\\k<")) return "a back-reference";
  if (/^\(\?<?[=!]/.test(rest)) return rest.startsWith("(?<") ? "a look-behind" : "a look-ahead";
  const name = /^\(\?<([^>]*)>/.exec(rest)?.[1];
  if (name !== undefined && !/^\w+$/.test(name)) return `the group name ${name}`;
  const repeat = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
  if (repeat !== null && Math.max(Number(repeat[1]), Number(repeat[2] ?? 0)) > MAX_REPEAT) return `a repetition above ${MAX_REPEAT}`;
  return undefined;
}

interface Token {
  readonly token: string;
  /** The token in RE2; `undefined` when RE2 has no equivalent. */
  readonly written: string | undefined;
}

function next(rest: string, isUnicode: boolean): Token {
  if (rest.startsWith("\\")) return escape(rest, false, isUnicode);
  // An empty class matches nothing, an empty negated one everything.
  if (rest.startsWith("[^]")) return { token: "[^]", written: "[\\s\\S]" };
  if (rest.startsWith("[]")) return { token: "[]", written: undefined };
  if (rest.startsWith("[")) return characterClass(rest, isUnicode);
  const repeat = /^\{\d+(?:,\d*)?\}/.exec(rest)?.[0] ?? rest[0] ?? "";
  return { token: repeat, written: repeat };
}

/** Reads a class from bracket to bracket. If a set such as \d ends a range, JavaScript reads the dash as a character, and RE2 fails. */
function characterClass(given: string, isUnicode: boolean): Token {
  let token = given.startsWith("[^") ? "[^" : "[";
  let written = token;
  const atom = (): Token => {
    const rest = given.slice(token.length);
    if (rest.startsWith("[:")) return { token: "the characters [: inside a class", written: undefined };
    const found = rest.startsWith("\\") ? escape(rest, true, isUnicode) : plainAtom(rest, isUnicode);
    token += found.token;
    return found;
  };
  while (token.length < given.length && given[token.length] !== "]") {
    const first = atom();
    if (first.written === undefined) return first;
    written += first.written;
    const rest = given.slice(token.length);
    if (!rest.startsWith("-") || rest.startsWith("-]")) continue;
    token += "-";
    const last = atom();
    if (last.written === undefined) return last;
    if (isSet(last.token)) return { token: `the range ${first.token}-${last.token}`, written: undefined };
    // After [\d-a the next dash begins nothing in JavaScript, and a range from a in RE2.
    if (isSet(first.token) && (last.token === "-" || /^-[^\]]/.test(given.slice(token.length))))
      return { token: `the range ${first.token}-${last.token}`, written: undefined };
    written += `-${last.written}`;
  }
  return { token: `${token}]`, written: `${written}]` };
}

function plainAtom(rest: string, isUnicode: boolean): Token {
  const character = isUnicode ? String.fromCodePoint(rest.codePointAt(0) ?? 0) : (rest[0] ?? "");
  return { token: character, written: character === "[" ? "\\[" : character };
}

function isSet(token: string): boolean {
  return /^\\[dDwWsSpP]/.test(token);
}

/** Multiplies nested repetitions, as Go's regexp/syntax does (repeatIsValid). */
class Repeats {
  /** The largest product so far in each open group; the last entry is the innermost group. */
  readonly #groups: number[] = [1];
  #last = 1;
  #isTooMuch = false;

  add(token: string): void {
    const repeat = /^\{(\d+)(,(\d*))?\}$/.exec(token);
    if (token === "(") this.#groups.push(1);
    else if (token === ")") this.#last = this.#groups.pop() ?? 1;
    else if (repeat !== null) this.#last *= Math.max(1, Number(repeat[3] === undefined || repeat[3] === "" ? repeat[1] : repeat[3]));
    else if (!/^[*+?]$/.test(token)) this.#last = 1;
    this.#isTooMuch ||= this.#last > MAX_REPEAT;
    if (token !== "(") this.#groups.push(Math.max(this.#groups.pop() ?? 1, this.#last));
  }

  isTooMuch(): boolean {
    return this.#isTooMuch;
  }
}

function escape(rest: string, isInClass: boolean, isUnicode: boolean): Token {
  const code = /^\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))/.exec(rest) ?? (isUnicode ? /^\\u\{(?<point>[0-9A-Fa-f]+)\}/.exec(rest) : null);
  if (code !== null) return { token: code[0], written: hexEscape(code[1] ?? code[2] ?? "") };
  const property = isUnicode ? /^\\[pP]\{([^}]*)\}/.exec(rest) : null;
  if (property !== null) return { token: property[0], written: unicodeProperty(property[0], property[1] ?? "") };
  const token = rest.slice(0, 2);
  const letter = token[1] ?? "";
  if (letter === "b") return { token, written: isInClass ? "\\x08" : token };
  if (letter === "B") return { token, written: isInClass ? undefined : token };
  if (/^\\(?:0\d|[1-9])/.test(rest)) return { token: `the octal escape ${rest.slice(0, 3)}`, written: undefined };
  if (letter === "0") return { token, written: "\\x00" };
  if ("dDwWsStnrfv".includes(letter)) return { token, written: token };
  if (letter === "/") return { token, written: "/" };
  // A needless escape of a letter or digit means something else in RE2 (\a, \z, \Q).
  if (/[A-Za-z0-9]/.test(letter))
    return { token, written: isUnicode || letter === "c" || letter === "k" || letter === "x" || letter === "u" ? undefined : letter };
  return { token, written: /[\x21-\x7e]/.test(letter) ? token : letter };
}

function hexEscape(digits: string): string | undefined {
  const point = Number.parseInt(digits, 16);
  // Half a surrogate pair is not a character on the server.
  if (Number.isNaN(point) || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
  return point <= 0xff ? `\\x${point.toString(16).padStart(2, "0")}` : String.fromCodePoint(point);
}

/** General categories and scripts have the same names in RE2. The binary properties of JavaScript do not exist there. */
function unicodeProperty(token: string, name: string): string | undefined {
  const script = /^(?:Script|sc)=(\w+)$/.exec(name)?.[1];
  if (script !== undefined) return isKnownScript(script) ? token.replace(name, script) : undefined;
  return /^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/.test(name) ? token : undefined;
}

/** Go's tables (Unicode 15) have neither the short names of scripts nor the scripts since Unicode 16. */
function isKnownScript(name: string): boolean {
  if (NEW_SCRIPTS.has(name)) return false;
  return name.length > 4 || /^(?:Ahom|Cham|Kawi|Lao|Lisu|Modi|Mro|Newa|Nko|Thai|Toto|Vai|Yi)$/.test(name);
}

const NEW_SCRIPTS: ReadonlySet<string> = new Set(
  "Unknown Katakana_Or_Hiragana Garay Gurung_Khema Kirat_Rai Ol_Onal Sunuwar Todhri Tulu_Tigalari Beria_Erfe Sidetic Tai_Yo Tolong_Siki".split(
    " ",
  ),
);
