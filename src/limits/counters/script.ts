import { createHash } from 'node:crypto'
import { LISTS, type ListName } from './fields.ts'

/** A Lua script, which the server runs atomically. */
export interface Script<Argument extends string = never, Field extends string = string> {
  readonly name: string
  readonly text: string
  readonly sha: string
  readonly takes: readonly Argument[]
  readonly answers: readonly Field[]
}

interface Definition<Argument extends string, Field extends string> {
  name: string
  /** The names of its arguments: variables of the script. */
  takes?: readonly Argument[]
  /** The names of the places in the list that it returns, which is the variable `answer`. */
  answers: readonly Field[]
  /** Parts before it. */
  uses?: readonly string[]
}

/** Variables of the scripts that are lists, by other names than the list's own. */
const ALSO: Readonly<Record<string, ListName>> = { before: 'lease', after: 'lease', limit: 'limits' }

export function defineScript<Argument extends string = never, Field extends string = string>(
  { name, takes = [], answers, uses = [] }: Definition<Argument, Field>,
  body: string,
): Script<Argument, Field> {
  const given = takes.map((argument, place) => `local ${argument} = ARGV[${place + 1}]`)
  const text = withPlaces([...uses, ...given, 'local answer = {}', body].join('\n'), answers)
  return { name, text, sha: createHash('sha1').update(text).digest('hex'), takes, answers }
}

/** `scope.changes` is `scope[20]`, and `SCOPE.changes` is 20. */
function withPlaces(text: string, answers: readonly string[]): string {
  return text.replace(/\b([A-Za-z_]+)\.([a-z_]+)\b/g, (written, variable: string, field: string) => {
    const name = variable.toLowerCase()
    const list = name === 'answer' ? answers : (LISTS as Record<string, readonly string[]>)[ALSO[name] ?? name]
    if (list === undefined) return written
    const place = list.indexOf(field) + 1
    if (place === 0) throw new Error(`a script names ${written}, which is no field`)
    return name === variable ? `${variable}[${place}]` : String(place)
  })
}
