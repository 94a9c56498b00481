import { attributionOf } from '../../domain/attribution.ts'
import { ContentsBodySchema, type ContentsRequest, readContentsRequest } from '../../domain/request/contents.ts'
import { effectsBy } from '../effects.ts'
import type { Endpoint } from '../endpoint.ts'
import { contentsPrompt } from '../prompt-source.ts'
import { contentsToolUses } from '../tool-uses.ts'
import { ContentsError, contentsError } from './errors.ts'
import { contentEvents } from './events.ts'
import { anyKey, unusedKey } from './key.ts'
import { outline } from './outline.ts'
import { promptTokens } from './prompt-bound.ts'
import { bridge } from './to-chat/bridge.ts'
import { GeneratedContent, writeContents } from './write.ts'

export const generateContent: Endpoint<ContentsRequest> = {
  name: 'generate_content',
  path: '/v1beta/models/{model}:generateContent',
  methods: { generateContent: 'whole', streamGenerateContent: 'stream' },
  operation: 'chat',
  idPrefix: 'gen_',
  fallsBackTo: 'any-model',
  ownsMetadata: true,
  keyOf: anyKey,
  unusedKey,
  read: readContentsRequest,
  promptTokens,
  attribution: ({ labels }) => attributionOf(null, labels),
  effects: effectsBy(['tools'], ['cachedContent', 'cached_content']),
  toolUses: contentsToolUses,
  promptSource: contentsPrompt,
  bridge,
  outline,
  seals: true,
  write: writeContents,
  stream: contentEvents,
  error: contentsError,
  page: {
    operationId: 'v1beta.models.generate_content',
    summary: 'Generate content',
    request: ContentsBodySchema,
    requestNotes:
      'Providers that speak this format get the request as it is; for others it is translated. `:streamGenerateContent?alt=sse` at the same place streams; it needs streaming switched on, otherwise the answer is 501.',
    example: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
    answer: GeneratedContent,
    answerNotes: 'The answer',
    error: ContentsError,
  },
}
