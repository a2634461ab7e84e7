/** The cleanup of a set whose objects are in a target, and its release. */
import type { Wait } from "@treadle/reconcile";
import { leaveAll, wayTo } from "../../targets/pass/leave-target.ts";
import { titleOfTarget } from "../../targets/pass/stored-target.ts";
import { clientOfFormer, formerPlace } from "../../targets/pass/target-place.ts";
import type { SetDefinition } from "../definition.ts";
import { definesKinds } from "../plan/own-kinds.ts";
import { releaseDefinitions } from "./cleanup.ts";
import { runOf, type SetCleanupReq } from "./run.ts";
import { kindOfStored } from "./state.ts";
import { targetStepOf } from "./target-step.ts";

/** Runs the cleanup of a set whose objects are in a target. @throws the errors of the operator's own API server */
export async function cleanUpAtTarget(definition: SetDefinition, req: SetCleanupReq): Promise<Wait | undefined> {
  return await leaveAll(targetStepOf(runOf(definition, req)));
}

/** Runs when the operator is removed and the owner stays. @throws the errors of both API servers */
export async function releaseAtTarget(definition: SetDefinition, req: SetCleanupReq): Promise<undefined> {
  const here = runOf(definition, req);
  const { target, kinds } = here.state;
  if (target === undefined || !Object.entries(kinds).some(([key, kind]) => definesKinds(kindOfStored(key, kind)))) return undefined;
  const way = await wayTo(targetStepOf(here), target);
  if (way.type === "none") throw new Error(`cannot release CRDs in ${titleOfTarget(target)}: ${way.why}`);
  await releaseDefinitions(
    runOf(definition, req, { place: formerPlace(clientOfFormer(req, way.held), way.held.connection.client), target: undefined }),
  );
  return undefined;
}
