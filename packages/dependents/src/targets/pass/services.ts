/** What identifies a step of an owner at its target, and what its connection needs. */
import { apiVersionOf } from "@treadle/apimachinery";
import type { DependentPass } from "../../extension/data.ts";
import type { TargetServices } from "../types.ts";

/** Returns the key of the owner and a step: for connections, watches and slots. */
export function targetKeyOf({ handler, object }: Pick<DependentPass, "handler" | "object">, step: string): string {
  const { kind } = handler;
  return `${apiVersionOf(kind)}/${kind.kind} ${object.metadata.uid ?? ""} ${step}`;
}

/** Returns the services of the operator for connections. */
export function servicesOf({
  pass,
  name,
}: {
  readonly pass: Pick<DependentPass, "client" | "clock" | "shared">;
  readonly name: string;
}): TargetServices {
  return { shared: (key, make) => pass.shared(key, make), client: pass.client, clock: pass.clock, name };
}
