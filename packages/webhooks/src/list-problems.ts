/** What is wrong with webhooks that one server answers together. */
import { type DefinitionProblem, groupKindOf } from "@treadle/apimachinery";
import { entryName } from "./paths.ts";
import { settledOf, type Webhooks } from "./webhooks.ts";

/** Returns what is wrong with a list of webhooks. */
export function listProblems(webhooks: readonly Webhooks[]): DefinitionProblem[] {
  if (!Array.isArray(webhooks))
    return [{ path: "webhooks", reason: "it is not a list", fix: "Pass a list, also of one: webhookServer([website], { ... })" }];
  const problems: DefinitionProblem[] = [];
  const [entries, converted] = [new Map<string, number>(), new Map<string, number>()];
  for (const [index, each] of webhooks.entries()) {
    const path = `webhooks[${index}]`;
    if (each?.type !== "webhooks") {
      problems.push({ path, reason: "webhooks() did not make it", fix: "Pass what webhooks(Website, { ... }) returned" });
      continue;
    }
    const settled = settledOf(each);
    const { kind, name, convert, on, subresources } = settled;
    const kindName = groupKindOf(kind);
    const same = entries.get(entryName(settled));
    if (same !== undefined) {
      const reason = `it has the name ${entryName(settled)} of webhooks[${same}]`;
      problems.push({
        path,
        reason,
        fix: `Give it another name: webhooks(${kind.kind}, { name: "${name === "" ? "second" : `${name}-2`}", ... })`,
      });
    }
    entries.set(entryName(settled), same ?? index);
    if (Object.keys(convert).length > 0) {
      const first = converted.get(kindName);
      if (first !== undefined)
        problems.push({ path: `${path}.convert`, reason: `webhooks[${first}] converts ${kindName}`, fix: "Convert each kind once" });
      converted.set(kindName, first ?? index);
    }
    if (on.includes("CONNECT") && subresources.length === 0)
      problems.push({
        path: `${path}.on`,
        reason: "CONNECT is an operation of subresources only",
        fix: 'Name them: subresources: ["exec"]',
      });
  }
  return problems;
}
