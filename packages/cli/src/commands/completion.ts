import type { CommandDeclaration } from "./command.ts";

/** `treadle completion`. */
export const completion: CommandDeclaration = {
  name: "completion",
  summary: "write the script that completes commands in a shell",
  description:
    "Writes the script by which a shell completes commands, flags and their values. For explain and tree it completes kinds and names of the " +
    "cluster as well.",
  argument: { syntax: "<shell>", description: "the shell", choices: ["bash", "zsh", "fish"] },
  flags: [],
  isOnCluster: false,
  examples: [
    { line: "completion bash > ~/.treadle.bash", does: "then add to ~/.bashrc: source ~/.treadle.bash" },
    { line: "completion zsh > ~/.treadle.zsh", does: "then add to ~/.zshrc, after compinit: source ~/.treadle.zsh" },
    { line: "completion fish > ~/.config/fish/completions/treadle.fish", does: "fish finds it there" },
  ],
  run: async ([shell = ""], _, terminal) => (await import("../completion/run.ts")).runCompletion(shell, terminal),
};
