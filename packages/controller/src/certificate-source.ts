/** Serving certificates that a program makes or gets in memory. */

/** A certificate and its key, in PEM. */
export interface CertifiedKey {
  /** The certificate, followed by those of its intermediate authorities. */
  readonly cert: string;
  /** The private key. */
  readonly key: string;
}

/** A serving certificate in memory, which may change. */
export interface CertificateSource {
  /** The certificate to serve now. */
  readonly current: CertifiedKey;
  /** Calls `listener` with each new certificate. Returns a function that unsubscribes. An invalid one is logged, and the previous one is served. */
  onChange(listener: (next: CertifiedKey) => void): () => void;
}
