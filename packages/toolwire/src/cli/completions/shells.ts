/** The scripts of the shells. */
import type { Completed, CompletedOption } from './completed.ts'

const flagsOf = ({ name, short }: CompletedOption): string[] => [
  `--${name}`,
  ...(short === undefined ? [] : [`-${short}`]),
]

export function bashScript(all: readonly Completed[]): string {
  const values = all.flatMap(({ name, options }) =>
    options.flatMap(option => {
      if (option.value === 'none') return []
      const pattern = flagsOf(option)
        .map(flag => `'${name} ${flag}'`)
        .join('|')
      const offered = option.value === 'any' ? 'compgen -f' : `compgen -W '${option.value.join(' ')}'`
      return [`    ${pattern}) COMPREPLY=($(${offered} -- "$word")); return ;;`]
    }),
  )
  const words = all.map(({ name, subjects, options }) => {
    const flags = options.flatMap(option => flagsOf(option)).join(' ')
    return `    ${name}) flags='${flags}'; subjects='${subjects.join(' ')}' ;;`
  })
  return `# Completions of toolwire for bash. Put this into ~/.bashrc: source <(toolwire completions bash)
_toolwire() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}"
  local flags='' subjects=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${all.map(({ name }) => name).join(' ')} --help --version' -- "$word"))
    return
  fi
  case "$command $before" in
${values.join('\n')}
  esac
  case "$command" in
${words.join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *)
      COMPREPLY=()
      [ "$COMP_CWORD" -eq 2 ] && COMPREPLY=($(compgen -W "$subjects" -- "$word"))
      [ "\${#COMPREPLY[@]}" -eq 0 ] && COMPREPLY=($(compgen -f -- "$word"))
      ;;
  esac
}
complete -o filenames -F _toolwire toolwire
`
}

/** In the description of an option brackets end it, and colons part what follows. */
const zshText = (text: string): string => text.replace(/[[\]\\:]/g, '\\$&').replaceAll("'", "'\\''")

export function zshScript(all: readonly Completed[]): string {
  const cases = all.map(({ name, subjects, options }) => {
    const specs = options.map(option => {
      const flags = flagsOf(option)
      const what =
        option.value === 'none'
          ? ''
          : option.value === 'any'
            ? `:${option.name}:_files`
            : `:${option.name}:(${option.value.join(' ')})`
      const head = flags.length === 1 ? flags.join('') : `{${flags.join(',')}}`
      return `        ${head}'[${zshText(option.description)}]${what}'`
    })
    const first = subjects.length === 0 ? [] : [`        '1:what:(${subjects.join(' ')})'`]
    return `    ${name})\n      _arguments \\\n${[...specs, ...first, "        '*:file:_files'"].join(' \\\n')}\n      ;;`
  })
  return `#compdef toolwire
# Completions of toolwire for zsh. Put this into ~/.zshrc, after compinit: source <(toolwire completions zsh)
_toolwire() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${all.map(({ name, summary }) => `      '${name}:${zshText(summary)}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _toolwire toolwire
`
}

const fishText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export function fishScript(all: readonly Completed[]): string {
  const lines = all.flatMap(({ name, summary, subjects, options }) => {
    const here = `-n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c toolwire -n __fish_use_subcommand -f -a ${name} -d ${fishText(summary)}`,
      ...(subjects.length === 0
        ? []
        : [
            `complete -c toolwire -n '__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq 2' -a '${subjects.join(' ')}'`,
          ]),
      ...options.map(({ name: option, short, description, value }) => {
        const letter = short === undefined ? '' : ` -s ${short}`
        const what = value === 'none' ? '' : value === 'any' ? ' -r' : ` -x -a '${value.join(' ')}'`
        return `complete -c toolwire ${here} -l ${option}${letter}${what} -d ${fishText(description)}`
      }),
    ]
  })
  return `# Completions of toolwire for fish: toolwire completions fish > ~/.config/fish/completions/toolwire.fish\n${lines.join('\n')}\n`
}
