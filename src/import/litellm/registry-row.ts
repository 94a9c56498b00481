import { perClass } from '../../domain/pricing/classes.ts'
import { type ListedModel, listedCount, listedPrice, UnreadableRow } from '../../domain/pricing/lists/listed-model.ts'
import { LITELLM_CAPABILITIES, LITELLM_PRICES, listedTiers } from '../../domain/pricing/lists/litellm-list.ts'
import { listedUnits, mediaTokens, ROUNDED, UNIT_MODES } from '../../domain/pricing/lists/litellm-units.ts'
import type { PriceList, TokenPrices } from '../../domain/pricing/price.ts'
import type { UnitPrice } from '../../domain/pricing/unit-prices.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { BuiltinModel } from '../../store/control/seed-registry.ts'
import { isGiven, type Params, Unmapped } from './draft-row.ts'
import { approximate, exact, manual, unsupported, type Verdict } from './notes.ts'
import type { Values } from './source.ts'

/** What is known of models before the import. */
export interface KnownModels {
  /** Of the shipped registry; a vendor of null: of any. */
  find(vendor: string | null, model: string): BuiltinModel | undefined
  /** Of the price list that was given, by LiteLLM's name of the model. */
  listed(name: string): ListedModel | undefined
}

const PRICE_FIELDS: ReadonlySet<string> = new Set(Object.values(LITELLM_PRICES))

function isPrice(key: string): boolean {
  return /_cost(_|$)/.test(key)
}

function isTokenPrice(key: string): boolean {
  return PRICE_FIELDS.has(key.replace(/_above_\d{1,6}k_tokens$/, ''))
}

/** Of one image, second, character or search. Of a pixel only a size says what an image costs. */
function isUnitPrice(key: string, mode: unknown): mode is string {
  return UNIT_MODES.has(String(mode)) && /^(input|output)_cost_per_(image|second|character|query)$/.test(key)
}

/** Prices of the deployment itself; of both places `litellm_params` wins. */
export function takePrices(params: Params, info: Values, noteInfo: Params['note']): JsonObject {
  const readable: Values = {}
  for (const [key, value] of Object.entries({ ...info, ...params.values })) {
    if (!isPrice(key) || !isGiven(value)) continue
    const isParam = isGiven(params.values[key])
    const note = isParam ? params.note : noteInfo
    if (isParam && isGiven(info[key])) noteInfo(key, exact(null, 'that of litellm_params is used'))
    if (isUnitPrice(key, info['mode'])) {
      note(key, key.endsWith('_second') ? approximate('registry', ROUNDED) : exact('registry'))
      readable[key] = value
    } else if (!isTokenPrice(key)) note(key, unsupported('only prices per token can be set'))
    else if (Number(value) < 0) note(key, manual('is negative: left out'))
    else if (noteIfUnreadable(note, key, value)) readable[key] = value
  }
  const prices = perClass('price', ({ price }) => listedPrice(readable, LITELLM_PRICES[price], 6))
  const units = takeUnits(readable, prices, info['mode'], noteInfo)
  return setPrices({ ...prices, tiers: listedTiers(readable, prices), ...(units.length > 0 && { unit_prices: units }) })
}

/** Of a model that makes or hears media, or ranks: by tokens, otherwise by units. A price of 0 beside another is unknown. */
function takeUnits(readable: Values, prices: TokenPrices, mode: unknown, note: Params['note']): UnitPrice[] {
  if (typeof mode !== 'string' || !UNIT_MODES.has(mode)) return []
  if (Object.values(readable).some((value) => Number(value) > 0)) mediaTokens(prices, mode)
  if (prices.input_per_mtok !== null) return []
  try {
    return listedUnits(readable, mode)
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error
    note('mode', manual(`${error.message}: set a price`))
    return []
  }
}

function noteIfUnreadable(note: Params['note'], key: string, value: unknown): boolean {
  try {
    listedPrice({ [key]: value }, key, 6)
    note(key, exact('registry'))
    return true
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error
    note(key, manual(`${error.message.replace(`${key}: `, '')}: set a price with at most six decimals`))
    return false
  }
}

