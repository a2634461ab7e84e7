/** Strings: the bounds, formats and patterns of zod's checks as keywords of a structural schema. */
import { toRe2 } from "./re2.ts";
import { type Place, refuse, type Shape, type Walk } from "./walk.ts";
import type { CheckDef } from "./zod-tree.ts";

/** Returns the schema of a string with these checks. */
export function stringSchema(checks: readonly CheckDef[], walk: Walk, place: Place): Shape {
  const patterns: string[] = [];
  let format: string | undefined;
  let [minLength, maxLength]: [number | undefined, number | undefined] = [undefined, undefined];
  for (const check of checks) {
    switch (check.check) {
      case "min_length":
        minLength = Math.max(minLength ?? 0, check.minimum ?? 0);
        break;
      case "max_length":
        maxLength = Math.min(maxLength ?? Number.POSITIVE_INFINITY, check.maximum ?? 0);
        break;
      case "length_equals":
        minLength = Math.max(minLength ?? 0, check.length ?? 0);
        maxLength = Math.min(maxLength ?? Number.POSITIVE_INFINITY, check.length ?? 0);
        break;
      case "string_format": {
        const text = textFormat(check, walk, place);
        format = text.format ?? format;
        if (text.pattern !== undefined && !patterns.includes(text.pattern)) patterns.push(text.pattern);
        if (text.maxLength !== undefined) maxLength = Math.min(maxLength ?? Number.POSITIVE_INFINITY, text.maxLength);
        break;
      }
      default:
        refuseCheck(check, walk, place);
    }
  }
  return {
    type: "string",
    ...(format === undefined ? {} : { format }),
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined || maxLength === Number.POSITIVE_INFINITY ? {} : { maxLength }),
    ...(patterns.length === 1 ? { pattern: patterns[0] ?? "" } : {}),
    ...(patterns.length > 1 ? { allOf: patterns.map((pattern) => ({ pattern })) } : {}),
  };
}

/** Refuses a check that no schema can express. For custom checks, refuseCustomWithoutRule in structural.ts decides. */
export function refuseCheck(check: CheckDef, walk: Walk, place: Place): undefined {
  if (check.check === "custom") return undefined;
  if (check.check === "overwrite") {
    return refuse(
      walk,
      place,
      "trim(), toLowerCase(), normalize() and overwrite() compute a value, and the API server computes nothing",
      "Check the form with a regex, and convert where the value is used",
    );
  }
  return refuse(
    walk,
    place,
    `the check ${check.check} has no form in a schema`,
    'Write it as a CEL rule in .meta({ "x-kubernetes-validations": [...] })',
  );
}

/** Reads an own member of `table`. A format may have the name of a member that every object inherits. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

interface TextFormat {
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
}

/** The keywords of a string format. The server's format of the same name is wider than zod's pattern, so the schema has both. */
function textFormat(check: CheckDef, walk: Walk, place: Place): TextFormat {
  const name = check.format ?? "";
  const computing = own(COMPUTING_FORMATS, name);
  if (computing !== undefined) return refuse(walk, place, `the format ${name} ${computing}`, ADVICE) ?? {};
  if (name === "url") return urlFormat(check, walk, place);
  const exact = own(EXACT_FORMATS, name);
  if (exact !== undefined) return exact;
  if (check.pattern === undefined) return refuse(walk, place, `the format ${name} is a function, which no schema can carry`, ADVICE) ?? {};
  const re2 = toRe2(check.pattern);
  if ("problem" in re2)
    return refuse(walk, place, re2.problem, 'Write it without, or as a CEL rule in .meta({ "x-kubernetes-validations": [...] })') ?? {};
  // If the author changed the pattern, the server's format may be narrower than the pattern.
  const isLax = check.local === true || check.precision === -1 || (name === "email" && check.pattern.source !== EMAIL);
  const format = isLax ? undefined : own(SERVER_FORMATS, name);
  return { pattern: re2.pattern, ...(format === undefined ? {} : { format }) };
}

const ADVICE = "Use z.string().regex(...), or a CEL rule beside z.string()";

/** The formats that the API server knows (apiextensions-apiserver validation/formats.go). Others have only a pattern. */
const SERVER_FORMATS: Readonly<Record<string, string>> = {
  email: "email",
  uuid: "uuid",
  guid: "uuid",
  ipv4: "ipv4",
  cidrv4: "cidr",
  mac: "mac",
  datetime: "date-time",
  date: "date",
};

/** zod's pattern of an e-mail address. The server accepts more. */
const EMAIL = "^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";

const IPV6 = ipv6Pattern();

/** Formats whose zod pattern is not the whole check, or is not valid in RE2. */
const EXACT_FORMATS: Readonly<Record<string, TextFormat>> = {
  // The server's format byte refuses the empty string.
  base64: { pattern: "^(?:[0-9a-zA-Z+/]{4})*(?:[0-9a-zA-Z+/]{2}==|[0-9a-zA-Z+/]{3}=)?$" },
  base64url: { pattern: "^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$" },
  // zod parses addresses, so its patterns lack those that end in an IPv4 address.
  ipv6: { pattern: `^(?:${IPV6})$` },
  cidrv6: { pattern: `^(?:${IPV6})/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])$` },
  hostname: {
    pattern: "^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\\.?$",
    maxLength: 253,
  },
};

/** IPv6address of RFC 3986, section 3.2.2. */
function ipv6Pattern(): string {
  const group = "[0-9a-fA-F]{1,4}";
  const octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
  const last = `(?:${group}:${group}|(?:${octet}\\.){3}${octet})`;
  const upTo = (count: number): string => `(?:(?:${group}:){0,${count - 1}}${group})?`;
  return [
    `(?:${group}:){6}${last}`,
    `::(?:${group}:){5}${last}`,
    ...[4, 3, 2, 1, 0].map((after) => `${upTo(5 - after)}::(?:${group}:){${after}}${last}`),
    `${upTo(6)}::${group}`,
    `${upTo(7)}::`,
  ].join("|");
}

const COMPUTING_FORMATS: Readonly<Record<string, string>> = {
  credit_card: "computes a checksum",
  iban: "computes a checksum",
  jwt: "decodes the text",
  json_string: "decodes the text",
};

/** zod trims a URL and parses it by the WHATWG rules, and the server parses by Go's rules. The pattern refuses URLs that zod would trim. */
function urlFormat(check: CheckDef, walk: Walk, place: Place): TextFormat {
  if (check.normalize === true) return refuse(walk, place, "a normalized URL is computed", "Leave normalize out") ?? {};
  if (check.hostname !== undefined || check.protocol !== undefined) {
    return refuse(walk, place, "a URL with conditions on host or protocol has no schema", "Use z.string().regex(/^https:\\/\\/.../)") ?? {};
  }
  return { format: "uri", pattern: "^[A-Za-z][A-Za-z0-9+.-]*:[^\\x00-\\x20\\x7f]+$" };
}
