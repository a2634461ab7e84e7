/** The page of results: tables of medians and ratios, and what they were measured on. */
import { changesAt } from "./measures.ts";
import { factsOf, type Findings, type Results } from "./findings.ts";
import { type Row, rowsOf, VARIANTS, type Variant } from "./rows.ts";
import { median, spread } from "./statistics.ts";

const TITLES: Readonly<Record<Variant, string>> = { defaults: "With defaults", built: "Built" };
const NAMES = ["defaults", "built"] as const satisfies readonly Variant[];

/** The generated part of the page. */
export function report(results: Results): string {
  const { machine, sizes, requests, dumbLoopMs, failures, perSecond } = results;
  const { widgets, blobs, warmUpSeconds, concurrency } = sizes;
  const changes = changesAt(sizes, perSecond ?? 0);
  return [
    `${widgets} Widgets, ${blobs} Blobs of 5 KB, ${concurrency} passes at once, in turns: medians, in parentheses the quartiles.`,
    `${changes} changes at ${perSecond?.toFixed(0) ?? "no"} a second, which is half of what the slower operator carries, after a warm-up of ${warmUpSeconds} s.`,
    `${results.minutes} minutes. Machine: ${factsOf(machine)}.`,
    ...failures.map((failure) => `\nNot measured: ${failure}.`),
    "\n## Goals\n",
    ...goals(results),
    ...NAMES.flatMap((variant) => [
      `\n## ${TITLES[variant]}\n`,
      ...versus(results, rowsOf(variant), [VARIANTS[variant].us, VARIANTS[variant].them]),
    ]),
    ...others(results),
    "",
    `The same three requests for each Widget in a loop without a watch, a cache or a queue: ${spread(dumbLoopMs)} ms.`,
    "",
    ...Object.entries(requests).map(([name, counts]) => `Requests of ${name} for ${widgets} Widgets: ${list(counts)}.`),
  ].join("\n");
}

/** The rows with a goal: the number that the goal is about, and the goal, for both variants. */
function goals(results: Results): string[] {
  const [defaults, built] = [rowsOf("defaults"), rowsOf("built")];
  const cell = (variant: Variant, row: Row | undefined): string => {
    if (row === undefined) return " | ";
    const { value, goal, verdict } = judged(results, row, VARIANTS[variant].us, VARIANTS[variant].them);
    return `${Number.isNaN(value) ? "" : short(value, goal)} | ${goal}: ${verdict}`;
  };
  const rows = defaults.flatMap((row, index) =>
    row.goal === undefined && row.limit === undefined
      ? []
      : [`| ${subject(defaults, index)} | ${cell("defaults", row)} | ${cell("built", built[index])} |`],
  );
  return [`| | ${VARIANTS.defaults.us} | goal | ${VARIANTS.built.us} | goal |`, "|---|---|---|---|---|", ...rows];
}

/** The name of a row that stands without the row before it: "the same" is replaced by what it is the same as. */
function subject(rows: readonly Row[], index: number): string {
  const about = rows[index]?.about ?? "";
  const before = rows.slice(0, index).findLast((row) => !row.about.startsWith("the same"));
  return about.replace(/^the same/, before?.about.replace(/, \w+$/, "") ?? "");
}

/** Ours beside theirs; where the first of theirs has not been measured, the next one counts. */
export function versus(results: Measurements, rows: readonly Row[], [us, them]: readonly [string, readonly string[]]): string[] {
  const lines = rows.map((row) => {
    const ours = results.measured[us]?.[row.name];
    const theirs = them.map((each) => results.measured[each]?.[row.name]).find((values) => values !== undefined);
    const { ratio, goal, verdict } = judged(results, row, us, them);
    const shown = Number.isNaN(ratio) ? "" : ratio.toFixed(2);
    return `| ${row.about} | ${spread(ours)} | ${spread(theirs)} | ${shown} | ${goal === "" ? "" : `${goal}: ${verdict}`} |`;
  });
  return [`| | ${us} | ${them[0]} | ratio | goal |`, "|---|---|---|---|---|", ...lines];
}

type Measurements = Pick<Findings, "measured">;

function judged({ measured }: Measurements, { name, goal, limit }: Row, us: string, them: readonly string[]) {
  const ours = median(measured[us]?.[name] ?? []);
  const theirs = median(them.map((each) => measured[each]?.[name]).find((values) => values !== undefined) ?? []);
  const ratio = ours / theirs;
  const value = limit === undefined ? ratio : ours;
  const most = limit ?? goal;
  const verdict = Number.isNaN(value) ? "not measured" : value <= (most ?? Number.NaN) ? "reached" : "missed";
  return { ratio, value, verdict, goal: most === undefined ? "" : limit === undefined ? `${most}x` : String(most) };
}

function short(value: number, goal: string): string {
  return goal.endsWith("x") ? `${value.toFixed(2)}x` : value.toFixed(value >= 100 ? 0 : 1);
}

const SHOWN = new Set(NAMES.flatMap((variant) => [VARIANTS[variant].us, ...VARIANTS[variant].them]));

function others({ measured }: Results): string[] {
  const names = Object.keys(measured).filter((name) => !SHOWN.has(name));
  if (names.length === 0) return [];
  const rows = rowsOf("built").filter(({ name }) => names.some((other) => measured[other]?.[name] !== undefined));
  const columns = ["treadle", "controller-runtime", ...names];
  return [
    "\n## Beside others\n",
    `| | ${columns.join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...rows.map(({ name, about }) => `| ${about} | ${columns.map((column) => spread(measured[column]?.[name])).join(" | ")} |`),
  ];
}

/** Counts in one line, the largest first. */
export function list(counts: Record<string, number>): string {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, count]) => `${what} ${count}`)
    .join(", ");
}
