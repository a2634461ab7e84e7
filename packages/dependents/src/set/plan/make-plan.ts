/** Makes the plan of a set: once for what was rendered, and again when a kind appears or disappears. */
import { apiVersionOf, groupKindOf, type Kind, keyOf, parseApiVersion } from "@treadle/apimachinery";
import { called } from "../../core/ask.ts";
import { digestOf } from "../../core/body.ts";
import type { SeenInputs } from "../../core/inputs.ts";
import { resolveAfter } from "./after.ts";
import { alsoGuardsOf } from "../definition.ts";
import { isGuarded } from "./guarded-kinds.ts";
import type { GuardedKind } from "../types.ts";
import { readPolicies, withoutMarks } from "../policies/annotations.ts";
import { policyOf } from "./core-policy.ts";
import { checkMembers, OWNER_PROBLEM } from "./checks.ts";
import { kindStateOf } from "./kind-table.ts";
import { defaultId, type Manifest, type Member, memberKey, POLICIES_SUFFIX } from "./member.ts";
import { type Position, positionsOf } from "./order.ts";
import { definedKinds, definesKinds, type OwnKinds } from "./own-kinds.ts";
import { DEFAULT_POLICIES, type SetPolicies } from "../policies/policies.ts";
import { policiesNote } from "../policies/policies-note.ts";
import { policiesOf } from "../policies/policy-levels.ts";
import { type ReadObject, readRendered } from "./read-rendered.ts";
import type { Plan, PlannedMember } from "./plan.ts";
import type { Run } from "../pass/run.ts";
import type { SetProblem } from "./set-problem.ts";
import { policiesFor, switchesOf, switchProblems } from "./switches.ts";

/** What the custom resource requests of the plan. */
export interface PlanRequest {
  readonly inputs: string;
  readonly policies: SetPolicies;
  /** The namespace of objects that name none. */
  readonly namespace: string | undefined;
}

/** Makes the plan of rendered objects. Problems of single objects are in the plan. */
export function planOf(run: Run, objects: readonly unknown[], request: PlanRequest): Plan {
  const problems: SetProblem[] = [];
  const manifests = objects.flatMap((each, index) => {
    try {
      const where = `object ${index} of set "${run.definition.name}"`;
      return [{ ...called(where, () => readRendered(each, where)), index }];
    } catch (error) {
      problems.push({ member: undefined, message: error instanceof Error ? error.message : String(error) });
      return [];
    }
  });
  const own = definedKinds(manifests.map(({ manifest }) => manifest));
  const guarded = alsoGuardsOf(run.definition, run.context.owner);
  const made = manifests.flatMap((each) => {
    const { member, problems: found } = memberOf(run, each, { request, own, guarded });
    problems.push(...found);
    return member === undefined ? [] : [member];
  });
  const members = resolveAfter(made, request.namespace) as readonly PlannedMember[]; // The same members, with other policies.
  problems.push(
    ...checkMembers(members, { owner: run.context.owner, own, isRemote: run.target?.secret !== undefined, order: run.definition.order }),
  );
  const token = Object.freeze({}) as SeenInputs; // Only its identity counts.
  return {
    inputs: request.inputs,
    rendered: objects,
    digest: digestOf(
      members.map(({ key, body, policies, config: { id: _id, state: _state, ...switches } }) => [
        key,
        body,
        policies,
        ...(Object.keys(switches).length === 0 ? [] : [switches]),
      ]),
    ),
    members,
    byKey: new Map(members.map((member) => [member.key, member])),
    positions: positionsOf(members, run.definition.order) as readonly Position<PlannedMember>[], // Of the same members.
    kinds: statesOf(run, members),
    own,
    // They quote keys and names, and a renderer may have taken these from a Secret.
    problems: problems.map((problem) => ({ ...problem, message: run.pass.hide(problem.message) })),
    shared: { seen: () => token, isSameInput: (seen) => seen === token, isSameQuestion: (seen) => seen === token },
  };
}

/** How the operator sees each kind of the members. */
function statesOf(run: Run, members: readonly PlannedMember[]): Plan["kinds"] {
  const kinds = new Map(members.map(({ kind }) => [groupKindOf(kind), kind]));
  return new Map([...kinds].map(([key, kind]) => [key, kindStateOf(run, { apiVersion: apiVersionOf(kind), kind: kind.kind }, kind)]));
}

interface Made {
  readonly member: PlannedMember | undefined;
  readonly problems: readonly SetProblem[];
}

