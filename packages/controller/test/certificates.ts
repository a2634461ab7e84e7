import { generate } from "selfsigned";

/** A certificate for 127.0.0.1 that is its own authority, and its key, in PEM. */
export async function selfSigned(commonName: string): Promise<{ readonly cert: string; readonly key: string }> {
  const pems = await generate([{ name: "commonName", value: commonName }], {
    keyType: "ec",
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { cert: pems.cert, key: pems.private };
}
