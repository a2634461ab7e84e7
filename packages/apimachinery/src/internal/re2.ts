/**
 * JavaScript regular expressions as RE2, the engine of the API server. What both engines know passes unchanged, so that
 * people find their own pattern in the CRD and in the server's errors; what only JavaScript knows is translated into what
 * both know, and refused where there is nothing.
 *
 * Two escapes differ in characters that hardly occur, and are left alone: JavaScript's dot stops also at \r, U+2028 and
 * U+2029, and its \s has also \v and the spaces beyond ASCII.
 */

export type Re2 = { readonly pattern: string } | { readonly problem: string };

/** The RE2 pattern that accepts the same texts as `regex`, or why there is none. */
export function toRe2(regex: RegExp): Re2 {
  const flags = [...regex.flags].filter((flag) => flag !== "u");
  if (flags.length > 0) return { problem: `the regular expression ${regex} has the flag ${flags.join("")}, which a schema cannot carry` };
  let out = "";
  let rest = regex.source === "(?:)" ? "" : regex.source;
  let isInClass = false;
  while (rest !== "") {
    const problem = unsupported(rest, isInClass);
    if (problem !== undefined)
      return { problem: `the regular expression ${regex} has ${problem}, which the API server's engine (RE2) lacks` };
    const { token, written } = next(rest, isInClass, regex.unicode);
    if (written === undefined)
      return { problem: `the regular expression ${regex} has ${token}, which the API server's engine (RE2) lacks` };
    if (!isInClass && token.startsWith("[") && token.length <= 2) isInClass = true;
    else if (isInClass && token === "]") isInClass = false;
    out += written;
    rest = rest.slice(token.length);
  }
  return { pattern: out };
}

/** RE2 allows a repetition at most 1,000 times (regexp/syntax). */
const MAX_REPEAT = 1000;

function unsupported(rest: string, isInClass: boolean): string | undefined {
  if (/^\\[1-9]/.test(rest) || rest.startsWith("\\k<")) return isInClass ? undefined : "a back-reference";
  if (isInClass) return rest.startsWith("[:") ? "the characters [: inside a class" : undefined;
  if (/^\(\?<?[=!]/.test(rest)) return rest.startsWith("(?<") ? "a look-behind" : "a look-ahead";
  const repeat = /^\{(\d+)(?:,(\d*))?\}/.exec(rest);
  if (repeat !== null && Math.max(Number(repeat[1]), Number(repeat[2] ?? 0)) > MAX_REPEAT) return `a repetition above ${MAX_REPEAT}`;
  return undefined;
}

/** The next token of the source and how RE2 writes it; `undefined` when it cannot. */
function next(rest: string, isInClass: boolean, isUnicode: boolean): { readonly token: string; readonly written: string | undefined } {
  if (rest.startsWith("\\")) return escape(rest, isInClass, isUnicode);
  if (isInClass) return { token: rest[0] ?? "", written: rest[0] === "[" ? "\\[" : rest[0] };
  // An empty class matches nothing, an empty negated one everything.
  if (rest.startsWith("[^]")) return { token: "[^]", written: "[\\s\\S]" };
  if (rest.startsWith("[]")) return { token: "[]", written: undefined };
  if (rest.startsWith("[^")) return { token: "[^", written: "[^" };
  return { token: rest[0] ?? "", written: rest[0] };
}

function escape(rest: string, isInClass: boolean, isUnicode: boolean): { readonly token: string; readonly written: string | undefined } {
  const code = /^\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))/.exec(rest) ?? (isUnicode ? /^\\u\{(?<point>[0-9A-Fa-f]+)\}/.exec(rest) : null);
  if (code !== null) return { token: code[0], written: hexEscape(code[1] ?? code[2] ?? "") };
  const property = isUnicode ? /^\\[pP]\{([^}]*)\}/.exec(rest) : null;
  if (property !== null) return { token: property[0], written: unicodeProperty(property[0], property[1] ?? "") };
  const token = rest.slice(0, 2);
  const letter = token[1] ?? "";
  if (letter === "b") return { token, written: isInClass ? "\\x08" : token };
  if (letter === "B") return { token, written: isInClass ? undefined : token };
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
  // Halves of a surrogate pair are no characters on the server.
  if (Number.isNaN(point) || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined;
  return point <= 0xff ? `\\x${point.toString(16).padStart(2, "0")}` : String.fromCodePoint(point);
}

/** General categories and scripts have the same names; the binary properties of JavaScript do not exist. */
function unicodeProperty(token: string, name: string): string | undefined {
  const script = /^(?:Script|sc)=(\w+)$/.exec(name)?.[1];
  if (script !== undefined) return token.replace(name, script);
  return /^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/.test(name) ? token : undefined;
}
