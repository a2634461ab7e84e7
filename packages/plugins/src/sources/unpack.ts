/** Unpacks an archive that must hold one program and nothing else. */
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { limited } from "./download.ts";

/** Options of {@link unpack}. */
export interface UnpackOptions {
  /** The only name that the archive may hold. */
  readonly name: string;
  /** Maximum size of all that is unpacked, in bytes. */
  readonly maxBytes: number;
}

/**
 * Writes the only file of a `.tar.gz` to `file`, which must not exist. The name in the archive decides nothing but whether it is refused.
 * @throws Error with the reason
 */
export async function unpack(archive: string, file: string, { name, maxBytes }: UnpackOptions, signal: AbortSignal): Promise<void> {
  const { extract } = await import("tar-stream");
  const entries = extract();
  let count = 0;
  const read = async (): Promise<void> => {
    for await (const entry of entries) {
      const { type, mode } = entry.header;
      const which = JSON.stringify(entry.header.name);
      if (type !== "file") throw new Error(`it has ${which}, a ${type ?? "nameless thing"}: it may hold one regular file only`);
      if (entry.header.name.replace(/^\.\//, "") !== name) throw new Error(`it has ${which}: it may hold the file ${name} only`);
      if (++count > 1) throw new Error(`it has ${which} twice`);
      if ((mode & 0o111) === 0) throw new Error(`${which} is not executable in it: run chmod +x before it is packed`);
      await pipeline(entry, createWriteStream(file, { flags: "wx", mode: 0o500, flush: true }), { signal });
    }
  };
  const feed = pipeline(createReadStream(archive), createGunzip(), limited(maxBytes, "it"), entries, { signal });
  // The first failure ends both. The other one only reports that its stream was closed.
  const [reading, feeding] = await Promise.allSettled([read(), feed]);
  const reasons = [feeding, reading].flatMap((end) => (end.status === "rejected" ? [end.reason as Error] : []));
  const reason = reasons.find(({ message }) => !/premature|destroyed|closed/i.test(message)) ?? reasons[0];
  if (reason !== undefined) throw reason;
  if (count === 0) throw new Error(`it does not hold the file ${name}`);
}
