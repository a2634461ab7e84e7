/** Serves the certificate of a source in memory. If a new one is invalid, the last valid certificate stays in service. */
import { createSecureContext } from "node:tls";
import type { Logger } from "@treadle/reconcile";
import type { CertificateSource, CertifiedKey } from "../certificate-source.ts";
import { messageOf } from "../internal/error-text.ts";
import { ManagerError } from "../manager-error.ts";
import type { ServedCertificate } from "./http-server.ts";

/** Makes the certificate of the server with the name. */
export function sourceCertificate(name: string, source: CertificateSource, log: Logger): ServedCertificate {
  let unsubscribe = (): void => {};
  return {
    start(onChange) {
      unsubscribe = source.onChange((next) => {
        try {
          onChange(valid(next));
          log.info({ server: name }, "serving by a new certificate");
        } catch (error) {
          log.warn({ server: name }, `the new certificate cannot be served; the previous one is served: ${messageOf(error)}`);
        }
      });
      try {
        return valid(source.current);
      } catch (cause) {
        unsubscribe();
        throw new ManagerError("ERR_CERTIFICATE", `cannot serve ${name} by the certificate of its source: ${messageOf(cause)}`, { cause });
      }
    },
    stop: () => unsubscribe(),
  };
}

/** @throws when it is not a certificate and its key */
function valid({ cert, key }: CertifiedKey): CertifiedKey {
  if (typeof cert !== "string" || typeof key !== "string" || cert === "" || key === "") throw new TypeError("cert or key is missing");
  createSecureContext({ cert, key });
  return { cert, key };
}
