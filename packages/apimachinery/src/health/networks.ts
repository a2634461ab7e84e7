/** What gives a workload an address: Services and Ingresses. */
import { fieldsAt, listAt, textAt } from "./fields.ts";
import { type Fields, type Health, pending, READY, type Subject } from "./verdict.ts";

export function service({ spec, status }: Subject): Health {
  if (textAt(spec, "type") !== "LoadBalancer" || hasAddress(status)) return READY;
  return pending("NoAddress", "its load balancer has no address yet");
}

export function ingress({ status }: Subject): Health {
  return hasAddress(status) ? READY : pending("NoAddress", "no ingress controller has given it an address yet");
}

function hasAddress(status: Fields): boolean {
  const points = listAt(fieldsAt(status, "loadBalancer"), "ingress");
  return points.some((point) => textAt(point, "ip") !== "" || textAt(point, "hostname") !== "");
}
