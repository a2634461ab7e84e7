/** Validates the specs of claims, and what volumes and claims have in common. */
import { subdomain } from "./formats.ts";
import { labelSelector } from "./selectors.ts";
import { fields, ifGiven, needed, oneOf, type Rule, type Spot } from "./spot.ts";

const ACCESS_MODES: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

export function accessModes(spot: Spot, detail: string): void {
  if (spot.isEmpty) spot.required(detail);
  for (const mode of spot.items) if (!ACCESS_MODES.includes(mode.text)) spot.notSupported(ACCESS_MODES, mode.text);
  const modes = spot.items.map(({ text }) => text);
  if (modes.includes("ReadWriteOncePod") && modes.length > 1) spot.forbidden("may not use ReadWriteOncePod with other access modes");
}

/** Checks that an amount is more than zero. */
function positiveAmount(spot: Spot): void {
  if (/^-|^0$/.test(spot.text)) spot.invalid("must be greater than zero");
}

const source: Rule = fields({ kind: needed(), name: needed() });

export const claimSpec: Rule = (spot) => {
  accessModes(spot.at("accessModes"), "at least 1 access mode is required");
  labelSelector(spot.at("selector"));
  const storage = spot.within("resources", "requests").get("storage");
  const resources = spot.at("resources");
  if (storage === undefined) resources.named(`${resources.path}[storage]`).required();
  else {
    const request = spot.within("resources", "requests").members.find(([name]) => name === "storage");
    if (request !== undefined) positiveAmount(request[1].named(`${resources.path}[storage]`));
  }
  ifGiven(subdomain)(spot.at("storageClassName"));
  ifGiven(subdomain)(spot.at("volumeAttributesClassName"));
  oneOf("Block", "Filesystem")(spot.at("volumeMode"));
  source(spot.at("dataSourceRef"));
};
