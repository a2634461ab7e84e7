/** The paths of `GET /`: groups, versions, checks and documents. */
import type { Parts } from "../request/context.ts";
import { healthPaths } from "./health.ts";
import { CONFIGURATION, hasIssuer, KEYS } from "./token-issuer.ts";

const OTHERS = ["/api", "/api/v1", "/apis", "/apis/", "/metrics", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"] as const;

/** Returns all paths in their order. */
export function servedPaths({ registry, access }: Parts): readonly string[] {
  const versions = [...registry.all()].map(({ version }) => version).filter(({ group }) => group !== "");
  const groups = versions.flatMap(({ group, apiVersion }) => [`/apis/${group}`, `/apis/${apiVersion}`]);
  const issuer = hasIssuer(access) ? [CONFIGURATION, KEYS] : [];
  return [...new Set([...OTHERS, ...groups, ...issuer, ...healthPaths()])].toSorted();
}
