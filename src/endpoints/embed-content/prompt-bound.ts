import type { PromptTokens } from '../../domain/request/bounds.ts'
import { type Embedded, fieldOf } from '../../domain/request/contents.ts'
import { inputTokens } from '../../domain/request/embeddings.ts'
import { promptTokens as contentsTokens } from '../generate-content/prompt-bound.ts'

/** As for our own embeddings where there are texts only, else as for contents. */
export function promptTokens(listed: readonly Embedded[]): PromptTokens {
  const texts = listed.flatMap((each) => [textOf(each), fieldOf(each, 'title') ?? ''])
  const input = texts.filter((text) => typeof text === 'string')
  if (input.length < texts.length) return contentsTokens({ model: '', contents: listed.map(({ content }) => content) })
  const hasTask = listed.some((each) => (fieldOf(each, 'taskType') ?? null) !== null)
  return inputTokens({ model: '', input, ...(hasTask ? { input_type: 'any' } : {}) })
}

/** The texts of all parts; null: there is something else. */
export function textOf({ content }: Embedded): string | null {
  const texts = (content.parts ?? []).map(({ text }) => text)
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts.join('\n') : null
}
