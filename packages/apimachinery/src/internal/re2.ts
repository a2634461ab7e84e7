/**
 * JavaScript regular expressions as RE2, the engine of the API server. What both engines read in the same way passes
 * unchanged; what only JavaScript knows is translated where RE2 can say it, and refused where it cannot.
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

/** What JavaScript's `\s` matches; RE2's knows ASCII only. */
const SPACES = "\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";

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
  if (rest.startsWith("[^]")) return { token: "[^]", written: "[\\x00-\\x{10FFFF}]" };
  if (rest.startsWith("[]")) return { token: "[]", written: undefined };
  if (rest.startsWith("[^")) return { token: "[^", written: "[^" };
  // JavaScript's dot stops at four line ends, RE2's at one.
  if (rest.startsWith(".")) return { token: ".", written: "[^\\n\\r\\x{2028}\\x{2029}]" };
  const named = /^\(\?<([A-Za-z_]\w*)>/.exec(rest);
  if (named !== null) return { token: named[0], written: `(?P<${named[1]}>` };
  return { token: rest[0] ?? "", written: rest[0] };
}

function escape(rest: string, isInClass: boolean, isUnicode: boolean): { readonly token: string; readonly written: string | undefined } {
  const code = /^\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4}))/.exec(rest) ?? (isUnicode ? /^\\u\{(?<point>[0-9A-Fa-f]+)\}/.exec(rest) : null);
  if (code !== null) return { token: code[0], written: hexEscape(code[1] ?? code[2] ?? "") };
  const property = isUnicode ? /^\\[pP]\{([^}]*)\}/.exec(rest) : null;
  if (property !== null) return { token: property[0], written: unicodeProperty(property[0], property[1] ?? "") };
  const token = rest.slice(0, 2);
  const letter = token[1] ?? "";
  if (letter === "s") return { token, written: isInClass ? SPACES : `[${SPACES}]` };
  if (letter === "S") return { token, written: isInClass ? undefined : `[^${SPACES}]` };
  if (letter === "b") return { token, written: isInClass ? "\\x08" : token };
  if (letter === "B") return { token, written: isInClass ? undefined : token };
  if (letter === "0") return { token, written: "\\x00" };
  if ("dDwWtnrfv".includes(letter)) return { token, written: token };
  if (letter === "/") return { token, written: "/" };
  // A needless escape of a letter or digit means something else in RE2 (\a, \z, \Q).
  if (/[A-Za-z0-9]/.test(letter))
    return { token, written: isUnicode || letter === "c" || letter === "k" || letter === "x" || letter === "u" ? undefined : letter };
  return { token, written: /[\x21-\x7e]/.test(letter) ? token : letter };
}

function hexEscape(digits: string): string | undefined {
  const point = Number.parseInt(digits, 16);
  // Halves of a surrogate pair are no characters on the server.
  return (point >= 0xd800 && point <= 0xdfff) || Number.isNaN(point) ? undefined : `\\x{${digits.toLowerCase()}}`;
}

/** General categories and scripts have the same names; the binary properties of JavaScript do not exist. */
function unicodeProperty(token: string, name: string): string | undefined {
  const script = /^(?:Script|sc)=(\w+)$/.exec(name)?.[1];
  if (script !== undefined) return token.replace(name, script);
  return /^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/.test(name) ? token : undefined;
}
