/** Errors of Helm and Kustomize without the values that they quote. */
import { type SafeWords, safeText, wordsIn } from "../text/safe-text.ts";

/** Returns the words of texts that contain no value, for {@link shownError}. */
export function wordsOf(texts: Iterable<string>): ReadonlySet<string> {
  const words = new Set(KNOWN);
  for (const text of texts) for (const word of wordsIn(text)) words.add(word);
  return words;
}

/** Returns an error on one line: only words of `words` and of the programs, and none that is a value. */
export function shownError(error: string, safe: SafeWords): string {
  return safeText(withoutWarnings(error), safe);
}

/** Returns a problem of YAML without the keys and the names of anchors that it quotes. */
export function withoutQuotes(message: string): string {
  return message.replaceAll(/"(?:[^"\\]|\\.)*"/g, '"..."').replaceAll(/\*\S+/g, "*...");
}

/** How kubectl logs its error, with the time and its process. */
const OF_KUBECTL = /^[EF]\d{4} \S+ +\d+ \S+\] "command failed" err="(.*)"$/m;

/** Returns an error of a program without its warnings. */
export function withoutWarnings(stderr: string): string {
  const logged = OF_KUBECTL.exec(stderr)?.[1];
  if (logged !== undefined) return logged.replaceAll(String.raw`\"`, '"');
  return stderr
    .split("\n")
    .filter((line) => !line.startsWith("# Warning: "))
    .join("\n")
    .replace(/^Error: /, "");
}

/** The words of messages of Kustomize that those of Helm do not have. */
const KNOWN: readonly string[] = (
  "accumulateFile accumulating accumulation add address after all already am any apiVersion are args base because before being below " +
  "builtin by called component components conflict couldn create deadline deep definition dereference detected directory do doesn err " +
  "exec exist exists fail fails failure files generator generators get given group id ids Id Ids incorrect into it json6902 JSON SM kind " +
  "Kustomization kustomization label like load loading loop make malformed MalformedYAMLError many marshal marshalling matching merge " +
  "merging metadata names namespace node noGrp noKind noName noNs noVer nor option panic patch patches path placeholder plugin prefix " +
  "reached reading reason recursed recursive references render replacement replacements resource resources security select source spec " +
  "strategic suffix support supported target transformer transformers tried trying twice unique unmarshaling unmarshalling unmatched " +
  "unterminated using was were whose"
).split(" ");
