/** Kubernetes' library `authz`: the variables `authorizer` and `authorizer.requestResource` of admission expressions. */
import { dns1123LabelProblems, dns1123SubdomainProblems } from "@treadle/apimachinery";
import type { Library } from "../overloads.ts";
import { plain, type Type } from "../types.ts";
import { CelError, Opaque } from "../values.ts";

/** A question about the rights of the user of the request, or of a ServiceAccount. */
export interface RightsQuestion {
  readonly account?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  /** A path that is not a resource. */
  readonly path?: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Answers a question about rights. */
export type AskRights = (question: RightsQuestion) => { readonly isAllowed: boolean; readonly reason: string };

const NAMESPACE = "kubernetes.authorization";
export const AUTHORIZER: Type = plain(`${NAMESPACE}.Authorizer`);
export const RESOURCE_CHECK: Type = plain(`${NAMESPACE}.ResourceCheck`);

/** A part of a question, as an expression builds it. Each step makes a new one. */
export class Rights extends Opaque {
  readonly typeName: string;
  readonly ask: AskRights;
  readonly question: RightsQuestion;

  constructor(step: string, ask: AskRights, question: Partial<RightsQuestion> = {}) {
    super();
    this.typeName = `${NAMESPACE}.${step}`;
    this.ask = ask;
    this.question = { verb: "", group: "", resource: "", subresource: "", namespace: "", name: "", ...question };
  }

  with(step: string, question: Partial<RightsQuestion>): Rights {
    return new Rights(step, this.ask, { ...this.question, ...question });
  }

  equals(other: Opaque): boolean {
    return other instanceof Rights && JSON.stringify(other.question) === JSON.stringify(this.question);
  }
}

class Verdict extends Opaque {
  readonly typeName = `${NAMESPACE}.Decision`;
  readonly isAllowed: boolean;
  readonly reason: string;

  constructor({ isAllowed, reason }: ReturnType<AskRights>) {
    super();
    this.isAllowed = isAllowed;
    this.reason = reason;
  }

  equals(other: Opaque): boolean {
    return other instanceof Verdict && other.isAllowed === this.isAllowed && other.reason === this.reason;
  }
}

const [DECISION, RESOURCE, GROUP, PATH] = ["Decision", "ResourceCheck", "GroupCheck", "PathCheck"].map((name) => `${NAMESPACE}.${name}`);

export const authorizer: Library = {
  path: {
    [`.${NAMESPACE}.Authorizer, string -> ${PATH}`]: (of: Rights, path: string) => of.with("PathCheck", { path: given("path", path) }),
  },
  group: { [`.${NAMESPACE}.Authorizer, string -> ${GROUP}`]: (of: Rights, group: string) => of.with("GroupCheck", { group }) },
  serviceAccount: {
    [`.${NAMESPACE}.Authorizer, string, string -> ${NAMESPACE}.Authorizer`]: (of: Rights, namespace: string, name: string) => {
      if (dns1123SubdomainProblems(name).length > 0) throw new CelError("Invalid service account name");
      if (dns1123LabelProblems(namespace).length > 0) throw new CelError("Invalid service account namespace");
      return of.with("Authorizer", { account: { namespace, name } });
    },
  },
  resource: {
    [`.${GROUP}, string -> ${RESOURCE}`]: (of: Rights, resource: string) =>
      of.with("ResourceCheck", { resource: given("resource", resource) }),
  },
  subresource: part("subresource"),
  namespace: part("namespace"),
  name: part("name"),
  // The authorizer in memory ignores selectors.
  fieldSelector: { [`.${RESOURCE}, string -> ${RESOURCE}`]: (of: Rights) => of },
  labelSelector: { [`.${RESOURCE}, string -> ${RESOURCE}`]: (of: Rights) => of },
  check: { [`.${RESOURCE}, string -> ${DECISION}`]: decide, [`.${PATH}, string -> ${DECISION}`]: decide },
  errored: { [`.${DECISION} -> bool`]: () => false },
  error: { [`.${DECISION} -> string`]: () => "" },
  allowed: { [`.${DECISION} -> bool`]: (of: Verdict) => of.isAllowed },
  reason: { [`.${DECISION} -> string`]: (of: Verdict) => of.reason },
};

function part(field: "subresource" | "namespace" | "name"): Library[string] {
  return { [`.${RESOURCE}, string -> ${RESOURCE}`]: (of: Rights, value: string) => of.with("ResourceCheck", { [field]: value }) };
}

function decide(of: Rights, verb: string): Verdict {
  return new Verdict(of.ask({ ...of.question, verb }));
}

function given(what: string, text: string): string {
  if (text.trim() === "") throw new CelError(`${what} must not be empty`);
  return text;
}
