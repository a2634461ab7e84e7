/**
 * A serving certificate in files, as cert-manager and mounted Secrets provide it. It is read again every ten seconds, so that
 * a renewed certificate is served without a restart. If the files are invalid, the last valid certificate stays in service.
 */
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Clock, Timer } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import type { CertifiedKey } from "../certificate-source.ts";
import { messageOf } from "../internal/error-text.ts";
import { ManagerError } from "../manager-error.ts";
import type { TlsFiles } from "../manager-options.ts";
import type { CertificateMetrics } from "./certificate-metrics.ts";

/** controller-runtime `pkg/certwatcher`. */
const POLL_MS = 10_000;

export interface ServingCertificateOptions {
  readonly files: TlsFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: CertificateMetrics | undefined;
}

export class ServingCertificate {
  readonly #options: ServingCertificateOptions;
  #onChange: (current: CertifiedKey) => void = () => {};
  #current: CertifiedKey | undefined;
  #problem: string | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: ServingCertificateOptions) {
    this.#options = options;
  }

  /** Reads the files, and calls `onChange` when they have changed. @throws ManagerError ERR_CERTIFICATE */
  async start(onChange: (current: CertifiedKey) => void): Promise<CertifiedKey> {
    this.#onChange = onChange;
    try {
      this.#current = await this.#read();
    } catch (cause) {
      const { certFile, keyFile } = this.#options.files;
      throw new ManagerError(
        "ERR_CERTIFICATE",
        `cannot serve by the certificate in ${certFile} and the key in ${keyFile}: ${messageOf(cause)}`,
        {
          cause,
        },
      );
    }
    this.#plan();
    return this.#current;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #plan(): void {
    if (!this.#isStopped) this.#timer = this.#options.clock.after(POLL_MS, () => void this.look());
  }

  /** Reads the files now. Never rejects. */
  async look(): Promise<void> {
    this.#timer?.cancel();
    const { log, files } = this.#options;
    try {
      const found = await this.#read();
      const isNew = found.cert !== this.#current?.cert || found.key !== this.#current.key;
      this.#problem = undefined;
      if (isNew && !this.#isStopped) {
        this.#current = found;
        this.#onChange(found);
        log.info({ certFile: files.certFile }, "serving by a new certificate");
      }
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== this.#problem) log.warn({ ...files }, `the certificate cannot be read; the previous one is served: ${problem}`);
      this.#problem = problem;
    }
    this.#plan();
  }

  /** Reads the files. @throws when a file cannot be read, or they are not a certificate and its key */
  async #read(): Promise<CertifiedKey> {
    const { files, metrics } = this.#options;
    metrics?.read();
    try {
      const [cert, key] = await Promise.all([readFile(files.certFile, "utf8"), readFile(files.keyFile, "utf8")]);
      createSecureContext({ cert, key });
      return { cert, key };
    } catch (error) {
      metrics?.failed();
      throw error;
    }
  }
}
