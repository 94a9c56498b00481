import type { JsonObject } from '../../domain/request/call-request.ts'
import { type ContentsRequest, fieldOf, objectField } from '../../domain/request/contents.ts'
import { showsThoughts } from './answer-parts.ts'
import { shortenedTools } from './tool-names.ts'

/** What an answer depends on. */
export function outline(request: ContentsRequest): Partial<ContentsRequest> {
  const config = objectField(request, 'generationConfig')
  const kept: JsonObject = {}
  if (config !== null) kept['candidateCount'] = fieldOf(config, 'candidateCount')
  if (showsThoughts(request)) kept['thinkingConfig'] = { includeThoughts: true }
  return { tools: shortenedTools(request), generationConfig: kept }
}
