/** `@treadle/apiserver/unstable/certificates`: throw-away certificates for tests. Not for operators; it may change in any version. */
export { type Certificates, type KeyPair, makeCertificates } from "../front/certificates.ts";
