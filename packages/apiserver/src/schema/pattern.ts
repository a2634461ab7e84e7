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
  for (const unicode of ["u", ""]) {
    try {
      return new RegExp(body, `${flags?.[1] ?? ""}${unicode}`);
    } catch {
      // The unicode flag refuses needless escapes that RE2 allows, so the second try is without it.
    }
  }
  return undefined;
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