function memberOf(
  run: Run,
  { manifest, config, index }: ReadObject & { readonly index: number },
  { request, own, guarded }: { readonly request: PlanRequest; readonly own: OwnKinds; readonly guarded: readonly GuardedKind[] },
): Made {
  const { definition, context, pass } = run;
  const guess = own.kindOf(manifest);
  const kindState = kindStateOf(run, manifest, guess);
  if (kindState.type === "unlisted") return { member: undefined, problems: [unlistedProblem(run, manifest, kindState.message)] };
  const { kind } = kindState;
  const read = readPolicies(manifest.metadata.annotations, { prefixes: [...context.handlerNames, "treadle.dev"] });
  const switches = switchesOf(config);
  const given = policiesOf(read.policies, request.policies, definition.defaults);
  const policies = policiesFor(given, switches);
  const problems = [...read.problems, ...switchProblems(switches, { own: read.policies, adopt: given.adopt })];
  const namespace = kind.scope === "Cluster" ? undefined : (manifest.metadata.namespace ?? request.namespace);
  if (kind.scope === "Namespaced" && namespace === undefined)
    problems.push(`it has no namespace, and neither has its owner: set metadata.namespace, or placement of the set`);
  if (policies.update === "replace" && !definition.replaces)
    problems.push(`its update policy is "replace", which needs the right to update: set replaces: true in the set`);
  const ref = namespace === undefined ? { name: manifest.metadata.name } : { name: manifest.metadata.name, namespace };
  const normalId = defaultId(kind, ref, request.namespace);
  const { namespace: _, ...metadata } = withoutMarks({ ...manifest.metadata, annotations: read.rest }, context.handlerNames);
  const desired: Manifest = { ...manifest, metadata: { ...metadata, ...ref } };
  const isHidden = kindState.type === "watched" && !(switches.isWatched && isReported(run, { kind, namespace, isOwned: switches.isOwned }));
  const member: Member = {
    key: memberKey(kind, ref),
    kind,
    ref,
    desired,
    policies,
    id: config.id ?? normalId,
    config,
    isInstance: guess !== undefined || isGuarded(kind, guarded),
    index,
  };
  const inputs = policies.reconcile === "on-object-or-component-change" ? request.inputs : undefined;
  const above = request.policies.onRemoval ?? definition.defaults.onRemoval ?? DEFAULT_POLICIES.onRemoval;
  const id = member.id === normalId ? undefined : member.id;
  // An object that is not owned carries the label of the step alone.
  const note = switches.isOwned ? policiesNote(policies, { inputs, id, isRemovalNoted: above !== policies.onRemoval }) : undefined;
  const body = bodyOf(desired, {
    note,
    handlerName: context.handlerName,
    finalizer: switches.isOwned && definesKinds(kind) ? pass.handler.finalizers[0] : undefined,
  });
  const policy = policyOf(member, { isWatched: kindState.type === "watched" && !isHidden });
  let digest: string | undefined;
  return {
    member: {
      ...member,
      kindState: isHidden ? { type: "unwatched", kind } : kindState,
      body,
      policy,
      isChecked: switches.isChecked,
      // Neither another name of the handler nor another policy runs an object again.
      digest: () => (digest ??= digestOf([desired, inputs])),
    },
    problems: problems.map((message) => ({ member, message })),
  };
}

/**
 * Whether events of an object of a watched kind lead to passes. Those of an object without marks of the owner are found by its name, which only works for
 * kinds that the set lists.
 */
export function isReported(
  { context, definition }: Run,
  { kind, namespace, isOwned }: { readonly kind: Kind; readonly namespace: string | undefined; readonly isOwned: boolean },
): boolean {
  if (!isOwned && (definition.kinds === undefined || context.isElsewhere)) return false;
  return namespace === undefined || context.cache.covers(kind, namespace);
}

/** The problem of an object whose kind the set does not list. */
function unlistedProblem({ context: { owner } }: Run, manifest: Manifest, message: string): SetProblem {
  const { apiVersion, kind, metadata } = manifest;
  const { name, namespace } = metadata;
  const isOwner =
    isSameKind(owner, manifest) && name === owner.metadata.name && (namespace ?? owner.metadata.namespace) === owner.metadata.namespace;
  if (isOwner) return { member: undefined, message: `${kind} ${name}: ${OWNER_PROBLEM}` };
  const ref = namespace === undefined ? { name } : { name, namespace };
  return { member: undefined, message: `${kind} ${keyOf(ref)}: ${message}`, identity: { apiVersion, kind, ...ref } };
}

function isSameKind(a: Pick<Manifest, "apiVersion" | "kind">, b: Pick<Manifest, "apiVersion" | "kind">): boolean {
  return a.kind === b.kind && parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group;
}

/** The desired state with the marks of a set. */
function bodyOf(
  desired: Manifest,
  {
    note,
    handlerName,
    finalizer,
  }: { readonly note: string | undefined; readonly handlerName: string; readonly finalizer: string | undefined },
): object {
  const { metadata } = desired;
  const annotations = note === undefined ? metadata.annotations : { ...metadata.annotations, [handlerName + POLICIES_SUFFIX]: note };
  const finalizers = finalizer === undefined ? metadata.finalizers : [...new Set([...(metadata.finalizers ?? []), finalizer])];
  return {
    ...desired,
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }), ...(finalizers === undefined ? {} : { finalizers }) },
  };
}

/** Whether the operator sees the kinds of the plan as it did when the plan was made. */
export function isSameKinds(run: Run, { kinds }: Plan): boolean {
  for (const before of kinds.values()) {
    if (before.type === "unlisted") continue;
    const { kind } = before;
    const now = kindStateOf(run, { apiVersion: apiVersionOf(kind), kind: kind.kind }, kind);
    if (now.type !== before.type) return false;
  }
  return true;
}
