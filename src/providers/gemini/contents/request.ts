import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { isCount, largestLimit } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type ContentsRequest, fieldOf } from '../../../domain/request/contents.ts'
import { limitToSend } from '../../../domain/request/output-limit.ts'
import { quoted } from '../../../domain/request/rejection.ts'
import { type Worded, worded } from '../../../domain/wording/worded.ts'
import type { Target, Translation } from '../../family.ts'
import { tierPercent } from '../tiers.ts'
import { withoutOwn } from './own-signatures.ts'

/**
 * The caller's own request without what is in the path. Deeper values stay the same objects, so that the received bytes
 * can be sent; where a hard budget applies, the limit is set beside them.
 */
export function toWire(request: ContentsRequest, target: Target): Translation {
  const { isStrict, isOnly, settings } = target
  if (isOnly !== true && (fieldOf(request, 'cachedContent') ?? null) !== null) {
    return refused(
      worded`cachedContent: kept by one provider, and this route has several entries; send the content itself`,
    )
  }
  const open = isStrict === true ? unboundedTool(request.tools) : null
  if (open !== null) return refused(worded`tools: a hard budget applies, and nothing bounds what ${quoted(open)} costs`)
  const { model: _model, stream: _stream, ...body } = request as JsonObject
  const contents = withoutOwn(request.contents)
  if (contents !== request.contents) body['contents'] = contents
  const adjustments = limitOutput(body, target)
  const safety = settings?.['safety_settings']
  if (safety !== undefined && (fieldOf(body, 'safetySettings') ?? null) === null) body['safetySettings'] = safety
  const config = fieldOf(body, 'generationConfig')
  const asked = isJsonObject(config) ? config : {}
  const percent = Math.max(100, tierPercent(fieldOf(body, 'serviceTier')))
  const answers = fieldOf(asked, 'candidateCount')
  const bounds = {
    outputTokens: largestLimit([asked['maxOutputTokens'], asked['max_output_tokens']]),
    answers: isCount(answers) ? answers : 1,
    namedPercent: percent,
    accountPercent: percent,
  }
  return { kind: 'wire', body, ignored: [], adjustments, bounds }
}

function refused(message: Worded): Translation {
  return { kind: 'refused', code: 'unsupported_parameter', message }
}

/** The first tool that the provider runs itself, as often as it likes. */
function unboundedTool(tools: unknown): string | null {
  for (const tool of Array.isArray(tools) ? tools : []) {
    for (const name in isJsonObject(tool) ? tool : {}) {
      if (name !== 'functionDeclarations' && name !== 'function_declarations' && (tool[name] ?? null) !== null) {
        return name
      }
    }
  }
  return null
}

const FIELD = 'maxOutputTokens'
const OTHER_SPELLING = 'max_output_tokens'

/** Under a hard budget the model's own limit is sent where there is no other: it is what the hold counts with. */
function limitOutput(body: JsonObject, { bounds, traits, isStrict }: Target): Adjustment[] {
  const place = isJsonObject(body['generation_config']) ? 'generation_config' : 'generationConfig'
  const config = isJsonObject(body[place]) ? body[place] : {}
  const field = config[OTHER_SPELLING] === undefined ? FIELD : OTHER_SPELLING
  const { tokens, reason } = limitToSend(config[field], bounds, traits.maxOutputTokens)
  const set = (value: number, why: Adjustment['reason']): Adjustment[] => {
    body[place] = { ...config, [field]: value }
    return [{ field: `${place}.${field}`, value, reason: why }]
  }
  if (reason !== null && typeof tokens === 'number') return set(tokens, reason)
  if (isStrict !== true || isCount(config[field]) || traits.maxOutputTokens === null) return []
  return set(traits.maxOutputTokens, 'pinned')
}
