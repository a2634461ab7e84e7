/**
 * The scripts of `treadle completion`. They are small: the program itself knows what fits. Each calls the program that the user typed, with the
 * words up to the cursor, and reads what reply.ts writes. None needs a package such as bash-completion.
 */

/** Bash 3.2, which macOS has, lacks `compopt`: it then shows files where nothing else fits. */
const BASH = `# Completion of treadle for bash. Add this line to ~/.bashrc: source <(treadle completion bash)
_treadle() {
  local line what=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $what ]]; then what=$line; else COMPREPLY+=("$line"); fi
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case $what in
    files) ;;
    folders) compopt +o default -o dirnames 2>/dev/null || : ;;
    parts) compopt +o default -o nospace 2>/dev/null || : ;;
    *) compopt +o default 2>/dev/null || : ;;
  esac
}
complete -o default -F _treadle treadle
`;

const ZSH = `#compdef treadle
# Completion of treadle for zsh. Add this line to ~/.zshrc, after compinit: source <(treadle completion zsh)
_treadle() {
  local what line tab=$'\\t'
  local -a reply shown space
  reply=("\${(@f)$("\${(e)~words[1]}" __complete zsh -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  what=$reply[1]
  case $what in
    files) compset -P '--*='; _files; return ;;
    folders) compset -P '--*='; _files -/; return ;;
    parts) space=(-S '') ;;
  esac
  for line in "\${(@)reply[2,-1]}"; do
    if [[ $line == *$tab* ]]; then
      shown+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}")
    else
      shown+=("\${line//:/\\\\:}")
    fi
  done
  (( $#shown )) && _describe -t treadle treadle shown $space
}
if [[ $funcstack[1] == _treadle ]]; then _treadle "$@"; else compdef _treadle treadle; fi
`;

const FISH = `# Completion of treadle for fish. Write it once: treadle completion fish > ~/.config/fish/completions/treadle.fish
function __treadle_complete
    set -l words (commandline -opc)
    set -l part (commandline -ct)
    set -l before (string match -r -- '^--[^=]+=' "$part")
    set -l path (string replace -r -- '^--[^=]+=' '' "$part")
    set -l reply ($words[1] __complete fish -- $words[2..-1] "$part" 2>/dev/null)
    switch "$reply[1]"
        case files
            __fish_complete_path "$path" | string replace -r -- '^' "$before"
        case folders
            __fish_complete_directories "$path" '' | string replace -r -- '^' "$before"
        case '*'
            string join \\n -- $reply[2..-1]
    end
end
complete -c treadle -e
complete -c treadle -f -a '(__treadle_complete)'
`;

/** The script of each shell. */
export const SCRIPTS: Readonly<Record<"bash" | "zsh" | "fish", string>> = { bash: BASH, zsh: ZSH, fish: FISH };
