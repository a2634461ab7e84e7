/** Archives of release pages. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type Header, pack } from "tar-stream";

/** A `.tar.gz` of entries with their contents. */
export async function archive(...entries: readonly (readonly [Partial<Header> & { name: string }, string | Buffer])[]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content] of entries) tar.entry(header, content as string);
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

export const sha256 = (body: Uint8Array): string => createHash("sha256").update(body).digest("hex");
