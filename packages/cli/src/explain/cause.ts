/** Chooses the one finding that explains an object, of all that the rules found around it. Pure. */
import { type Node, nodesOf, type Situation } from "../inspect/situation.ts";
import { type Finding, RANK, type Rule } from "./finding.ts";
import { lifecycleRules } from "./rules/lifecycle.ts";
import { podRules } from "./rules/pods.ts";
import { decisiveCondition, isPointing, statementRules } from "./rules/statements.ts";
import { workloadRules } from "./rules/workloads.ts";

const RULES: readonly Rule[] = [...lifecycleRules, ...podRules, ...workloadRules, ...statementRules];

/** A finding, and how far its object is from the one that the user named. */
export interface Placed {
  readonly finding: Finding;
  readonly depth: number;
  /** From the root to the object of the finding, both included. */
  readonly path: readonly Node[];
}

/** Returns what the rules find on all objects, each object with its findings in the order of the rules. */
export function findingsOf(situation: Situation): readonly Placed[] {
  const found: Placed[] = [];
  const visit = (node: Node, path: readonly Node[]): void => {
    for (const rule of RULES) {
      const finding = rule(node, situation);
      if (finding !== undefined) found.push({ finding, depth: path.length - 1, path });
    }
    for (const child of node.children) visit(child, [...path, child]);
  };
  visit(situation.root, [situation.root]);
  return found;
}

/**
 * Returns the finding that explains the root:
 * 1. what is decisive on the root itself, such as a pause;
 * 2. the cause on the objects that its condition names, or on objects below them;
 * 3. the cause that its own condition quotes;
 * 4. what its condition says, if it is about the object itself: a step that failed;
 * 5. the best of the rest.
 */
export function causeOf(situation: Situation, found: readonly Placed[]): Placed | undefined {
  const { root } = situation;
  const own = found.filter(({ finding }) => finding.node === root);
  const below = found.filter(({ finding }) => finding.node !== root);
  const decisive = own.find(({ finding }) => finding.rank === RANK.decisive);
  if (decisive !== undefined) return decisive;
  const statement = decisiveCondition(root);
  const named = new Set(
    [...nodesOf(root)].filter((node) => node !== root && statement !== undefined && isNamedBy(node, statement.message)),
  );
  const pointed = best(below.filter(({ path }) => path.some((node) => named.has(node))));
  const quoted = own.find(({ finding }) => finding.rank === RANK.cause);
  if (pointed !== undefined && pointed.finding.rank <= RANK.cause) return pointed;
  if (quoted !== undefined) return quoted;
  const deepest = best(below);
  const isAboutOthers = statement === undefined || isPointing(statement) || !situation.isOfTreadle || named.size > 0;
  if (deepest !== undefined && isAboutOthers && deepest.finding.rank <= RANK.symptom) return best([deepest, ...own.filter(isSymptom)]);
  return best([...own, ...(isAboutOthers ? below : [])]);
}

function isSymptom({ finding }: Placed): boolean {
  return finding.rank === RANK.symptom;
}

/** The lowest rank, then the deepest object, then the first one found. */
function best(found: readonly Placed[]): Placed | undefined {
  return found.toSorted((a, b) => a.finding.rank - b.finding.rank || b.depth - a.depth)[0];
}

/** Whether a message is about an object: it has its name as a word, names its step, or repeats its entry. */
function isNamedBy({ name, health, relation }: Node, message: string): boolean {
  if (health.type === "Ready") return false;
  if (relation.type === "dependent") {
    const { step, message: own } = relation.entry;
    if (message.includes(`step ${JSON.stringify(step)}`) || message.startsWith(`${step}: `) || (own !== "" && message.includes(own)))
      return true;
  }
  const at = message.indexOf(name.name);
  return at !== -1 && !/[\w-]/.test(message[at - 1] ?? "") && !/[\w-]/.test(message[at + name.name.length] ?? "");
}

/** Returns the findings that are worth a line besides the cause: causes and symptoms of other objects, each text once. */
export function othersThan(cause: Placed | undefined, found: readonly Placed[]): readonly Finding[] {
  const told = new Set<string>();
  return found
    .filter(({ finding }) => finding.rank <= RANK.symptom)
    .filter((each) => cause === undefined || !isEcho(each, cause))
    .map(({ finding }) => finding)
    .filter(({ clause }) => !told.has(clause) && told.add(clause))
    .slice(0, 5);
}

/** Objects above a cause repeat it or follow from it, and those below it may have the same one. */
function isEcho({ finding, path }: Placed, cause: Placed): boolean {
  const isAbove = cause.path.includes(finding.node);
  const isBelow = path.includes(cause.finding.node);
  return isAbove || (isBelow && (finding.code === cause.finding.code || finding.rank > RANK.cause));
}
