import { allOptions, type Command } from './command.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** A script that the shell reads once; it holds every command and option, so completion makes no request. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(commands)
    case 'zsh':
      return zshScript(commands)
    case 'fish':
      return fishScript(commands)
  }
}

/** What may follow the words typed so far, by those words. */
function followers(commands: readonly Command[]): Map<string, string[]> {
  const words = new Map<string, string[]>()
  const add = (after: string, word: string) => words.set(after, [...new Set([...(words.get(after) ?? []), word])])
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ')
    add('', first)
    if (second !== undefined) add(first, second)
    for (const value of command.positionals.flatMap(({ values = [] }) => values)) add(command.name, value)
    for (const option of optionWords(command)) add(command.name, option)
  }
  return words
}

function optionWords(command: Command): string[] {
  return Object.keys(allOptions(command)).map((name) => `--${name}`)
}

/** Values of options that are a list, by command and option. */
function optionValues(commands: readonly Command[]): [string, string[]][] {
  return commands.flatMap((command) =>
    Object.entries(command.options).flatMap(([name, { values }]): [string, string[]][] =>
      values === undefined ? [] : [[`${command.name} --${name}`, [...values]]],
    ),
  )
}

function cases(entries: Iterable<[string, string[]]>, variable: string): string {
  const rows = [...entries].map(([after, words]) => `    '${after}') ${variable}='${words.join(' ')}' ;;`)
  return rows.join('\n')
}

/** The shared part of bash and zsh: finds the candidates for the words before the cursor. */
function candidates(commands: readonly Command[]): string {
  const values = optionValues(commands)
  return `  local command="$1 $2" previous="$3" candidates=''
  case "$command" in
${groupCases(commands)}
  esac
  case "$command $previous" in
${cases(
  values.filter(([after]) => after.split(' ').length === 3),
  'candidates',
)}
  esac
  case "$1 $previous" in
${cases(
  values.filter(([after]) => after.split(' ').length === 2),
  'candidates',
)}
  esac`
}

function groupCases(commands: readonly Command[]): string {
  const two = [...followers(commands)].filter(([after]) => after.includes(' '))
  const one = [...followers(commands)].filter(([after]) => !after.includes(' ') && after !== '')
  return [
    cases(two, 'candidates'),
    ...one.map(([after, words]) => `    '${after} '*) candidates='${words.join(' ')}' ;;`),
    `    *) candidates='${(followers(commands).get('') ?? []).join(' ')}' ;;`,
  ].join('\n')
}

function bashScript(commands: readonly Command[]): string {
  return `# bash completion of switchyard:  source <(switchyard completion bash)
_switchyard_candidates() {
${candidates(commands)}
  printf '%s' "$candidates"
}
_switchyard() {
  local current="\${COMP_WORDS[COMP_CWORD]}" first='' second='' previous=''
  [ "$COMP_CWORD" -gt 1 ] && first="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -gt 2 ] && second="\${COMP_WORDS[2]}"
  [ "$COMP_CWORD" -gt 1 ] && previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=($(compgen -W "$(_switchyard_candidates "$first" "$second" "$previous")" -- "$current"))
}
complete -o default -F _switchyard switchyard
`
}

function zshScript(commands: readonly Command[]): string {
  return `#compdef switchyard
# zsh completion of switchyard:  source <(switchyard completion zsh)
_switchyard_candidates() {
${candidates(commands)}
  printf '%s' "$candidates"
}
_switchyard() {
  local first='' second='' previous=''
  (( CURRENT > 2 )) && first="\${words[2]}"
  (( CURRENT > 3 )) && second="\${words[3]}"
  (( CURRENT > 2 )) && previous="\${words[CURRENT-1]}"
  compadd -- \${=$(_switchyard_candidates "$first" "$second" "$previous")} || _files
}
compdef _switchyard switchyard
`
}

function fishScript(commands: readonly Command[]): string {
  const lines = ['# fish completion of switchyard:  switchyard completion fish | source', 'complete -c switchyard -f']
  const firsts = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  lines.push(`complete -c switchyard -n __fish_use_subcommand -a '${firsts.join(' ')}'`)
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ')
    const inFirst = `__fish_seen_subcommand_from ${first}`
    if (second !== undefined) lines.push(`complete -c switchyard -n '${inFirst}' -a '${second}'`)
    const inCommand = second === undefined ? inFirst : `${inFirst}; and __fish_seen_subcommand_from ${second}`
    for (const [name, { short, type, values }] of Object.entries(allOptions(command))) {
      const flags = [`-l ${name}`, short === undefined ? '' : `-s ${short}`, type === 'string' ? '-r' : '']
      const list = values === undefined ? '' : `-a '${values.join(' ')}'`
      lines.push(`complete -c switchyard -n '${inCommand}' ${[...flags, list].filter((flag) => flag !== '').join(' ')}`)
    }
  }
  return `${lines.join('\n')}\n`
}
