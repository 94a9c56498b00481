import { isObject, type JsonObject } from '../json.ts'
import type { OpenaiError } from './errors.ts'

const CATEGORIES = ['harassment', 'hate', 'illicit', 'self-harm', 'sexual', 'violence']
const MOST_IMAGES = 1

/** What mentions a category is of it. */
export function writeModeration(body: JsonObject): JsonObject {
  return { id: 'modr-1', model: body['model'], results: inputsOf(body['input']).map(resultOf) }
}

function resultOf({ text, kinds }: { text: string; kinds: readonly string[] }): JsonObject {
  const of = (value: (category: string) => unknown) =>
    Object.fromEntries(CATEGORIES.map((category) => [category, value(category)]))
  const isMeant = (category: string) => text.includes(category)
  return {
    flagged: CATEGORIES.some(isMeant),
    categories: of(isMeant),
    category_scores: of((category) => (isMeant(category) ? 0.99 : 0.0001)),
    category_applied_input_types: of((category) => (isMeant(category) ? kinds : [])),
  }
}

/** Parts together are one input. */
function inputsOf(input: unknown): { text: string; kinds: readonly string[] }[] {
  if (!Array.isArray(input)) return [{ text: String(input), kinds: ['text'] }]
  if (!input.some(isObject)) return input.map((text) => ({ text: String(text), kinds: ['text'] }))
  const parts = input.filter(isObject)
  const kinds = parts.map(({ type }) => (type === 'image_url' ? 'image' : 'text'))
  return [{ text: parts.map(({ text }) => String(text ?? '')).join(' '), kinds: [...new Set(kinds)] }]
}

/** The first thing the vendor would complain about, or null when the request is good. */
export function problemWithModeration({ model, input }: JsonObject): OpenaiError | null {
  if (typeof model !== 'string') return { message: 'you must provide a model parameter' }
  if (typeof input !== 'string' && (!Array.isArray(input) || input.length === 0)) {
    return {
      message: "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    }
  }
  const images = Array.isArray(input) ? input.filter((part) => isObject(part) && part['type'] === 'image_url') : []
  if (images.length > 0 && model.startsWith('text-')) return { message: 'Model does not support image inputs.' }
  return images.length <= MOST_IMAGES ? null : { message: `Too many images. The maximum is ${MOST_IMAGES}.` }
}
