/** Validates the spec of pods and of pod templates. */
import { GoStruct } from "../../errors/field-errors.ts";
import { containers, images, initContainers, type Surroundings } from "./containers.ts";
import { annotations, dnsLabel, ipAddress, labels, qualifiedName, subdomain } from "./formats.ts";
import { amount, containerResourceName, resourceName } from "./resources.ts";
import { podSecurity, system } from "./security.ts";
import { affinity, tolerations, topologySpread } from "./selectors.ts";
import { between, each, fields, ifGiven, ifSet, mustBeOneOf, oneOf, type Rule, type Spot } from "./spot.ts";
import { volumes } from "./volumes.ts";

/** The place of a spec. A template has no name, and some rules apply only to pods. */
export interface SpecOptions {
  readonly name: string;
  readonly isPod: boolean;
}

export function podSpec(spec: Spot, { name, isPod }: SpecOptions): void {
  const claims = spec.at("resourceClaims");
  const pod: Surroundings = {
    volumes: volumes(spec.at("volumes"), name),
    claims: claims.items.map((claim) => claim.at("name").text),
    graceSeconds: spec.at("terminationGracePeriodSeconds").number,
    hasHostUsers: spec.get("hostUsers") !== false,
    restartPolicy: spec.at("restartPolicy").text,
  };
  resourceClaims(claims);
  containers(spec.at("containers"), pod);
  initContainers(spec.at("initContainers"), spec.at("containers"), pod);
  ifSet(podResources)(spec.at("resources"));
  if (spec.get("hostNetwork") === true) hostNetwork(spec.at("containers"), isPod);
  mustBeOneOf("Always", "OnFailure", "Never")(spec.at("restartPolicy"));
  mustBeOneOf("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")(spec.at("dnsPolicy"));
  labels(spec.at("nodeSelector"));
  podSecurity(spec.at("securityContext"), spec.object);
  affinity(spec.at("affinity"));
  dnsConfig(spec.at("dnsConfig"), spec.at("dnsPolicy").text);
  each(fields({ conditionType: qualifiedName }))(spec.at("readinessGates"));
  schedulingGates(spec.at("schedulingGates"));
  topologySpread(spec.at("topologySpreadConstraints"));
  hostUsers(spec);
  hostnameOverride(spec);
  OTHERS(spec);
  const os = spec.at("os");
  if (!os.isSet) return;
  const osName = os.at("name").text;
  if (osName === "") os.at("name").required();
  else if (!SYSTEMS.includes(osName)) os.notSupported(SYSTEMS, osName);
  else system(spec, [...spec.at("initContainers").items, ...spec.at("containers").items]);
}

const SYSTEMS = ["linux", "windows"];

/** Fields that do not depend on others. */
const OTHERS: Rule = fields({
  serviceAccountName: ifGiven(subdomain),
  nodeName: ifGiven(subdomain),
  activeDeadlineSeconds: between(1, 2 ** 31 - 1),
  hostname: ifGiven(dnsLabel),
  subdomain: ifGiven(dnsLabel),
  tolerations,
  hostAliases: each(fields({ ip: ipAddress, hostnames: each(subdomain) })),
  priorityClassName: ifGiven(subdomain),
  runtimeClassName: ifSet(subdomain),
  preemptionPolicy: oneOf("PreemptLowerPriority", "Never"),
  overhead: (spot) => {
    for (const [name, member] of spot.members) {
      containerResourceName(member, name);
      amount(member, name);
    }
  },
});

const resourceClaims: Rule = (spot) => {
  const names = new Set<string>();
  for (const claim of spot.items) {
    const [name, direct, template] = [claim.at("name"), claim.at("resourceClaimName"), claim.at("resourceClaimTemplateName")];
    if (name.isEmpty) name.required();
    else if (names.has(name.text)) name.duplicate();
    else dnsLabel(name);
    names.add(name.text);
    const shown = new GoStruct({
      Name: name.text,
      ResourceClaimName: direct.value ?? null,
      ResourceClaimTemplateName: template.value ?? null,
    });
    if (direct.isSet && template.isSet)
      claim.invalid("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified", shown);
    if (!direct.isSet && !template.isSet) claim.invalid("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`", shown);
    ifSet(subdomain)(direct);
    ifSet(subdomain)(template);
  }
};

