import type { Writable } from "node:stream";

/** Waits until a stream accepts more data or is closed. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
    if (stream.destroyed) done();
  });
}
