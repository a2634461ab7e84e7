/** Validates EndpointSlices. */
import { isIP } from "node:net";
import type { FieldError } from "../../errors/field-errors.ts";
import type { JsonObject } from "../../internal/json.ts";
import { dnsLabel, ipAddress, protocol, publicIp, qualifiedName, subdomain } from "./formats.ts";
import { check, ifGiven, ifSet, mustBeOneOf, type Spot, unchanged } from "./spot.ts";

const TYPES = ["FQDN", "IPv4", "IPv6"];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;

function addresses(endpoint: Spot, type: string): void {
  const list = endpoint.at("addresses");
  if (list.isEmpty) list.required("must contain at least 1 address");
  if (list.items.length > MAX_ADDRESSES) list.tooMany(list.items.length, MAX_ADDRESSES);
  for (const address of list.items) {
    if (type === "FQDN") {
      subdomain(address);
      continue;
    }
    if (!TYPES.includes(type)) continue;
    const before = address.errorCount;
    ipAddress(address);
    if (address.errorCount > before) continue;
    const version = type === "IPv4" ? 4 : 6;
    if (isIP(address.text) === version) publicIp(address);
    else address.named(list.path).invalid(`must be an ${type} address`);
  }
}

export function sliceErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (slice) => {
    const [type, endpoints] = [slice.at("addressType"), slice.at("endpoints")];
    mustBeOneOf(...TYPES)(type);
    if (endpoints.items.length > MAX_ENDPOINTS) endpoints.tooMany(endpoints.items.length, MAX_ENDPOINTS);
    for (const endpoint of endpoints.items) {
      addresses(endpoint, type.text);
      ifSet(dnsLabel)(endpoint.at("hostname"));
      ifSet(subdomain)(endpoint.at("nodeName"));
    }
    const names = new Set<string>();
    for (const port of slice.at("ports").items) {
      const name = port.at("name");
      ifGiven(dnsLabel)(name);
      if (names.has(name.text)) name.duplicate(name.text);
      names.add(name.text);
      protocol(port.at("protocol"));
      ifSet(qualifiedName)(port.at("appProtocol"));
    }
    if (previous !== undefined) unchanged(previous["addressType"])(type);
  });
}

export function sliceWarnings(draft: JsonObject): readonly string[] {
  return draft["addressType"] === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
}
