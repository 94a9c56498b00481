import { isCount } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type CompletionsRequest, generatedAnswers } from '../../../domain/request/completions.ts'
import { named, type Worded, worded } from '../../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../../family.ts'
import { renamed, renaming } from '../../rename.ts'
import { askForUsage, limitOutput, USAGE_FIELD } from '../chat/request.ts'
import { fromWire as completionFromWire } from '../chat/response.ts'
import { mostTierPercent } from '../chat/tiers.ts'
import type { Dialect } from '../dialect/dialect.ts'
import { fitFields } from '../dialect/request.ts'
import { COMPLETIONS_FIELDS, costlyField } from '../free-fields.ts'
import { targetOf } from '../target.ts'
import { type Completing, PLAIN_TEXT } from './completing.ts'
import { TextStream, textChoice, textParts } from './stream.ts'

/** The vendor's older models, which do nothing else. */
const TEXT_MODELS = /^(?:gpt-3\.5-turbo-instruct|davinci-|babbage-)/

export function isTextModel(model: string): boolean {
  return TEXT_MODELS.test(model)
}

/** At the vendor's own service, where a request names none. */
const OWN_LIMIT = 16

/** `dialect`: null for the vendor's own, and for servers of which nothing is known. */
export function completer(completing: Completing = PLAIN_TEXT, dialect: Dialect | null = null) {
  const { path, without, isChatShaped } = completing
  const usage = dialect?.vendor.usage
  const translator: Translator<CompletionsRequest> = {
    target(provider) {
      if (without === undefined) return targetOf(provider, path)
      const base = targetOf(provider, '')
      return { ...base, url: base.url.replace(without, '') + path }
    },
    toWire: (request, target) => toWire(request, target, completing, dialect),
    fromWire: (body) => fromWire(body, completing, usage),
    stream: {
      open: (request) => new TextStream(request, completing, usage),
      partsOf: textParts,
      usageField: USAGE_FIELD,
    },
    ...(isChatShaped === true ? {} : { isVerbatim: true }),
  }
  return translator
}

function toWire(
  request: CompletionsRequest,
  target: Target,
  completing: Completing,
  dialect: Dialect | null,
): Translation {
  const { options, vendor } = dialect ?? {}
  const costly = target.isStrict === true ? costlyField(request, COMPLETIONS_FIELDS, options?.drop_params) : null
  const refused = unsupported(request, completing) ?? costly
  if (refused !== null) return { kind: 'refused', code: 'unsupported_parameter', message: refused }
  const fields: JsonObject = { ...request, model: target.model }
  for (const name of completing.refuses ?? []) delete fields[name]
  const ignored: string[] = []
  const adjustments = dialect === null ? [] : fitFields(fields, dialect, ignored).map(renaming)
  if (request.stream !== true) delete fields['stream']
  else askForUsage(fields, options?.stream_usage === 'never' ? { ...target, omitsUsageField: true } : target)
  adjustments.push(...limitOutput(fields, target, 'max_tokens'))
  const { body, applied } = renamed(fields, target.renames)
  adjustments.push(...applied.map(renaming))
  const tier = mostTierPercent(body, false)
  const isOwn = target.baseUrl === null && dialect === null
  const outputTokens = vendor?.hasLooseLimits === true ? null : mostOutput(fields['max_tokens'], isOwn)
  const bounds = { outputTokens, answers: generatedAnswers(request), namedPercent: tier, accountPercent: tier }
  return { kind: 'wire', body, ignored, adjustments, bounds }
}

/** Some servers take 0 or -1 for no limit; at the vendor's own, 0 asks for nothing but the prompt's own figures. */
function mostOutput(limit: unknown, isOwn: boolean): number | null {
  if (isCount(limit)) return limit
  if (!isOwn) return null
  return limit === 0 ? 0 : (limit ?? null) === null ? OWN_LIMIT : null
}

function unsupported(request: CompletionsRequest, { refuses = [], takesOneText }: Completing): Worded | null {
  const found = refuses.find((name) => isAsked(name, request[name]))
  if (found !== undefined) return worded`${named(found)}: not supported by this provider`
  if (takesOneText !== true || typeof request.prompt === 'string') return null
  return worded`prompt: this provider takes one text, not a list`
}

function isAsked(name: string, value: unknown): boolean {
  const isOne = value === 1 && (name === 'n' || name === 'best_of')
  return (value ?? false) !== false && !isOne
}

function fromWire(body: unknown, { isChatShaped }: Completing, usage: Dialect['vendor']['usage']): Reading {
  const own = isJsonObject(body) && isChatShaped === true ? inTexts(body) : body
  const counted =
    isJsonObject(own) && isJsonObject(own['usage']) && usage ? { ...own, usage: usage(own['usage']) } : own
  const reading = completionFromWire(counted)
  if (reading.kind !== 'answer' || typeof reading.answer.body['object'] !== 'string') return reading
  if (isJsonObject(own) && own['object'] === 'text_completion') return reading
  reading.answer.body = { ...reading.answer.body, object: 'text_completion' }
  return reading
}

function inTexts(body: JsonObject): JsonObject {
  const { choices } = body
  return Array.isArray(choices) ? { ...body, choices: choices.map(textChoice) } : body
}
