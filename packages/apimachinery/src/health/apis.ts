/** What adds kinds to a server: CustomResourceDefinitions and APIServices. */
import { messageOf, reasonOf } from "./common.ts";
import { conditionAt } from "./fields.ts";
import { failed, type Health, pending, READY, type Subject } from "./verdict.ts";

export function customResourceDefinition({ conditions }: Subject): Health {
  const names = conditionAt(conditions, "NamesAccepted");
  if (names?.status === "False") return failed(reasonOf(names, "NamesNotAccepted"), messageOf(names));
  const established = conditionAt(conditions, "Established");
  if (established?.status === "False" && established.reason !== "Installing")
    return failed(reasonOf(established, "NotEstablished"), messageOf(established));
  if (established?.status === "True" && names?.status === "True") return READY;
  return pending("Installing", "the server does not serve its kind yet");
}

export function apiService({ conditions }: Subject): Health {
  const available = conditionAt(conditions, "Available");
  if (available?.status === "True") return READY;
  return available === undefined
    ? pending("NotAvailable", "the server has not reached its API yet")
    : pending(reasonOf(available, "NotAvailable"), messageOf(available));
}
