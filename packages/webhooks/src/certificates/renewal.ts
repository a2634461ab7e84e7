/** What a step writes into the Secret. Each result is complete, so that any replica can continue after a crash. */
import type { CertifiedKey } from "@treadle/controller";
import { issueServing, makeAuthority } from "./issue.ts";
import { type Certificate, isValidAt } from "./pem.ts";
import { GRACE_MS, SERVING_MS } from "./plan.ts";
import { authoritiesToKeep, dataOf, isFor, keyPem, namesOf, type SecretContent, type Serving, servingIn } from "./secret-content.ts";

/** The data of the Secret, in base64. */
type Data = Readonly<Record<string, string>>;

/**
 * A new authority beside the present one, which still signs and is trusted. Where the present one is lost, `others` names the
 * authorities by which replicas may serve, and `served` what this replica serves.
 */
export async function newAuthority(
  { authority, previous, previousUntilMs, serving, tls }: SecretContent,
  lost: { readonly others: readonly Certificate[]; readonly served: Serving | undefined } | undefined,
  nowMs: number,
): Promise<Data> {
  const known = [...(authority === undefined ? [] : [authority]), ...previous].map(({ certificate }) => certificate);
  const keep = authoritiesToKeep([...known, ...(lost?.others ?? [])], nowMs);
  const kept = [serving, servingIn(tls, keep), lost?.served].find(
    (each) => each !== undefined && isValidAt(each.certificate, nowMs) && keep.some(({ id }) => id === each.issuer),
  );
  // Of a lost authority it is not known when it issued its last certificate.
  const lastEndMs = lost !== undefined || kept === undefined ? nowMs + SERVING_MS : kept.certificate.endsMs;
  return dataOf({
    ca: await makeAuthority(nowMs),
    tls: kept?.pair,
    previous: keep,
    previousKey: authority?.key !== undefined && keep[0]?.id === authority.certificate.id ? keyPem(authority.key) : undefined,
    previousUntilMs: Math.max(previousUntilMs ?? 0, lastEndMs + GRACE_MS),
  });
}

/**
 * A new serving certificate, signed by the authority or by the previous one; `undefined` where the signer has no key.
 * @throws Error when a name cannot be in a certificate
 */
export async function newServing(
  { authority, previous, previousUntilMs = 0, serving }: SecretContent,
  given: { readonly by: "authority" | "previous"; readonly names: readonly string[]; readonly keepsNames: boolean },
  nowMs: number,
): Promise<Data | undefined> {
  const signer = given.by === "authority" ? authority : previous[0];
  if (authority?.key === undefined || signer?.key === undefined) return undefined;
  const old = given.keepsNames && serving !== undefined ? namesOf(serving.certificate) : [];
  const issuer = { certificate: signer.certificate, key: signer.key };
  const tls = await issueServing(issuer, [...new Set([...given.names, ...old])], nowMs);
  const made = servingIn(tls, [signer.certificate]);
  const refused = made && given.names.find((name) => !isFor(made.certificate, name));
  // It would be found to be missing, and be issued again, without end.
  if (refused !== undefined)
    throw new Error(`cannot issue a certificate for ${JSON.stringify(refused)}: it is neither a host name nor an address`);
  const isOfPrevious = serving !== undefined && serving.issuer !== authority.certificate.id;
  const lastEndMs = given.by === "previous" ? nowMs + SERVING_MS : isOfPrevious ? serving.certificate.endsMs : 0;
  return dataOf({
    ca: { cert: authority.certificate.pem, key: keyPem(authority.key) },
    tls,
    previous: previous.map(({ certificate }) => certificate),
    previousKey: given.by === "previous" ? keyPem(signer.key) : undefined,
    previousUntilMs: Math.max(previousUntilMs, lastEndMs === 0 ? 0 : lastEndMs + GRACE_MS),
  });
}

/** The authority and its certificate, without previous authorities; `undefined` where one of them is not there. */
export function withoutPrevious({ authority, serving }: SecretContent): Data | undefined {
  if (authority?.key === undefined || serving === undefined) return undefined;
  const ca: CertifiedKey = { cert: authority.certificate.pem, key: keyPem(authority.key) };
  return dataOf({ ca, tls: serving.pair, previous: [] });
}
