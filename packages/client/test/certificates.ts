import { generate } from "selfsigned";

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate for 127.0.0.1 and `api.test` that is its own authority. */
export async function selfSigned(commonName: string, valid: { readonly from?: Date; readonly to?: Date } = {}): Promise<KeyPair> {
  const pems = await generate([{ name: "commonName", value: commonName }], {
    keyType: "ec",
    ...(valid.from === undefined ? {} : { notBeforeDate: valid.from }),
    ...(valid.to === undefined ? {} : { notAfterDate: valid.to }),
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 7, ip: "127.0.0.1" },
          { type: 2, value: "api.test" },
        ],
      },
    ],
  });
  return { cert: pems.cert, key: pems.private };
}
