import type { JsonObject } from '../../domain/request/call-request.ts'
import { Alias, ProviderName } from '../../domain/route.ts'
import { vendorOf } from '../../store/control/vendor.ts'
import { type DraftRow, isGiven, type Params, Unmapped } from './draft-row.ts'
import { PARAM_VERDICTS, takeDefaults, takeNumber, takeRetries, takeSeconds } from './entry-params.ts'
import { approximate, exact, manual, type Notes, unsupported, type Verdict } from './notes.ts'
import { namedModel } from './prefixes.ts'
import { factsOfBase, factsOfListed, INFO_VERDICTS, type KnownModels, takeFacts, takePrices } from './registry-row.ts'
import type { HowKept, SourceCredential, SourceModel, Values } from './source.ts'
import type { Variables } from './variables.ts'
import { mapTarget } from './vendor-rows.ts'
import { currentValue, type Environment } from './written-value.ts'

/** One deployment of LiteLLM: an entry of a chain, or the row that its wildcard stands for. */
export interface Deployment {
  alias: string
  place: SourceModel
  row: DraftRow
  model: string
  /** The row's name where the deployment is a wildcard. */
  wildcard: string | null
  entry: JsonObject
  retries: number | null
  weight: number | null
  rpm: number | null
  tpm: number | null
  order: number | null
  mode: string
  /** What is written into the registry for it. */
  registry: JsonObject
  /** Whose prices its row has; null: only its own. */
  vendor: string | null
  /** Where it differs from what LiteLLM calls. */
  difference: string | null
  teamId: string | null
  accessGroups: string[]
  id: string | null
}

export interface ModelContext {
  environment: Environment
  credentials: readonly SourceCredential[]
  known: KnownModels
  notes: Notes
  variables: Variables
  /** `default_litellm_params` of the router. */
  shared: Values
  sharedKept: HowKept | undefined
}

/** An organization for each of a list; everything else as it is. */
export function withOneOrganization(model: SourceModel): SourceModel[] {
  const { organization } = model.params
  if (!Array.isArray(organization)) return [model]
  return organization.map((each) => ({ ...model, params: { ...model.params, organization: each } }))
}

/** Null: left out, and said. */
export function readDeployment(source: SourceModel, context: ModelContext): Deployment | null {
  const noted: [string, Verdict, SourceModel | SourceCredential][] = []
  try {
    const deployment = read(source, context, (key, verdict, place = source) => noted.push([key, verdict, place]))
    for (const [key, verdict, place] of noted) context.notes.add(place, key, verdict)
    return deployment
  } catch (error) {
    if (!(error instanceof Unmapped)) throw error
    context.notes.add(source, '', { ...error.verdict, message: error.message })
    return null
  }
}

type Note = (key: string, verdict: Verdict, place?: SourceModel | SourceCredential) => void

