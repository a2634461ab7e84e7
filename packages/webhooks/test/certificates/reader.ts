/** The API server as a reader of bundles: whether it accepts what the replicas serve, at any moment. */
import { X509Certificate } from "node:crypto";
import type { ApiServer } from "@treadle/apiserver";
import type { OwnCertificates } from "../../src/certificates/own-certificates.ts";
import { certificatesIn, isIssuedBy } from "../../src/certificates/pem.ts";
import { kindOf } from "../../src/certificates/target.ts";
import { NAMES, type Rig, TARGETS } from "./rig.ts";

/**
 * Why a call of the API server would fail now, by any configuration and to any replica; undefined where all succeed. The
 * certificates in `trusted` must be trusted by every configuration, too, whatever the time.
 */
export async function failingCall({ client, replicas, clock, server }: Rig, trusted: readonly string[] = []): Promise<string | undefined> {
  const served = [...replicas].flatMap(({ podName, certificates }) => {
    const cert = servedBy(certificates);
    return cert === undefined ? [] : [{ podName, cert }];
  });
  let state = states.get(server);
  if (state?.version !== server.resourceVersion) {
    const version = server.resourceVersion;
    const objects = await Promise.all(TARGETS.map((target) => client.get(kindOf(target), { name: target.name })));
    states.set(server, (state = { version, bundles: new Set(objects.flatMap(bundlesIn)) }));
  }
  for (const bundle of state.bundles) {
    for (const { podName, cert } of served) {
      const problem = callProblem(cert, bundle, clock.now());
      if (problem !== undefined) return `${podName}: ${problem}`;
    }
    for (const cert of trusted) {
      const chain = chainFor(cert, bundle);
      if (typeof chain === "string") return chain;
    }
  }
  return undefined;
}

/** The bundles of a server by its version: most looks find what the one before has found. */
const states = new WeakMap<ApiServer, { readonly version: string; readonly bundles: ReadonlySet<string> }>();

/** The bundles of an object, in base64; empty where there is none. */
function bundlesIn(object: object | undefined): readonly string[] {
  const { webhooks = [], spec } = (object ?? {}) as {
    webhooks?: { clientConfig: Config }[];
    spec?: { conversion?: { webhook?: { clientConfig: Config } } };
  };
  return [...webhooks, spec?.conversion?.webhook].flatMap((each) => (each === undefined ? [] : [each.clientConfig.caBundle ?? ""]));
}

interface Config {
  readonly caBundle?: string;
}

export function servedBy(certificates: OwnCertificates): string | undefined {
  try {
    return certificates.current.cert;
  } catch {
    return undefined; // Not ready: no Service leads to it.
  }
}

const HOUR = 60 * 60 * 1000;
interface Chain {
  readonly from: number;
  readonly to: number;
}
const chains = new Map<string, Chain | string>();

/** Verifies a handshake, on a clock that is wrong by up to an hour. */
function callProblem(cert: string, bundle: string, nowMs: number): string | undefined {
  const chain = chainFor(cert, bundle);
  if (typeof chain === "string") return chain;
  if (nowMs - HOUR < chain.from) return "the certificate is not valid yet";
  return nowMs + HOUR >= chain.to ? "the certificate has expired" : undefined;
}

function chainFor(cert: string, bundle: string): Chain | string {
  const key = `${cert}\n${bundle}`;
  let chain = chains.get(key);
  if (chain === undefined) chains.set(key, (chain = chainOf(cert, bundle)));
  return chain;
}

function chainOf(cert: string, encoded: string): Chain | string {
  const bundle = Buffer.from(encoded, "base64").toString();
  const [leaf] = certificatesIn(cert);
  if (leaf === undefined) return "no certificate is served";
  const authority = certificatesIn(bundle).find((each) => isIssuedBy(leaf, each));
  if (authority === undefined) return `signed by unknown authority (${leaf.x509.issuer}), trusted are ${certificatesIn(bundle).length}`;
  const wrong = NAMES.find((name) => new X509Certificate(cert).checkHost(name) === undefined);
  if (wrong !== undefined) return `not for ${wrong}`;
  return { from: Math.max(leaf.startsMs, authority.startsMs), to: Math.min(leaf.endsMs, authority.endsMs) };
}
