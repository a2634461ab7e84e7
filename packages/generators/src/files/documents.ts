/** The documents in the output of a program, one after the other, so that other work of the operator runs in between. */

/**
 * Begins a document. Only a line feed ends a line here, as for Helm: in a pattern with the flag `m`, U+2028, U+2029 and a carriage return
 * end one, too. A value with such a character could then begin an object of its own.
 */
const DOCUMENT = /(?<![^\n])---(?=\s|$)/;

/** The maximum length of a document, in characters: an API server accepts 3 MiB of JSON, and a long document takes seconds to read. */
export const MAX_DOCUMENT_LENGTH: number = 8 * 1024 * 1024;

/** What is wrong with a longer document. */
export const DOCUMENT_TOO_LONG: string = `a document has more than ${MAX_DOCUMENT_LENGTH / 2 ** 20} MiB, which no API server accepts`;

/** Time after which other work gets its turn, in milliseconds: large charts have megabytes of YAML. */
const SLICE_MS = 20;

/** Calls `read` for each document. @throws what `read` throws, and the signal's reason */
export async function eachDocument(output: string, signal: AbortSignal, read: (text: string, index: number) => void): Promise<void> {
  let since = performance.now();
  for (const [index, text] of output.split(DOCUMENT).entries()) {
    read(text, index);
    if (performance.now() - since < SLICE_MS) continue;
    await new Promise((resolve) => void setImmediate(resolve));
    signal.throwIfAborted();
    since = performance.now();
  }
}
