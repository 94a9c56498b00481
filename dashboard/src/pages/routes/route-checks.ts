import type { Item } from '../../api/client.ts'
import { type Draft, type DraftEntry, defaultsProblem, nameOf } from './route-draft.ts'

/** What the gateway would say, said before it is asked. The names of the fields are the gateway's. */
export interface Problems {
  alias?: string
  defaults?: string
  /** By the id of the entry. */
  entries: ReadonlyMap<number, EntryProblems>
}

interface EntryProblems {
  provider?: string
  model?: string
  defaults?: string
}

/** As the gateway has it (src/domain/route.ts); a test holds both together. */
const UNPRINTABLE = '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff'
const ALIAS = new RegExp(`^(?!\\s)[^*${UNPRINTABLE}]{1,256}(?<!\\s)$`)

export function problemsOf(draft: Draft, taken: ReadonlySet<string>): Problems {
  const alias = aliasProblem(draft.alias, taken)
  const entries = new Map<number, EntryProblems>()
  for (const entry of draft.chain) {
    const problem = {
      ...(entry.provider === '' ? { provider: 'Choose a provider' } : {}),
      ...(entry.model.trim() === '' ? { model: 'Choose or type a model' } : {}),
      ...badDefaults(entry),
    }
    if (Object.keys(problem).length > 0) entries.set(entry.id, problem)
  }
  return { ...(alias === undefined ? {} : { alias }), ...badDefaults(draft), entries }
}

function badDefaults({ defaults }: { defaults: string }): { defaults?: string } {
  const problem = defaultsProblem(defaults)
  return problem === null ? {} : { defaults: problem }
}

function aliasProblem(alias: string, taken: ReadonlySet<string>): string | undefined {
  if (alias === '') return 'Enter an alias'
  if (!ALIAS.test(alias)) return 'Use 1 to 256 printable characters without *, and no spaces at the ends'
  if (taken.has(alias)) return `The route '${alias}' already exists`
  return undefined
}

export function hasProblems({ alias, defaults, entries }: Problems): boolean {
  return alias !== undefined || defaults !== undefined || entries.size > 0
}

/** What the registry and the catalog know of a model that an entry names. */
export type KnownModel = Pick<
  Item<'catalog.list'>['chain'][number],
  | 'model'
  | 'mode'
  | 'input_per_mtok'
  | 'cached_input_per_mtok'
  | 'output_per_mtok'
  | 'context_window'
  | 'max_output_tokens'
  | 'deprecated'
  | 'shutdown_date'
>

/** What is allowed and still worth a second look. */
export function warningsOf(entry: DraftEntry, draft: Draft, known: KnownModel | undefined): string[] {
  if (entry.provider === '' || entry.model.trim() === '') return []
  const warnings: string[] = []
  const place = draft.chain.indexOf(entry)
  const twin = draft.chain.findIndex((other) => nameOf(other) === nameOf(entry))
  if (twin < place) warnings.push(`Same as entry ${twin + 1}: it only adds retries`)
  if (known === undefined || known.mode === null) {
    warnings.push('Not in the registry: its calls will have no known cost')
  } else if (known.input_per_mtok === null || known.output_per_mtok === null) {
    warnings.push('No price is set: its calls will have no known cost')
  }
  if (known?.mode != null && known.mode !== 'chat') warnings.push(`Its mode is ${known.mode}: it can’t answer chats`)
  if (known?.shutdown_date != null) warnings.push(`Deprecated: it shuts down on ${known.shutdown_date}`)
  else if (known?.deprecated) warnings.push('Deprecated: no shutdown date is known')
  return warnings
}

/** The models of a provider that there are to choose from: the registry's and those the provider listed itself. */
export function modelsOf(
  provider: string,
  registry: readonly (KnownModel & { aliases: readonly string[] })[],
  catalog: readonly Item<'catalog.list'>[],
): ReadonlyMap<string, KnownModel> {
  const models = new Map<string, KnownModel>()
  for (const { kind, chain } of catalog) {
    const entry = chain[0]
    if (kind === 'direct' && entry?.provider === provider) models.set(entry.model, entry)
  }
  for (const row of registry) {
    models.set(row.model, row)
    for (const alias of row.aliases) if (models.get(alias)?.mode == null) models.set(alias, { ...row, model: alias })
  }
  return models
}
