/** The answer to a shell: a first line that says what follows, then one candidate a line. Pure functions. */
import type { Candidate } from "./asked.ts";

/** What a shell shows. */
export type Reply =
  /** `isPart`: each word is the beginning of a longer one, so no space follows it. */
  | { readonly type: "words"; readonly words: readonly Candidate[]; readonly isPart?: boolean }
  /** The shell completes names of files or folders. */
  | { readonly type: "files" }
  | { readonly type: "folders" };

/** The shells that ask. `kubectl` completes its plugins by a program of the plugin, and passes the answer on to the shell. */
export const SHELLS = ["bash", "zsh", "fish", "kubectl"] as const;

export type Shell = (typeof SHELLS)[number];

/** Returns the text that the script of a shell reads. `cut` is the part of the word that bash holds for another word. */
export function replyText(reply: Reply, shell: Shell, cut = ""): string {
  const words = reply.type === "words" ? reply.words : [];
  const lines = words.map(({ value, description }) => {
    const text = oneLine(description);
    return `${value.slice(value.startsWith(cut) ? cut.length : 0)}${shell === "bash" || text === "" ? "" : `\t${text}`}`;
  });
  const what = reply.type === "words" && reply.isPart === true ? "parts" : reply.type;
  return `${(shell === "kubectl" ? [...lines, `:${DIRECTIVES[what]}`] : [what, ...lines]).join("\n")}\n`;
}

/** The numbers of cobra's `ShellCompDirective`, which kubectl reads. */
const DIRECTIVES = { words: 4, parts: 6, files: 0, folders: 16 } as const;

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Words as the shell gave them, joined, and the part of the last one that the shell does not replace. */
export interface Joined {
  readonly words: readonly string[];
  readonly cut: string;
}

/** Joins what bash splits at `=` and `:`: it takes `--output=json` for three words. */
export function joinedWords(words: readonly string[]): Joined {
  const joined: string[] = [];
  let isOpen = false;
  let cut = "";
  for (const word of words) {
    const isSign = /^[=:]+$/.test(word);
    const last = joined.at(-1);
    if (last !== undefined && (isSign || isOpen)) {
      joined[joined.length - 1] = last + word;
      cut = isSign ? last + word : last;
    } else {
      joined.push(word);
      cut = "";
    }
    isOpen = isSign;
  }
  return { words: joined, cut };
}
