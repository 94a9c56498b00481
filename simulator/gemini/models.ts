import type { Answer } from '../answer.ts'
import { modelBeforeScenario } from '../scenarios.ts'
import { errorAnswer, unknownModel } from './errors.ts'

interface GeminiModel {
  name: string
  inputTokenLimit: number
  outputTokenLimit: number
  supportedGenerationMethods: string[]
  thinking?: boolean
}

const model = (id: string, more: Partial<GeminiModel> = {}): GeminiModel => ({
  name: `models/${id}`,
  inputTokenLimit: 1_048_576,
  outputTokenLimit: 65_536,
  supportedGenerationMethods: ['generateContent', 'countTokens'],
  thinking: true,
  ...more,
})

const MODELS: readonly GeminiModel[] = [
  model('gemini-3.5-flash'),
  model('gemini-3.5-flash-lite'),
  model('gemini-3.1-pro-preview'),
  model('gemini-2.5-flash'),
  model('gemini-2.5-pro'),
  model('gemini-embedding-001', {
    inputTokenLimit: 2048,
    outputTokenLimit: 1,
    supportedGenerationMethods: ['embedContent', 'countTokens'],
  }),
  model('imagen-4.0-generate-001', { supportedGenerationMethods: ['predict'] }),
]

const DEFAULT_PAGE = 50

export function listModels(query: URLSearchParams): Answer {
  const start = Number(query.get('pageToken') ?? 0)
  const end = start + (Number(query.get('pageSize')) || DEFAULT_PAGE)
  const next = end < MODELS.length ? { nextPageToken: String(end) } : {}
  return { status: 200, body: { models: MODELS.slice(start, end), ...next } }
}

export function getModel(id: string): Answer {
  const found = MODELS.find(({ name }) => name === `models/${id}`)
  return found ? { status: 200, body: found } : errorAnswer(unknownModel(id))
}

/** Calls in the history of these need signatures, and thinking has levels. */
export function isSigning(id: string): boolean {
  return /^gemini-[3-9]/.test(modelBeforeScenario(id))
}
