/** An explanation as text for a terminal or a pipe. */
import { shown } from "../cluster/object-name.ts";
import { clauseOf } from "./finding.ts";
import { duration, painter, widthOf, wrapped } from "../terminal/layout.ts";
import type { Explanation, UnreadyObject } from "./explanation.ts";

/** How to write text. */
export interface TextOptions {
  /** Width of the terminal. `undefined`: lines are not broken. */
  readonly columns: number | undefined;
  readonly hasColors: boolean;
  /** Now, for ages. */
  readonly nowMs: number;
}

/** Returns the explanation as text, with a line break at its end. */
export function explanationText(explanation: Explanation, { columns, hasColors, nowMs }: TextOptions): string {
  const paint = painter(hasColors);
  const age = (time: string | undefined): string => (time === undefined ? "" : duration(nowMs - Date.parse(time)));
  const line = (text: string, first = "", rest = first): string => wrapped(text, columns, { first, rest });
  const title = (text: string): string => paint("title", text);
  const item = (text: string): string =>
    line(columns !== undefined && widthOf(text) + 4 > columns ? commandsApart(text) : text, "  - ", "    ");

  const sections: string[] = [line(paint(explanation.isReady ? "good" : "bad", explanation.summary))];
  if (explanation.notReady.length > 0)
    sections.push(
      [
        title("What is not ready:"),
        ...explanation.notReady.map((each) => unreadyLine(each, { columns, age: age(each.since), paint })),
      ].join("\n"),
    );
  if (explanation.lastError !== undefined) {
    const { message, at, count, object, source } = explanation.lastError;
    const times = count > 1 ? `${count} times, ` : "";
    const when = at === undefined ? "" : `last ${age(at)} ago, `;
    sections.push(
      line(
        `${title("Last error:")} ${message} (${times}${when}${source === "event" ? "event" : `condition ${source}`} of ${shown(object)}).`,
      ),
    );
  }
  if (explanation.nextAttempt !== undefined) {
    const { text, at } = explanation.nextAttempt;
    const untilMs = at === undefined ? undefined : Date.parse(at) - nowMs;
    const when = untilMs === undefined ? "" : untilMs <= 0 ? "now: " : `in ${duration(untilMs)}: `;
    sections.push(line(`${title("Next attempt:")} ${when}${clauseOf(text)}.`));
  }
  if (explanation.advice.length > 0)
    sections.push([title("What you can do:"), ...explanation.advice.map((each) => item(`${upper(each)}.`))].join("\n"));
  if (explanation.others.length > 0) {
    const head = explanation.isReady ? "What was found around it:" : "What was found besides:";
    sections.push([title(head), ...explanation.others.map(({ message }) => item(`${upper(message)}.`))].join("\n"));
  }
  if (explanation.unread.length > 0)
    sections.push(
      [
        title("Not read, so this may be incomplete:"),
        ...explanation.unread.slice(0, 8).map(({ what, why }) => item(`${what}: ${why}.`)),
      ].join("\n"),
    );
  return `${sections.join("\n\n")}\n`;
}

interface LineOptions {
  readonly columns: number | undefined;
  readonly age: string;
  readonly paint: ReturnType<typeof painter>;
}

function unreadyLine({ object, depth, step, health, reason, message }: UnreadyObject, { columns, age, paint }: LineOptions): string {
  // Deep trees stay readable in 40 columns.
  const indent = "  ".repeat(Math.min(depth + 1, 6));
  const by = step === undefined ? "" : ` (step ${step})`;
  const since = age === "" ? "" : ` since ${age}`;
  const state = paint(health === "Failed" ? "bad" : "waiting", reason === health ? health : `${health}, ${reason}`);
  const why = message === "" ? "" : `: ${clauseOf(message)}`;
  return wrapped(`${shown(object)}${by}: ${state}${since}${why}`, columns, { first: indent, rest: `${indent}  ` });
}

/** Puts commands on lines of their own, so that they can be copied. */
function commandsApart(text: string): string {
  return text.replaceAll(/: (`[^`]+`)/g, ":\n$1");
}

/** Commands and names keep their first letter. */
function upper(text: string): string {
  return /^[a-z]+ /.test(text) ? `${text[0]?.toUpperCase()}${text.slice(1)}` : text;
}
