import fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { toRe2 } from "./re2.ts";

const TRANSLATED: readonly RegExp[] = [
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  /^a.b$/,
  /\s+$/,
  /[\s\d]/,
  /^\S+$/,
  /^[^]$/,
  /[[\]]/,
  /[^[]/,
  /\/x\/y/,
  /\u0041\x42/,
  /(?<year>\d{4})-(?:\d\d)/,
  /a{2,3}?b|c+?/,
  /[\b]|\bx\b/,
  /\0|\v|\f/,
  /\p{L}\p{Script=Greek}?/u,
  /^\u{1f600}$/u,
  new RegExp("\\-\\.\\,\\_"), // needless escapes
  /[\w-.]+$/,
  /[a-z\d_-]/,
  /[a-c-\d]/,
  /^(?:[a-z]{1,20}\.){1,50}$/,
  /a|/,
  new RegExp(""),
];

/** Invariant: a pattern matches the same texts in both engines, except for the spaces and line ends named in re2.ts. */
test("translated patterns match the same texts as in JavaScript", () => {
  const character = fc.constantFrom(..."ab-AB/xy[]_.,cX019 \t\n\f\b\0", "\u03b1", "\u{1f600}", "2026-01", "AB", "aab");
  const text = fc.array(character, { maxLength: 5 }).map((parts) => parts.join(""));
  for (const regex of TRANSLATED) {
    const re2 = toRe2(regex);
    if ("problem" in re2) throw new Error(re2.problem);
    const compiled = RE2JS.compile(re2.pattern);
    fc.assert(
      fc.property(text, (given) => {
        // without the flag u JavaScript sees two characters where the server sees one
        fc.pre(regex.unicode || !given.includes("\u{1f600}"));
        expect({ regex, given, accepts: compiled.matcher(given).find() }).toEqual({ regex, given, accepts: regex.test(given) });
      }),
      { numRuns: 60 },
    );
  }
});

test.for([
  { regex: /^.+@\S+\s(?<host>[^]*)$/, want: "^.+@\\S+\\s(?<host>[\\s\\S]*)$" },
  { regex: /\/[[\]]\u0041\u2c1f\0/, want: "/[\\[\\]]\\x41\u2c1f\\x00" },
])("$regex is written as $want", ({ regex, want }) => {
  expect(toRe2(regex)).toEqual({ pattern: want });
});

test.for([
  { regex: /a/i, want: "has the flag i" },
  { regex: /a/m, want: "has the flag m" },
  { regex: /a/g, want: "has the flag g" },
  { regex: /a/v, want: "has the flag v" },
  { regex: /(?=a)/, want: "a look-ahead" },
  { regex: /(?!a)/, want: "a look-ahead" },
  { regex: /(?<=a)b/, want: "a look-behind" },
  { regex: /(?<!a)b/, want: "a look-behind" },
  { regex: /(a)\1/, want: "a back-reference" },
  { regex: /(?<x>a)\k<x>/, want: "a back-reference" },
  { regex: /a{1001}/, want: "a repetition above 1000" },
  { regex: /a{1,2000}/, want: "a repetition above 1000" },
  { regex: /^(?:[a-z]{1,63}\.){1,50}$/, want: "repetitions that come to more than 1000" },
  { regex: /((a{100})+b){11}/, want: "repetitions that come to more than 1000" },
  { regex: /(?:(?:a{0,100}|b)x){2}(?:c|d{500}){3}/, want: "repetitions that come to more than 1000" },
  { regex: /[a-\d]/, want: "the range a-\\d" },
  { regex: /[\d-a-z]/, want: "the range \\d-a" },
  { regex: /(?<é>a)/, want: "the group name é" },
  { regex: /(?<$x>a)/, want: "the group name $x" },
  { regex: new RegExp("(?<y>a)|(?<y>b)"), want: "the group name y twice" },
  { regex: new RegExp(`[${"\\"}1]`), want: "the octal escape \\1" },
  { regex: new RegExp("\\01"), want: "the octal escape \\01" },
  { regex: /\p{Script=Grek}/u, want: "\\p{Script=Grek}" },
  { regex: /[[:alpha:]]/, want: "the characters [: inside a class" },
  { regex: new RegExp("[]"), want: "[]" },
  { regex: /\p{Emoji}/u, want: "\\p{Emoji}" },
  { regex: /\ud800/, want: "\\ud800" },
])("$regex is refused for $want", ({ regex, want }) => {
  const answer = toRe2(regex);
  expect("problem" in answer && answer.problem).toContain(want);
});