const podResources: Rule = (spot) => {
  for (const list of ["limits", "requests"])
    for (const [name, member] of spot.at(list).members) {
      resourceName(member, name);
      amount(member, name);
    }
};

function hostNetwork(list: Spot, isPod: boolean): void {
  for (const container of list.items)
    for (const port of container.at("ports").items) {
      const hostPort = port.at("hostPort");
      if ((isPod || !hostPort.isEmpty) && hostPort.number !== port.at("containerPort").number)
        hostPort.invalid("must match `containerPort` when `hostNetwork` is true", hostPort.number);
    }
}

const searchDomain: Rule = (spot) => {
  const text = spot.text.replace(/\.$/, "");
  if (spot.text === "." || (/^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/.test(text) && text.length <= 253))
    return;
  spot.invalid(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an " +
      "alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
    text,
  );
};

function dnsConfig(spot: Spot, policy: string): void {
  const servers = spot.at("nameservers");
  if (policy === "None") {
    if (!spot.isSet) return spot.required("must provide `dnsConfig` when `dnsPolicy` is None");
    if (servers.isEmpty) return servers.required("must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (servers.items.length > 3) servers.invalid("must not have more than 3 nameservers");
  each(ipAddress)(servers);
  const searches = spot.at("searches");
  if (searches.items.length > 32) searches.invalid("must not have more than 32 search paths");
  if (searches.items.map(({ text }) => text).join(" ").length > 2048)
    searches.invalid("must not have more than 2048 characters (including spaces) in the search list");
  each(searchDomain)(searches);
  for (const option of spot.at("options").items) if (option.at("name").isEmpty) option.required("must not be empty");
}

function schedulingGates(spot: Spot): void {
  const seen = new Set<string>();
  for (const gate of spot.items) {
    const name = gate.at("name").named(gate.path);
    qualifiedName(name);
    if (seen.has(name.text)) name.duplicate();
    seen.add(name.text);
  }
}

function hostUsers(spec: Spot): void {
  if (spec.get("hostUsers") !== false) return;
  for (const field of ["hostNetwork", "hostPID", "hostIPC"])
    if (spec.get(field) === true) spec.at(field === "hostNetwork" ? field : field.replace("h", "H")).forbidden("when `hostUsers` is false");
}

function hostnameOverride(spec: Spot): void {
  const spot = spec.at("hostnameOverride");
  if (!spot.isSet) return;
  if (spec.get("setHostnameAsFQDN") === true) spot.forbidden("may not be specified when setHostnameAsFQDN is true");
  if (spec.get("hostNetwork") === true) spot.forbidden("may not be specified when hostNetwork is true");
  if (spot.text.length > 64) spot.tooLong(64);
  subdomain(spot);
}

export const templateMetadata: Rule = (spot) => {
  labels(spot.within("metadata", "labels").named(`${spot.path}.labels`));
  annotations(spot.within("metadata", "annotations").named(`${spot.path}.annotations`));
};

/** Checks a pod template. */
export const podTemplate: Rule = (spot) => {
  templateMetadata(spot);
  const spec = spot.at("spec");
  podSpec(spec, { name: "", isPod: false });
  if (!spec.at("ephemeralContainers").isEmpty) spec.at("ephemeralContainers").forbidden("ephemeral containers not allowed in pod template");
};

/** Checks rules that apply only to pods. */
export function podOnly(spec: Spot): void {
  if (spec.at("serviceAccountName").isEmpty)
    for (const volume of spec.at("volumes").items)
      for (const source of volume.within("projected", "sources").items)
        if (source.at("serviceAccountToken").isSet)
          source.at("serviceAccountToken").forbidden("must not be specified when serviceAccountName is not set");
  images(spec.at("containers"));
  images(spec.at("initContainers"));
}
