/** Changes of modules of a user. Each function returns the new text, or `undefined` if it finds not exactly one place. */
import { isCallOf, listIn, methodCall, nameOf, type Node, nodeAt, nodesIn, rootOf, treeOf } from "./source.ts";

/** Adds an import of one name after the last import. The same import twice is one. */
export function withImport(text: string, name: string, from: string): string | undefined {
  const tree = treeOf(text);
  if (tree === undefined) return undefined;
  const imports = listIn(tree, "body").filter(({ type }) => type === "ImportDeclaration");
  const same = imports.find((each) => nodeAt(each, "source")?.["value"] === from && each["importKind"] !== "type");
  const specifiers = listIn(same, "specifiers").filter(({ type }) => type === "ImportSpecifier");
  if (specifiers.some((each) => nameOf(nodeAt(each, "local")) === name)) return text;
  const lastName = specifiers.at(-1);
  if (lastName !== undefined) return inserted(text, lastName.end, `, ${name}`);
  const line = `import { ${name} } from "${from}";`;
  const last = imports.at(-1);
  return last === undefined ? `${line}${breakOf(text)}${text}` : inserted(text, last.end, `${breakOf(text)}${line}`);
}

/** Adds `.step(name)` at the end of the one chain `handler(kind)...build()`. */
export function withStep(text: string, kind: string, name: string): string | undefined {
  const [receiver, ...others] = handlerChains(text, kind);
  return receiver === undefined || others.length > 0
    ? undefined
    : inserted(text, receiver.end, `${separator(text, receiver)}.step(${name})`);
}

/** Returns the chains before `.build()` that begin with `handler(kind)`. */
export function handlerChains(text: string, kind: string): readonly Node[] {
  const tree = treeOf(text);
  if (tree === undefined) return [];
  return [...nodesIn(tree)].flatMap((node) => {
    const method = methodCall(node);
    if (method?.method !== "build") return [];
    const root = rootOf(node);
    return isCallOf(root, "handler") && nameOf(listIn(root, "arguments")[0]) === kind ? [method.receiver] : [];
  });
}

/** Adds `.add(name)` to the one manager that the module runs: as a statement before `await manager.run()`, or in the chain. */
export function withAdded(text: string, name: string): string | undefined {
  const tree = treeOf(text);
  if (tree === undefined) return undefined;
  const runs = listIn(tree, "body").flatMap((statement) => {
    const method = methodCall(nodeAt(nodeAt(statement, "expression", "AwaitExpression"), "argument"));
    return method?.method === "run" || method?.method === "start" ? [{ statement, receiver: method.receiver }] : [];
  });
  const [run, ...others] = runs.filter(({ receiver }) => isManager(tree, receiver));
  if (run === undefined || others.length > 0) return undefined;
  const manager = nameOf(run.receiver);
  if (manager === undefined) return inserted(text, run.receiver.end, `${separator(text, run.receiver)}.add(${name})`);
  return inserted(text, run.statement.start, `${manager}.add(${name});${breakOf(text)}`);
}

/** Adds a name to the list in the one call `webhookServer([...])`. */
export function withWebhook(text: string, name: string): string | undefined {
  const tree = treeOf(text);
  const calls = tree === undefined ? [] : [...nodesIn(tree)].filter((node) => isCallOf(node, "webhookServer"));
  const list = listIn(calls[0], "arguments")[0];
  if (calls.length !== 1 || list?.type !== "ArrayExpression") return undefined;
  const last = listIn(list, "elements").at(-1);
  return last === undefined ? inserted(text, list.start + 1, name) : inserted(text, last.end, `, ${name}`);
}

/** Returns whether a module certainly defines a kind without an option of `defineResource()`: no spread hides it. */
export function lacksOption(text: string, kind: string, option: string): boolean {
  const tree = treeOf(text);
  const declarations = tree === undefined ? [] : [...nodesIn(tree)].filter(({ type }) => type === "VariableDeclarator");
  const definition = declarations.find((each) => nameOf(nodeAt(each, "id")) === kind && isCallOf(nodeAt(each, "init"), "defineResource"));
  const properties = listIn(listIn(nodeAt(definition, "init"), "arguments")[0], "properties");
  return properties.length > 0 && properties.every((each) => each.type === "Property" && nameOf(nodeAt(each, "key")) !== option);
}

/** Whether it is `createManager()`, with or without calls after it, or a constant of the module with such a value. */
function isManager(tree: Node, receiver: Node): boolean {
  const name = nameOf(receiver);
  if (name === undefined) return isCallOf(rootOf(receiver), "createManager");
  const declarations = listIn(tree, "body").flatMap((statement) => listIn(nodeAt(statement, "declaration") ?? statement, "declarations"));
  return declarations.some((each) => {
    const init = nodeAt(each, "init");
    return nameOf(nodeAt(each, "id")) === name && init !== undefined && isCallOf(rootOf(init), "createManager");
  });
}

/** What is between a call and the dot of the next one: a line break with its indentation, or nothing. */
function separator(text: string, receiver: Node): string {
  return /^\s*(?=\.)/.exec(text.slice(receiver.end))?.[0] ?? "";
}

function breakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function inserted(text: string, at: number, more: string): string {
  return text.slice(0, at) + more + text.slice(at);
}
