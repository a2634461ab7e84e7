/** Where the server of webhooks listens, and the names of what belongs to it: shared by the server, the manifests and the certificates. */
import { type ConversionWebhook, DefinitionError, type DefinitionProblem, isDns1123Label, isDns1123Subdomain } from "@treadle/apimachinery";

/** A Service that leads to the pods of the operator. */
export interface WebhookService {
  /** The name of the Service. */
  readonly name: string;
  /** The namespace of the Service, in which the operator runs. */
  readonly namespace: string;
  /** The port of the Service. @defaultValue 443 */
  readonly port?: number;
}

/** Options that the server and its manifests must have in common. Exactly one of `service` and `url` is given. */
export interface WebhookPlacement {
  /** The name of both webhook configurations, and the beginning of the other names. Required with `url`. @defaultValue the name of the Service */
  readonly name?: string;
  /** The Service by which the API server reaches the operator. */
  readonly service?: WebhookService;
  /** The address of an operator outside of the cluster, such as `https://192.168.1.7:9443`: for development. */
  readonly url?: string;
  /** The namespace of the operator and of its Secret. @defaultValue that of the Service; with `url` `default` */
  readonly namespace?: string;
  /** The name of the Secret that holds the certificates. @defaultValue `<name>-webhook-certificate` */
  readonly secretName?: string;
  /**
   * Whether the operator creates the Secret. Then it has the right to create Secrets in its namespace, because RBAC cannot limit that right
   * by name. @defaultValue false: the Secret is one of the manifests, and the operator waits for it
   */
  readonly createSecret?: boolean;
}

/** A placement with its defaults. */
export interface SettledPlacement {
  /** The name of both configurations. */
  readonly name: string;
  /** The namespace of the operator and its Secret. */
  readonly namespace: string;
  /** The Service with its port; `undefined` with a URL. */
  readonly service: Required<WebhookService> | undefined;
  /** The name of the Secret. */
  readonly secretName: string;
  /** Whether the operator creates the Secret. */
  readonly createSecret: boolean;
  /** The names for which a serving certificate must be valid: DNS names, or an address. */
  readonly hosts: readonly [string, ...string[]];
  /** Returns where the API server calls a path, without the CA. */
  address(path: string): ConversionWebhook;
}

const FIX = 'Give service: { name: "website-operator", namespace: "ops" }, or url: "https://host:9443" for development';

/**
 * Returns a placement with its defaults.
 *
 * @param where the function that got the options, for the error
 * @throws DefinitionError with all problems
 */
export function settlePlacement(given: WebhookPlacement, where: string): SettledPlacement {
  const problems: DefinitionProblem[] = [];
  const refuse = (path: string, reason: string, fix: string): void => void problems.push({ path, reason, fix });
  const { service, url } = given ?? {};
  if ((service === undefined) === (url === undefined))
    refuse("service", service === undefined ? "neither service nor url is given" : "both service and url are given", FIX);
  for (const part of ["name", "namespace"] as const)
    if (service !== undefined && service?.[part] === undefined) refuse(`service.${part}`, "it is missing", FIX);
  const { name = service?.name, namespace = service?.namespace ?? "default", secretName = `${name}-webhook-certificate` } = given ?? {};
  const labels = { "service.name": service?.name, "service.namespace": service?.namespace, namespace };
  for (const [path, value] of Object.entries({ ...labels, name, secretName })) {
    if (value === undefined) continue;
    const isName = typeof value === "string" && (path in labels ? isDns1123Label(value) : isDns1123Subdomain(value));
    if (!isName) refuse(path, `${JSON.stringify(value)} is not a name`, "Use lower case letters, digits and dashes");
  }
  if (url !== undefined && name === undefined)
    refuse("name", "with a url there is no default", 'Name the configurations, as in name: "website-operator"');
  const port = service?.port ?? 443;
  if (!(Number.isInteger(port) && port >= 1 && port <= 65_535))
    refuse("service.port", `${JSON.stringify(port)} is not a port`, "Use a number from 1 to 65535");
  const base = url === undefined ? undefined : baseOf(url);
  if (url !== undefined && base === undefined)
    refuse(
      "url",
      `${JSON.stringify(withoutUser(url))} is not an address for webhooks`,
      'Use https with a host, as in "https://192.168.1.7:9443"',
    );
  if (problems.length > 0 || name === undefined) throw new DefinitionError(where, problems);
  const settled = service === undefined ? undefined : { name: service.name, namespace: service.namespace, port };
  return {
    name,
    namespace,
    service: settled,
    secretName,
    createSecret: given.createSecret === true,
    hosts: settled === undefined ? [hostOf(base)] : serviceHosts(settled),
    address: (path) => (settled === undefined ? { url: `${base?.href.replace(/\/$/, "")}${path}` } : { service: { ...settled, path } }),
  };
}

/** A URL with a user may have a password. */
function withoutUser(url: unknown): string {
  return String(url).replace(/\/\/[^/]*@/, "//<redacted>@");
}

/** The API server calls `name.namespace.svc`. The longer name is for other clients. */
function serviceHosts({ name, namespace }: WebhookService): [string, string] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
}

/** An IPv6 address has brackets in a URL only. */
function hostOf(base: URL | undefined): string {
  return (base?.hostname ?? "").replace(/^\[|\]$/g, "");
}

/** The API server refuses a URL with a user, a query or a fragment. */
function baseOf(url: unknown): URL | undefined {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed === null || parsed.protocol !== "https:" || parsed.hostname === "") return undefined;
  return parsed.username === "" && parsed.password === "" && parsed.search === "" && parsed.hash === "" ? parsed : undefined;
}
