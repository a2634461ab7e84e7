/** The certificate of a webhook server whose files cert-manager keeps. Pure. */
import { posix } from "node:path";
import type { Operator } from "../operator.ts";
import { type Commented, plain } from "../manifest.ts";

/** The names of the objects of cert-manager, and of the Secret. */
function certificateName({ name }: Pick<Operator, "name">): string {
  return `${name}-webhook-certificate`;
}

/** Returns the Certificate as `namespace/name`; undefined for an operator that makes its certificates. */
export function certManagerName({ name, namespace, webhooks }: Operator): string | undefined {
  return webhooks?.tls === undefined || webhooks.service === undefined ? undefined : `${namespace}/${certificateName({ name })}`;
}

/** Returns an Issuer that signs by itself, and the Certificate. Replace the Issuer in an overlay by yours. */
export function certificateOf(operator: Operator): readonly Commented[] {
  const { namespace, labels, webhooks } = operator;
  if (webhooks?.tls === undefined || webhooks.service === undefined) return [];
  const name = certificateName(operator);
  const { service } = webhooks;
  const metadata = { name, namespace, labels };
  const host = `${service.name}.${service.namespace}.svc`;
  return plain([
    { apiVersion: "cert-manager.io/v1", kind: "Issuer", metadata, spec: { selfSigned: {} } },
    {
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      metadata,
      spec: { secretName: name, dnsNames: [host, `${host}.cluster.local`], issuerRef: { kind: "Issuer", name } },
    },
  ]);
}

/** Returns the volume with the files of the certificate; undefined for an operator that makes its certificates. */
export function certificateVolume(operator: Operator): { readonly volume: object; readonly mount: object } | undefined {
  const { tls, service } = operator.webhooks ?? {};
  if (tls === undefined || service === undefined) return undefined;
  const items = [
    { key: "tls.crt", path: posix.basename(tls.certFile) },
    { key: "tls.key", path: posix.basename(tls.keyFile) },
  ];
  return {
    volume: { name: "webhook-certificate", secret: { secretName: certificateName(operator), items } },
    mount: { name: "webhook-certificate", mountPath: posix.dirname(tls.certFile), readOnly: true },
  };
}
