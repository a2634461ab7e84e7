/** Random expressions of a typed grammar, the same in each run: cases that a person would not write. */
import type { Group } from "./group.ts";

/** A seeded random generator (mulberry32), so that the recorded cases stay the same. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

type Kind = "bool" | "int" | "text" | "ints" | "texts";

const LEAVES: Readonly<Record<Kind, readonly string[]>> = {
  bool: ["true", "false", "self.f", "has(self.o)", "has(self.o.p)"],
  int: ["0", "1", "-3", "7", "self.a", "self.b", "self.o.p"],
  text: ["''", "'a'", "'a,b'", "self.s", "self.o.q"],
  ints: ["[]", "[1, 2]", "self.l", "[self.a, self.b]"],
  texts: ["['a', 'b']", "self.s.split(',')"],
};

const FORMS: Readonly<Record<Kind, readonly (readonly [text: string, ...parts: Kind[]])[]>> = {
  bool: [
    ["(% && %)", "bool", "bool"],
    ["(% || %)", "bool", "bool"],
    ["!%", "bool"],
    ["(% ? % : %)", "bool", "bool", "bool"],
    ["(% == %)", "int", "int"],
    ["(% < %)", "int", "int"],
    ["(% >= %)", "text", "text"],
    ["(% != %)", "text", "text"],
    ["(% == %)", "ints", "ints"],
    ["(% in %)", "int", "ints"],
    ["(% in %)", "text", "texts"],
    ["%.contains(%)", "text", "text"],
    ["%.startsWith(%)", "text", "text"],
    ["%.all(x, x > %)", "ints", "int"],
    ["%.exists(x, x / % == 1)", "ints", "int"],
    ["%.exists_one(x, x == %)", "texts", "text"],
    ["%.isSorted()", "ints"],
    ["sets.contains(%, %)", "ints", "ints"],
  ],
  int: [
    ["(% + %)", "int", "int"],
    ["(% - %)", "int", "int"],
    ["(% * %)", "int", "int"],
    ["(% / %)", "int", "int"],
    ["(% %% %)", "int", "int"],
    ["(% ? % : %)", "bool", "int", "int"],
    ["size(%)", "text"],
    ["%.size()", "ints"],
    ["%[%]", "ints", "int"],
    ["%.sum()", "ints"],
    ["%.max()", "ints"],
    ["%.indexOf(%)", "text", "text"],
    ["%.lastIndexOf(%)", "ints", "int"],
  ],
  text: [
    ["(% + %)", "text", "text"],
    ["(% ? % : %)", "bool", "text", "text"],
    ["%.upperAscii()", "text"],
    ["%.substring(%)", "text", "int"],
    ["%.replace(%, %)", "text", "text", "text"],
    ["%[%]", "texts", "int"],
  ],
  ints: [
    ["(% + %)", "ints", "ints"],
    ["%.map(x, x + %)", "ints", "int"],
    ["%.filter(x, x != %)", "ints", "int"],
    ["[%, %]", "int", "int"],
    ["%.map(x, x > 0, x * x)", "ints"],
    ["%.reverse()", "ints"],
  ],
  texts: [
    ["[%, %]", "text", "text"],
    ["%.filter(x, x < %)", "texts", "text"],
  ],
};

function expression(kind: Kind, depth: number, random: (below: number) => number): string {
  if (depth === 0 || random(6) === 0) return LEAVES[kind][random(LEAVES[kind].length)] ?? "";
  const [form, ...parts] = FORMS[kind][random(FORMS[kind].length)] ?? [""];
  let next = 0;
  return form.replace(/%%|%/g, (found) => (found === "%%" ? "%" : expression(parts[next++] ?? "int", depth - 1, random)));
}

const random = randomFrom(20_260_101);
const made = [...new Set(Array.from({ length: 140 }, () => expression("bool", 3, random)))].filter((text) => text.includes("self."));

export const generatedGroup: Group = {
  name: "generated",
  schema: {
    type: "object",
    properties: {
      a: { type: "integer" },
      b: { type: "integer" },
      f: { type: "boolean" },
      s: { type: "string", maxLength: 8 },
      l: { type: "array", maxItems: 4, items: { type: "integer" } },
      o: { type: "object", properties: { p: { type: "integer" }, q: { type: "string", maxLength: 8 } } },
    },
  },
  values: [
    { a: 1, b: 2, f: true, s: "a,b", l: [1, 2, 3], o: { p: 7, q: "b" } },
    { a: 0, b: -3, f: false, s: "", l: [], o: {} },
    { a: 7, b: 7, f: true, s: "3", l: [2, 1] },
    { a: 9007199254740991, b: 1024, f: false, s: "ba", l: [0, 0], o: { q: "a" } },
  ],
  rules: made,
};
