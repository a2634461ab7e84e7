/**
 * Reads the files of a `.tgz` archive into memory, for checks of a chart before its first use. Helm reads the archive itself. So this
 * reader needs no support for links, sparse files or old formats: it skips entries that are not plain files.
 */
import { gunzipSync } from "node:zlib";

/** The largest content of an archive that Helm reads, in bytes. */
export const MAX_CHART_BYTES: number = 100 * 1024 * 1024;

const BLOCK = 512;

/**
 * Returns the files of a gzipped tar archive, by their path.
 * @throws Error for a text that is not such an archive, or that is larger than {@link MAX_CHART_BYTES} when it is unpacked
 */
export function filesOfArchive(archive: Buffer): ReadonlyMap<string, Buffer> {
  const tar = unpacked(archive);
  const files = new Map<string, Buffer>();
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const size = sizeIn(header);
    const content = tar.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length < size) throw new Error("the archive ends inside a file");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    switch (String.fromCodePoint(header[156] ?? 0)) {
      case "L":
        longName = textIn(content);
        continue;
      case "x":
        longName = pathIn(content) ?? longName;
        continue;
      case "0":
      case "\0":
        files.set(longName ?? nameIn(header), content);
    }
    longName = undefined;
  }
  return files;
}

function unpacked(archive: Buffer): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: MAX_CHART_BYTES });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE")
      throw new Error(`the archive has more than ${MAX_CHART_BYTES} bytes when it is unpacked`, { cause: error });
    throw new Error("it is not a gzipped archive", { cause: error });
  }
}

function sizeIn(header: Buffer): number {
  const text = textIn(header.subarray(124, 136)).trim();
  const size = /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  if (Number.isNaN(size)) throw new Error("the archive has a broken header");
  return size;
}

/** The name of an entry; the format of POSIX has its beginning in another field. */
function nameIn(header: Buffer): string {
  const name = textIn(header.subarray(0, 100));
  const prefix = header.subarray(257, 262).toString() === "ustar" ? textIn(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** The path in an extended header, whose records are `LENGTH KEY=VALUE\n`. */
function pathIn(content: Buffer): string | undefined {
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.subarray(at, at + 20).toString(), 10);
    if (!(length > 0)) return undefined;
    const record = content.subarray(at, at + length - 1).toString();
    const value = record.slice(record.indexOf(" ") + 1);
    if (value.startsWith("path=")) return value.slice("path=".length);
    at += length;
  }
  return undefined;
}

function textIn(field: Buffer): string {
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? field.length : end).toString();
}
