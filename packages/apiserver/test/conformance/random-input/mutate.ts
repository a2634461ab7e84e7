/** Ways to spoil a value, a JSON text or the bytes of one. */
import type { Json } from "../session.ts";
import type { Dice } from "./dice.ts";

/** Texts that replace a value; not all of them are valid JSON. */
const RAW_VALUES = [
  ["1e400", "-1e400", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e3", "1.0", "1.5"],
  ["-0", "0.1e1", "2147483648", "4294967296", "01", "+1", ".5", "1.", "0x10", "NaN", "Infinity", "-"],
  ["true", "false", "null", '""', '"a"', '"1"', '"true"', "[]", "{}", "[null]", "[[]]", '[1,"a"]', '{"a":1}', '{"":""}'],
  ['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\x"', '"\\u12"', '"a\nb"', '"\t"', "'a'", "tru", "nul"],
  ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{"a":1,"a":2}', "undefined", "", " ", "//c\n1", "[1,]", "{,}"],
] as const;

/** Fields that mean something to JavaScript, or are like known ones. */
export const ODD_KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "prototype",
  "",
  " ",
  "a b",
  "a.b",
  "Spec",
  "METADATA",
  "$patch",
  "zz",
] as const;

const MARK = "\u0001mark\u0001";

/** A JSON text of the object in which one value is replaced by a text. */
export function withRawValue(dice: Dice, object: Json, raw: string = dice.pick(dice.pick(RAW_VALUES))): string {
  const path = dice.pick(pathsIn(object));
  return JSON.stringify(replaced(object, path, MARK)).replace(JSON.stringify(MARK), () => raw);
}

/** The object with a value of another JSON type in one place. */
export function withOtherType(dice: Dice, object: Json): Json {
  const values = [true, 7, 1.5, "text", [], {}, ["x"], { x: "y" }, [1], [{}], { x: 1 }, "", -1];
  const path = dice.pick(pathsIn(object).filter((each) => each.length > 0));
  return replaced(object, path, dice.pick(values)) as Json; // the root stays
}

/** The text with an unknown or repeated member in one of its objects. */
export function withOddMember(dice: Dice, object: Json): string {
  const texts = pathsIn(object).filter((path) => isObject(valueAt(object, path)));
  const path = dice.pick(texts);
  const at = valueAt(object, path) as Json; // filtered
  const key = dice.chance(0.5) && Object.keys(at).length > 0 ? dice.pick(Object.keys(at)) : dice.pick(ODD_KEYS);
  const value = dice.chance(0.5) && at[key] !== undefined ? JSON.stringify(at[key]) : dice.pick(["1", '"x"', '{"y":1}', "[]", "null"]);
  const member = `${JSON.stringify(key)}:${value}`;
  const inner = JSON.stringify(at).slice(1, -1);
  const text = inner === "" ? `{${member}}` : dice.chance(0.5) ? `{${inner},${member}}` : `{${member},${inner}}`;
  return JSON.stringify(replaced(object, path, MARK)).replace(JSON.stringify(MARK), () => text);
}

const SYNTAX = ["{", "}", "[", "]", ",", ":", '"', "\\", " ", "\n", "0", "-", "n", "e", "\u00e9", "/", "#", "'", "\t"] as const;

/** A text with one to three characters too many, too few or wrong. */
export function spoilt(dice: Dice, text: string): string {
  let spoiled = text;
  for (let times = 1 + dice.below(3); times > 0; times--) {
    const at = dice.below(spoiled.length + 1);
    const how = dice.below(5);
    if (how === 0) spoiled = spoiled.slice(0, at) + spoiled.slice(at + 1);
    else if (how === 1) spoiled = spoiled.slice(0, at) + dice.pick(SYNTAX) + spoiled.slice(at);
    else if (how === 2) spoiled = spoiled.slice(0, at) + dice.pick(SYNTAX) + spoiled.slice(at + 1);
    else if (how === 3) spoiled = spoiled.slice(0, at);
    else spoiled += dice.pick(["}", " x", ",", "{}", "null", "\0", "\n\n", "]"]);
  }
  return spoiled;
}

/** Bytes that are no UTF-8, a byte order mark, or another encoding. */
export function spoiltBytes(dice: Dice, text: string): Buffer {
  const bytes = Buffer.from(text);
  switch (dice.below(4)) {
    case 0:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]);
    case 1:
      return Buffer.from(text, "utf16le");
    case 2: {
      const at = text.indexOf("random-input");
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(dice.pick([[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]])),
        bytes.subarray(at),
      ]);
    }
    default:
      bytes[dice.below(bytes.length)] = dice.below(256);
      return bytes;
  }
}

type Path = readonly (string | number)[];

/** Where values are in it, the root first. */
export function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((member, i) => [i, member] as const)
    : isObject(value)
      ? Object.entries(value)
      : [];
  return [at, ...members.flatMap(([key, member]) => pathsIn(member, [...at, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((member, i) => (i === key ? replaced(member, rest, by) : member));
  const object = value as Json; // the path is one of its own
  return { ...object, [key]: replaced(object[key], rest, by) };
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Json)[key], value); // the path is one of its own
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