/** Only what is set: the rest is what the gateway knows. */
function setPrices({ tiers, ...prices }: PriceList): JsonObject {
  const set = Object.entries(prices satisfies TokenPrices).filter(([, price]) => price !== null)
  return { ...Object.fromEntries(set), ...(tiers.length > 0 && { tiers: tiers.map(withoutNulls) }) }
}

function withoutNulls(value: object): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
}

export const SERVED_MODES: ReadonlySet<string> = new Set([
  ...['chat', 'responses', 'embedding', 'completion', 'moderation'],
  ...UNIT_MODES,
])

const COUNTS = ['max_input_tokens', 'max_output_tokens'] as const

/** What the deployment says of its model. */
export function takeFacts(info: Values, note: Params['note'], known: BuiltinModel | undefined): JsonObject {
  const facts: JsonObject = {}
  for (const field of COUNTS) {
    const count = listedCount(info[field])
    if (isGiven(info[field])) note(field, count === null ? manual('is not a count of tokens') : exact('registry'))
    if (count !== null) facts[field] = count
  }
  const longest = listedCount(info['max_tokens'])
  if (longest !== null) {
    note('max_tokens', facts['max_output_tokens'] ? exact(null, 'max_output_tokens is used') : exact('registry'))
    facts['max_output_tokens'] ??= longest
  }
  const able = Object.keys(info).filter((key) => key.startsWith('supports_'))
  for (const key of able) note(key, approximate('registry', 'only adds to what the gateway knows the model can do'))
  const added = able.flatMap((key) => (info[key] === true ? (LITELLM_CAPABILITIES[key] ?? []) : []))
  const before = known?.facts.capabilities ?? []
  if (added.some((each) => !before.includes(each))) facts['capabilities'] = [...new Set([...before, ...added])]
  const { mode } = info
  if (typeof mode === 'string') {
    if (!SERVED_MODES.has(mode))
      throw new Unmapped('mode', unsupported(`models of the mode ${mode} are not served here`))
    note('mode', exact('registry'))
    if (mode !== known?.facts.mode) facts['mode'] = mode
  }
  return facts
}

/** A deployment whose name is not its model's: what the shipped registry knows of that model. */
export function factsOfBase(base: string, { find, listed }: KnownModels): JsonObject | null {
  const plain = base.slice(base.indexOf('/') + 1)
  const model = find(null, base) ?? find(null, plain)
  if (model === undefined) {
    const row = listed(base) ?? listed(plain)
    return row === undefined ? null : factsOfListed(row)
  }
  const { contextWindow, maxOutputTokens, maxInputTokens, capabilities, efforts, mode } = model.facts
  return withoutNulls({
    ...setPrices(model.prices),
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    max_input_tokens: maxInputTokens,
    capabilities,
    efforts,
    mode,
  })
}

export function factsOfListed({ prices, maxInputTokens, maxOutputTokens, mode }: ListedModel): JsonObject {
  return withoutNulls({
    ...setPrices(prices),
    max_input_tokens: maxInputTokens,
    max_output_tokens: maxOutputTokens,
    mode,
  })
}

const NOT_NEEDED = exact(null, 'not needed here')

/** What else `model_info` may say. */
export const INFO_VERDICTS: Readonly<Record<string, Verdict>> = {
  id: approximate(null, 'callers cannot send it as a model; the LiteLLM-shaped API shows it'),
  access_groups: exact(null, 'a key or team that names the group gets its routes'),
  team_id: exact('workspace of the team'),
  team_public_model_name: exact('route'),
  supported_environments: exact(null, 'this environment is in the list'),
  ...Object.fromEntries(
    [
      ...['tier', 'description', 'health_check_model', 'health_check_timeout', 'litellm_provider', 'key', 'db_model'],
      ...[
        'created_at',
        'created_by',
        'updated_at',
        'updated_by',
        'version',
        'source',
        'disable_background_health_check',
      ],
    ].map((key) => [key, NOT_NEEDED]),
  ),
}
