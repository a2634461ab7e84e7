/** Files and archives of charts for tests. */
import { gzipSync } from "node:zlib";

/** The files of a chart by path. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** A `Chart.yaml`. */
export function chartYaml(name = "demo", more = ""): string {
  return `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n${more}`;
}

/** Returns a `.tgz` archive in the format of POSIX. */
export function archive(files: Files): Buffer {
  const blocks = Object.entries(files).flatMap(([file, text]) => {
    const content = Buffer.from(text);
    return [header(file, content.length, "0"), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)]));
}

/** Returns the header of an entry. */
export function header(file: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(512);
  block.write(file, 0, 100);
  block.write("0000644\0", 100);
  block.write("0000000\0".repeat(2), 108);
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write("00000000000\0", 136);
  block.write("        ", 148);
  block.write(type, 156);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
