/** Changes as text and as data. Pure. */
import type { Ref } from "@treadle/apimachinery";
import { type ObjectName, shown } from "../../cluster/object-name.ts";
import { painter, type Tone, wrapped } from "../../terminal/layout.ts";
import { type Change, type Counts, countsOf } from "../preview/changes.ts";
import type { FieldChange } from "../preview/field-changes.ts";
import { refusalText } from "../preview/refusal.ts";
import { releaseName, type ReleaseName } from "./names.ts";

/** What a run would change, as `-o json` shows it. */
export interface ReleaseDiff {
  readonly release: ReleaseName;
  readonly isNew: boolean;
  readonly counts: Counts;
  /** The objects, in the order in which they are applied, then those that are removed. */
  readonly changes: readonly {
    readonly object: ObjectName;
    readonly action: Change["action"];
    readonly fields: readonly FieldChange[];
    readonly isUnchecked?: true;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

export function diffOf(given: {
  readonly ref: Required<Ref>;
  readonly targetNamespace: string;
  readonly changes: readonly Change[];
  readonly isNew: boolean;
}): ReleaseDiff {
  const { ref, targetNamespace, changes, isNew } = given;
  return { release: releaseName(ref, targetNamespace), isNew, counts: countsOf(changes), changes };
}

const SIGNS: { readonly [A in Change["action"]]: { readonly sign: string; readonly tone: Tone } } = {
  create: { sign: "+", tone: "good" },
  update: { sign: "~", tone: "waiting" },
  delete: { sign: "-", tone: "bad" },
  release: { sign: ">", tone: "quiet" },
  none: { sign: "=", tone: "quiet" },
  refuse: { sign: "!", tone: "bad" },
};

export interface TextOptions {
  readonly columns: number | undefined;
  readonly hasColors: boolean;
}

/** Returns the text with a line break at its end. */
export function diffText({ changes, counts, release }: ReleaseDiff, options: TextOptions): string {
  const visible = changes.filter(({ action, message }) => action !== "none" || message !== undefined);
  const lines = visible.flatMap((each) => changeLines(each, options));
  const refused = changes.filter(({ action }) => action === "refuse");
  const refusal =
    refused.length === 0
      ? []
      : [
          "",
          ...refusalText(refused, release)
            .split("\n")
            .slice(1 + Math.min(refused.length, 10)),
        ];
  const advice = refusal.filter((line, i) => line !== "" || i === 0).map((line) => wrapped(line, options.columns));
  return `${[...lines, ...(lines.length === 0 ? [] : [""]), wrapped(summaryText(counts), options.columns), ...(advice.length > 1 ? advice : [])].join("\n")}\n`;
}

function changeLines({ object, action, fields, isUnchecked, message }: Change, { columns, hasColors }: TextOptions): readonly string[] {
  const { sign, tone } = SIGNS[action];
  const note = isUnchecked === true ? " (its kind or namespace is new)" : message === undefined ? "" : `: ${message}`;
  const title = painter(hasColors)(tone, wrapped(`${sign} ${shown(object)}${note}`, columns, { first: "", rest: "  " }));
  return [title, ...fields.map((field) => wrapped(fieldText(field), columns, { first: "    ", rest: "      " }))];
}

/** Longest value that is shown. */
const MAX_VALUE = 120;

function fieldText({ path, before, after, isHidden }: FieldChange): string {
  if (isHidden === true) return `${path}: differs (values are not shown)`;
  return `${path}: ${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: string | undefined): string {
  if (value === undefined) return "none";
  return value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE - 1)}…`;
}

/** Returns the totals as a sentence. */
function summaryText({ create, update, delete: removed, release, none, refuse }: Counts): string {
  const parts = [
    [create, "to create"],
    [update, "to change"],
    [removed, "to delete"],
    [release, "to release"],
    [refuse, "refused"],
  ] as const;
  const shownParts = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (shownParts.length === 0) return `no differences: ${none} object${none === 1 ? "" : "s"} as desired`;
  return [...shownParts, ...(none > 0 ? [`${none} unchanged`] : [])].join(", ");
}
