/** The command line of `compare`. */
import { parseArgs } from "node:util";

const PARTS = ["widgets", "passes", "plane"] as const;

/** What is measured of both commits. */
export type Part = (typeof PARTS)[number];

export interface CompareOptions {
  /** A commit or a folder. Absent with `--ci`, which finds it. */
  readonly old?: string;
  /** A commit or a folder. @defaultValue this checkout, with what is not committed */
  readonly new?: string;
  readonly parts: readonly Part[];
  readonly rounds: number;
  readonly widgets: number;
  /** The highest ratio of processor time for each Widget. Absent: nothing fails. */
  readonly limit?: number;
  /** Whether it is a part of CI: without a commit to compare with, it passes. */
  readonly isCi: boolean;
}

/** 15 % above: more than two runs of one commit differ by, in the median of five pairs, on a busy machine. */
const CI_LIMIT = "1.15";

/** @throws when an option is wrong, with what it can be */
export function compareOptions(args: readonly string[]): CompareOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ci: { type: "boolean", default: false },
      only: { type: "string", multiple: true },
      rounds: { type: "string", default: "5" },
      widgets: { type: "string" },
      limit: { type: "string" },
    },
  });
  const parts = (values.only ?? (values.ci ? ["widgets"] : ["widgets", "passes"])).map((name) => partOf(name));
  const [old, fresh, ...more] = positionals;
  if (values.ci && old !== undefined) throw new Error(`--ci finds the old commit; leave out "${old}"`);
  if (!values.ci && old === undefined)
    throw new Error("name the old commit, and the new one unless it is this checkout: compare OLD [NEW]");
  if (more.length > 0) throw new Error(`compare takes two commits; leave out "${more.join(" ")}"`);
  const limit = values.limit ?? (values.ci ? CI_LIMIT : undefined);
  if (limit !== undefined && !parts.includes("widgets")) throw new Error("--limit is about the part widgets; add --only widgets");
  return {
    ...(old === undefined ? {} : { old }),
    ...(fresh === undefined ? {} : { new: fresh }),
    parts,
    rounds: count("rounds", values.rounds),
    widgets: count("widgets", values.widgets ?? "500"),
    ...(limit === undefined ? {} : { limit: ratio(limit) }),
    isCi: values.ci,
  };
}

function partOf(name: string): Part {
  const part = PARTS.find((each) => each === name);
  if (part === undefined) throw new Error(`--only is "${name}"; it can be ${PARTS.join(", ")}`);
  return part;
}

function count(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} is "${text}"; it must be a whole number above 0`);
  return value;
}

function ratio(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--limit is "${text}"; it must be a ratio such as 1.15`);
  return value;
}
