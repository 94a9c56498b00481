import { picodollarsPerToken, type TokenPrices } from '../price.ts'
import { AUDIO_INPUT, AUDIO_OUTPUT, CHARACTER, IMAGE, SEARCH_UNIT, type UnitPrice } from '../unit-prices.ts'
import { shiftedDecimal } from './exact-decimal.ts'
import { type ListedModel, UnreadableRow } from './listed-model.ts'

type Row = Record<string, unknown>

/** The modes whose models are billed by units, or by tokens of media. */
export const UNIT_MODES: ReadonlySet<string> = new Set([
  ...['image_generation', 'audio_transcription', 'audio_speech', 'rerank'],
])

/** Seconds are what the list divided a price per minute or hour to, and rounded. */
export const ROUNDED = 'The price of time is per second, as rounded by the list: set it per minute or hour.'

/** Prices per token of such a row. A price of 0 is an unknown one; an answer is of the class that the mode makes. */
export function mediaTokens(prices: TokenPrices, mode: string): void {
  if (!isCharged(prices.input_per_mtok)) prices.input_per_mtok = null
  const made = mode === 'audio_speech' ? prices.audio_output_per_mtok : prices.image_output_per_mtok
  if (!isCharged(prices.output_per_mtok)) prices.output_per_mtok = mode === 'rerank' ? '0' : made
  if (prices.input_per_mtok !== null && prices.output_per_mtok !== null) return
  prices.input_per_mtok = null
  prices.output_per_mtok = null
}

/** Prices per unit of a row without prices per token: where it has both, they say the same twice. */
export function listedUnits(row: Row, mode: string, { width, height }: Partial<Size> = {}): UnitPrice[] {
  switch (mode) {
    case 'image_generation':
      return [
        // Rows of one size have the price of an image as if it were of the prompt.
        ...unitOf(row, IMAGE, 'image', ['output_cost_per_image', 'input_cost_per_image']),
        ...(width === undefined || height === undefined ? [] : pixelsOf(row, width * height)),
      ].slice(0, 1)
    case 'audio_transcription':
      // Both are one price, and one of the two may be 0.
      return unitOf(row, AUDIO_INPUT, 'audio_second', ['input_cost_per_second', 'output_cost_per_second'])
    case 'audio_speech': {
      const texts = unitOf(row, CHARACTER, 'character', ['input_cost_per_character'])
      return texts.length > 0 ? texts : unitOf(row, AUDIO_OUTPUT, 'audio_second', ['output_cost_per_second'])
    }
    default:
      return unitOf(row, SEARCH_UNIT, 'search', ['input_cost_per_query'])
  }
}

function unitOf(row: Row, name: string, unit: UnitPrice['unit'], keys: readonly string[]): UnitPrice[] {
  const key = keys.find((each) => isCharged(row[each]))
  return key === undefined ? [] : [{ name, unit, usd_per_1000: perThousand(key, shiftedDecimal(row[key], 3)) }]
}

/** The price of a pixel times their number, as exact as it is written. */
function pixelsOf(row: Row, pixels: number): UnitPrice[] {
  const key = ['output_cost_per_pixel', 'input_cost_per_pixel'].find((each) => isCharged(row[each]))
  const [whole = '', fraction = ''] = key === undefined ? [] : (shiftedDecimal(row[key], 3) ?? '').split('.')
  if (key === undefined || whole === '') return []
  const digits = String(BigInt(whole + fraction) * BigInt(pixels))
  const decimal = shiftedDecimal(digits, -fraction.length)
  return [{ name: IMAGE, unit: 'image', usd_per_1000: perThousand(key, decimal) }]
}

function isCharged(value: unknown): boolean {
  return value !== undefined && value !== null && Number(value) > 0
}

function perThousand(key: string, decimal: string | null): string {
  try {
    picodollarsPerToken(decimal ?? '')
    return decimal ?? ''
  } catch {
    const shown = decimal === null ? 'is not a price' : `${decimal.slice(0, 40)} USD per thousand has too many digits`
    throw new UnreadableRow(`${key}: ${shown}`)
  }
}

interface Size {
  model: string
  width: number
  height: number
  /** Name of the price. */
  unit: string
}

/** `high/1024-x-1536/model` is of one size and quality; without a word for it, or `standard`, the lowest. */
export function sizeOf(model: string): Size | null {
  const parts = /^(?:(low|medium|high|standard|hd)\/)?(\d{2,5})-x-(\d{2,5})\/(.+)$/.exec(model)
  if (parts === null) return null
  const [, quality = 'low', width, height, name = ''] = parts
  const unit = `${IMAGE}:${width}x${height}:${quality === 'standard' ? 'low' : quality}`
  return { model: name, width: Number(width), height: Number(height), unit }
}

/** Rows of one model, a size each, become one. Tokens win over images. */
export function joinSizes(models: readonly ListedModel[]): ListedModel[] {
  const joined = new Map<string, ListedModel>()
  for (const model of models) {
    const key = JSON.stringify([model.provider, model.model])
    const before = joined.get(model.mode === 'image_generation' ? key : '')
    if (before === undefined) {
      // Of two rows for one model of another mode the import says so.
      joined.set(joined.has(key) ? `${key} ${model.name}` : key, model)
      continue
    }
    const byTokens = [before, model].find(({ prices }) => prices.input_per_mtok !== null)
    joined.set(key, byTokens ?? withUnits(before, model))
  }
  return [...joined.values()]
}

function withUnits(before: ListedModel, { prices }: ListedModel): ListedModel {
  const units = [...(prices.unit_prices ?? []), ...(before.prices.unit_prices ?? [])]
  const byName = new Map(units.map((unit) => [unit.name, unit]))
  return { ...before, prices: { ...before.prices, unit_prices: [...byName.values()] } }
}
