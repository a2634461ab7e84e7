/** Known differences. The README of the package lists their causes. */
import { isDeepStrictEqual } from "node:util";
import { duplicateMembers } from "../../../src/internal/json-text.ts";
import type { Json } from "../session.ts";
import type { Seen } from "./compare.ts";
import type { BadRequest } from "./requests.ts";

interface Known {
  readonly because: string;
  holds(bad: BadRequest & { readonly text: string; readonly type: string }, real: Seen, memory: Seen): boolean;
}

const isRefused = ({ status }: Seen): boolean => status >= 400;

const KNOWN: readonly Known[] = [
  {
    because: "nothing deeper than 1000 levels is taken",
    holds: ({ family }, _, memory) => family === "deep" && /exceeded max depth|call stack/.test(messageOf(memory)),
  },
  { because: "fields named __proto__ are dropped", holds: ({ text, path }) => text.includes("__proto__") || path.includes("__proto__") },
  {
    because: "integers beyond 2^53 and numbers that overflow",
    holds: ({ text }, real, memory) => /\d{16}|e400/.test(text) && isRefused(real) && isRefused(memory),
  },
  { because: "integers that are written with a fraction or an exponent", holds: ({ text }) => /\d(\.0\b|e\d)/.test(text) },
  { because: "of repeated fields only the last one is looked at", holds: ({ text }) => hasDuplicates(text) },
  {
    because: "another parser of YAML, which takes some texts that are none and has other words; repeated keys are not warned of",
    holds: ({ type, family, text }) =>
      type.includes("yaml") && (family === "yaml" || /\\u|^[^{]/.test(text) || hasDuplicates(text) || !isJson(text)),
  },
  {
    because: "several mistakes are told in another order",
    holds: ({ sample, family }, real, memory) => sample.isCustom && family === "identity" && isRefused(real) && isRefused(memory),
  },
  {
    because: "an empty kind or apiVersion",
    holds: ({ text }) => /"(kind|apiVersion)":(""|null)/.test(text) || /"path":"\/(kind|apiVersion)"/.test(text),
  },
  {
    because: "unknown fields of metadata are named in another order",
    holds: (_, real, memory) => isDeepStrictEqual(sortedWarnings(real), sortedWarnings(memory)),
  },
  {
    because: "words about a strategic merge patch that is none",
    holds: ({ type }, real, memory) => type.startsWith("application/strategic") && real.status === memory.status && isRefused(real),
  },
  {
    because: "words about times that are none",
    holds: (_, real, memory) => /parsing time/.test(messageOf(real)) && real.status === memory.status,
  },
  {
    because: "continue tokens that are no text",
    holds: ({ path }, real, memory) => path.includes("continue=garbage") && real.status === memory.status,
  },
  {
    because: "what is no UTF-8 becomes the sign for it earlier",
    holds: ({ family, path }, real, memory) => (family === "bytes" || path.includes("%ff")) && real.status === memory.status,
  },
  { because: "an empty list of rules is null after an update", holds: ({ text }, real) => text.includes('"rules":[]') && !isRefused(real) },
  {
    because: "members of metadata in a quoted object are sorted",
    holds: (_, real, memory) => isDeepStrictEqual(withoutQuotes(real), withoutQuotes(memory)),
  },
];

/** Why two answers that differ may. */
export function reasonFor(bad: BadRequest, real: Seen, memory: Seen): string | undefined {
  const asked = { ...bad, text: (bad.body ?? "").toString(), type: bad.headers["content-type"] ?? "" };
  return KNOWN.find(({ holds }) => holds(asked, real, memory))?.because;
}

function withoutQuotes(seen: Seen): unknown {
  return { ...seen, body: JSON.stringify(seen.body)?.replaceAll(/Invalid value: \\"\{.*?\}\\": /g, "Invalid value: ") };
}

function sortedWarnings(seen: Seen): unknown {
  return { ...seen, warning: seen.warning?.split(", ").toSorted() };
}

function hasDuplicates(text: string): boolean {
  return isJson(text) && duplicateMembers(text, JSON.parse(text)).length > 0;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function messageOf({ body }: Seen): string {
  const message = typeof body === "object" && body !== null ? (body as Json)["message"] : undefined; // an object
  return typeof message === "string" ? message : "";
}