function read(source: SourceModel, context: ModelContext, note: Note): Deployment {
  const { info } = source
  const { environment, known } = context
  checkEnvironment(info, environment)
  const params = paramsOf(source, context, note)
  const noteInfo = (key: string, verdict: Verdict) => note(`model_info.${key}`, verdict)
  const full = currentValue(params.values['model'], environment)
  if (typeof full !== 'string') throw new Unmapped('model', manual('is missing, or its variable is not set now'))
  const { prefix, model } = namedModel(full, params.values['custom_llm_provider'], params.values['api_base'])
  const wildcard = wildcardOf(source.name, model)
  const target = mapTarget(params, prefix, model)
  const dropped = dropParams(params, target.row.definition)
  const row = { ...target.row, definition: { ...target.row.definition, ...dropped } }
  const vendor = vendorOfRow(row.definition)
  const shipped = known.find(vendor, target.model)
  const registry = {
    ...baseFacts(info, known, noteInfo),
    ...takePrices(params, info, noteInfo),
    ...takeFacts(info, noteInfo, shipped),
  }
  const listed = registry['input_per_mtok'] === undefined ? (known.listed(full) ?? known.listed(model)) : undefined
  const team = info['team_id']
  const publicName = info['team_public_model_name']
  const alias = typeof publicName === 'string' ? publicName : source.name
  if (wildcard === null && !Alias.safeParse(alias).success) {
    throw new Unmapped(
      'model_name',
      manual('an alias here is 1 to 256 printable characters without a space at its ends'),
    )
  }
  const deployment = {
    ...{ alias, place: source, row, model: target.model, wildcard, vendor, difference: target.difference },
    registry: listed === undefined ? registry : { ...factsOfListed(listed), ...registry },
    mode: String(info['mode'] ?? shipped?.facts.mode ?? (/embed/.test(target.model) ? 'embedding' : 'chat')),
    ...entryOf(params, info, noteInfo),
    teamId: typeof team === 'string' ? team : null,
    accessGroups: Array.isArray(info['access_groups']) ? info['access_groups'].map(String) : [],
    id: typeof info['id'] === 'string' ? info['id'] : null,
  }
  for (const [key, verdict] of Object.entries(INFO_VERDICTS)) if (isGiven(info[key])) noteInfo(key, verdict)
  for (const key of Object.keys(params.values)) {
    const verdict =
      PARAM_VERDICTS[key] ?? (/^(vector_store|prompt)_/.test(key) ? unsupported('has no counterpart') : null)
    if (verdict !== null) params.note(key, verdict)
  }
  return deployment
}

function checkEnvironment(
  { supported_environments: list }: Values,
  { LITELLM_ENVIRONMENT: current }: Environment,
): void {
  if (!Array.isArray(list) || list.includes(current)) return
  throw new Unmapped(
    'model_info',
    exact(null, `it is for ${list.join(', ')}, and LITELLM_ENVIRONMENT is not one of them`),
  )
}

/** What the deployment leaves open is taken from its credential, then from the router's defaults. */
function paramsOf(source: SourceModel, context: ModelContext, note: Note): Params {
  const { environment, credentials, variables, shared, sharedKept } = context
  const name = source.params['litellm_credential_name']
  const found = isGiven(name) ? credentials.filter((each) => each.name === name) : []
  if (isGiven(name) && found.length !== 1) {
    const why = found.length === 0 ? 'is in no credential_list' : 'is in credential_list twice'
    throw new Unmapped('litellm_credential_name', manual(`${why}: name one that is there exactly once`))
  }
  const [credential] = found
  const own = Object.fromEntries(Object.entries(source.params).filter(([, value]) => value !== null))
  const values: Values = { ...shared, ...credential?.values, ...own }
  const full = String(currentValue(values['model'], environment) ?? '')
  const owner = namedModel(full, values['custom_llm_provider'], values['api_base']).prefix ?? 'provider'
  return {
    values,
    environment,
    need: variables.need,
    keep: (secret, field, kept) => variables.keep(secret, `${owner}_${field}`, kept),
    kept: keptOf([
      [own, source.kept],
      [credential?.values, credential?.kept],
      [shared, sharedKept],
    ]),
    note(key, verdict) {
      const [first = ''] = key.split('.')
      if (first in own) return note(`litellm_params.${key}`, verdict)
      if (credential !== undefined && first in credential.values) note(`credential_values.${key}`, verdict, credential)
    },
  }
}

/** As the first that has the key keeps it. */
function keptOf(places: readonly (readonly [Values | undefined, HowKept | undefined])[]): HowKept {
  return (key) => {
    const [name = ''] = key.split('.')
    const kept = places.find(([values]) => values !== undefined && name in values)?.[1]
    return kept?.(name) ?? 'written in clear in the file'
  }
}

