/** What a server of webhooks tells the tools that make the manifests of its operator. */
import type { Kind } from "@treadle/apimachinery";
import type { Runnable, TlsFiles } from "@treadle/controller";
import type { WebhookService } from "../placement.ts";
import type { WebhookManifest, WebhookManifestsOptions } from "./manifests.ts";

/** The deployment of a server of webhooks. */
export interface WebhookDeployment {
  /** The kinds of its webhooks. */
  readonly kinds: readonly Kind[];
  /** The Service of the server; `undefined` for an operator outside of the cluster, which has a URL. */
  readonly service: Required<WebhookService> | undefined;
  /** The port on which the pods listen. */
  readonly port: number;
  /** The files of the certificate; `undefined`: the operator makes its certificates. */
  readonly tls: TlsFiles | undefined;
  /** Returns the manifests, as `webhookManifests` does with the webhooks and the placement of the server. */
  manifests(options: Pick<WebhookManifestsOptions, "selector" | "serviceAccount" | "labels" | "certManager">): readonly WebhookManifest[];
}

/** The key under which a server has its deployment. The program may use another copy of this package, so the key is global. */
export const DEPLOYMENT: unique symbol = Symbol.for("@treadle/webhooks/deployment");

/** Returns the deployment of a runnable that is a server of webhooks; `undefined` for all others. */
export function webhookDeploymentOf(runnable: Runnable): WebhookDeployment | undefined {
  // Only the server of this package has the key.
  return (runnable as Runnable & { readonly [DEPLOYMENT]?: WebhookDeployment })[DEPLOYMENT];
}
