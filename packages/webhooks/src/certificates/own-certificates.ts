/**
 * Certificates that the operator makes for itself: an authority and a serving certificate in one Secret, and the authority in the
 * `caBundle` of every configuration.
 *
 * Guarantees: every replica runs this, and no leader is needed. No call of the API server fails over a renewal, a restart or a
 * crash, because each write leaves a state from which any replica continues. Private keys are in the Secret and in memory only.
 *
 * Assumptions: the clocks of the cluster differ by less than a day.
 *
 * Cost in steady state: one watch of the Secret, one of each configuration, and one timer for the next renewal.
 */
import { Keeper } from "./keeper.ts";
import type { OwnCertificates, OwnCertificatesOptions } from "./options.ts";

export type { CertificateNote, OwnCertificates, OwnCertificatesOptions } from "./options.ts";

/** Creates the certificates of an operator. Nothing is read or written before `start`. */
export function ownCertificates(options: OwnCertificatesOptions): OwnCertificates {
  return new Keeper(options);
}
