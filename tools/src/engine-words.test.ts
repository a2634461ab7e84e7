import { expect, test } from "vitest";
import { engineWordProblems } from "./engine-words.ts";
import { temporaryWorkspace } from "./temporary-workspace.ts";

test.for([
  {
    name: "the engine may say independent, in every form",
    files: { "packages/reconcile/src/a.ts": "// Independent of the clock, independently\nconst isIndependent = INDEPENDENT;\n" },
    want: [],
  },
  {
    name: "other packages may say dependent",
    files: { "packages/dependents/src/dependent.ts": "dependent", "packages/reconcile/test/a.test.ts": "dependent" },
    want: [],
  },
  {
    name: "the word is found in comments, in names of every spelling and in the names of files",
    files: {
      "packages/controller/src/log.ts": "// of its dependents\n\nconst joinDependent = 1;\n",
      "packages/reconcile/src/internal/dependent-entries.ts": "export {};",
      "packages/reconcile/src/a.ts": "status.DEPENDENT",
    },
    want: [
      "packages/controller/src/log.ts:1: // of its dependents",
      "packages/controller/src/log.ts:3: const joinDependent = 1;",
      "packages/reconcile/src/a.ts:1: status.DEPENDENT",
      'packages/reconcile/src/internal/dependent-entries.ts: the name of the file contains "dependent"',
    ],
  },
])("$name", ({ files, want }) => {
  expect(engineWordProblems(temporaryWorkspace(files))).toEqual(want);
});