/** `x/*` → `x`; null: no wildcard. */
function wildcardOf(name: string, model: string): string | null {
  if (!name.includes('*') && !model.includes('*')) return null
  if (name === '*')
    throw new Unmapped(
      'model',
      unsupported('a name for every model is not possible: add routes, or a row for each provider', 'tighter'),
    )
  const [provider = '', ...rest] = name.split('/')
  if (rest.length === 0 || !model.includes('*')) {
    throw new Unmapped(
      'model',
      manual('wildcards need the name of a provider and a slash: add routes instead', 'tighter'),
    )
  }
  if (ProviderName.safeParse(provider).success) return provider
  throw new Unmapped('model', unsupported(`"${provider}" cannot be the name of a provider here`, 'tighter'))
}

function vendorOfRow({ family, preset, base_url: address }: JsonObject): string | null {
  const baseUrl = address === undefined ? null : typeof address === 'string' ? address : 'http://unknown'
  return vendorOf({ family: String(family), baseUrl, ...(typeof preset === 'string' && { preset }) })
}

function dropParams({ values, note }: Params, { family, preset, settings }: JsonObject): JsonObject {
  const dropped = values['additional_drop_params']
  if (!isGiven(dropped)) return {}
  const isPlain = Array.isArray(dropped) && dropped.every((name) => typeof name === 'string' && /^\w+$/.test(name))
  if (!isPlain || (family !== 'openai' && preset === undefined)) {
    note('additional_drop_params', manual('only whole fields can be left out, and only in the format of OpenAI'))
    return {}
  }
  note('additional_drop_params', approximate('settings.drop_params', 'for every model of the row'))
  return { settings: { ...(settings as JsonObject | undefined), drop_params: dropped } }
}

function baseFacts(info: Values, known: KnownModels, note: Params['note']): JsonObject {
  const base = info['base_model']
  if (typeof base !== 'string') return {}
  const facts = factsOfBase(base, known)
  note('base_model', facts === null ? manual(`no price is known of ${base}: set one`) : exact('registry'))
  return facts ?? {}
}

function entryOf(params: Params, info: Values, noteInfo: Params['note']) {
  const [timeout] = ['timeout', 'request_timeout'].flatMap((key) => takeSeconds(params, key, 'timeout_ms') ?? [])
  const idle = takeSeconds(params, 'stream_timeout', 'idle_timeout_ms', 'here it limits the silence inside a stream')
  const [most] = ['max_tokens', 'max_completion_tokens'].flatMap((key) => takeCount(params, key) ?? [])
  const [retries = null] = ['num_retries', 'max_retries'].flatMap((key) => takeRetries(params, key) ?? [])
  const defaults = takeDefaults(params)
  const rate = (key: string) => {
    const value = takeNumber(params, key)
    if (value !== null) params.note(key, approximate('weight', 'only its share of the calls, no ceiling'))
    return value
  }
  const order = takeNumber(params, 'order')
  if (order !== null) params.note('order', exact('place in the chain'))
  const inInfo = takeNumber({ ...params, values: info, note: noteInfo }, 'order')
  if (inInfo !== null) noteInfo('order', exact(order === null ? 'place in the chain' : null))
  return {
    entry: {
      ...(timeout && { timeout_ms: timeout }),
      ...(idle && { idle_timeout_ms: idle }),
      ...(most && { max_output_tokens: most }),
      ...(defaults && { defaults }),
    },
    retries,
    ...{ weight: takeWeight(params), rpm: rate('rpm'), tpm: rate('tpm'), order: order ?? inInfo },
  }
}

/** One that cannot be read is still one: without it the first of a group would take theirs from all others. */
function takeWeight(params: Params): number | null {
  if (!isGiven(params.values['weight'])) return null
  const weight = takeNumber(params, 'weight', 'until then it counts as 0')
  if (weight !== null) params.note('weight', exact('weight'))
  return weight ?? 0
}

function takeCount(params: Params, key: string): number | null {
  const count = takeNumber(params, key)
  if (count === null) return null
  const isCount = Number.isInteger(count) && count >= 1
  params.note(key, isCount ? exact('max_output_tokens') : manual('is not a count of tokens'))
  return isCount ? count : null
}
