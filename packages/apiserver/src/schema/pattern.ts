/** Compiles patterns of schemas. They are RE2 expressions; differences in syntax are translated to those of JavaScript. */

/** Compiles a pattern, or returns `undefined` when it is invalid. */
export function compilePattern(source: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(source);
  const body = source
    .slice(flags?.[0].length ?? 0)
    .replaceAll("(?P<", "(?<")
    .replaceAll(/\\A/g, "^")
    .replaceAll(/\\z/g, "$")
    .replaceAll(/\[\[:(\w+):\]\]/g, (whole, name: string) => `[${POSIX[name] ?? whole}]`);
  if (isUnknownToRe2(body)) return undefined;
  for (const unicode of ["u", ""]) {
    try {
      return new RegExp(body, `${flags?.[1] ?? ""}${unicode}`);
    } catch {
      // The unicode flag refuses needless escapes that RE2 allows, so the second try is without it.
    }
  }
  return undefined;
}

/** Reports whether a pattern has what RE2 refuses: references, looks ahead or behind, and more than 1,000 repetitions. */
function isUnknownToRe2(body: string): boolean {
  if (body.replaceAll("\\\\", "").search(/\\[1-9]/) >= 0) return true;
  const plain = body.replaceAll(/\\[^]|\[\^?\]?(?:\\[^]|[^\]])*\]/g, "");
  if (/\(\?<?[=!]/.test(plain)) return true;
  return [...plain.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].some(([, least, most]) => Math.max(Number(least), Number(most ?? 0)) > 1000);
}

const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  digit: "0-9",
  lower: "a-z",
  upper: "A-Z",
  space: "\\s",
  xdigit: "0-9A-Fa-f",
  word: "\\w",
};
