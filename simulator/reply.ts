import type { JsonObject } from './json.ts'
import type { Random } from './random.ts'
import { sampleValue } from './sample-value.ts'
import { sentences } from './sentences.ts'
import { countTokens, cutToTokens } from './tokens.ts'

export interface DeclaredTool {
  name: string
  schema: JsonObject
  /** Takes a text instead of an object. */
  isCustom?: boolean
  /** The group that it was declared in. */
  namespace?: string
}

export type ToolChoice = { kind: 'auto' | 'none' | 'any' } | { kind: 'tool'; name: string }

/** What a request asks for, independent of the vendor. */
export interface Ask {
  model: string
  /** The text of the last user message that has any. */
  lastUserText: string
  /** The text of the last message when it is a tool result. */
  toolResult: string | null
  /** How many calls of tools the conversation has seen answered. */
  toolResults: number
  tools: DeclaredTool[]
  toolChoice: ToolChoice
  parallelTools: boolean
  /** The answer must be JSON for this schema. */
  schema: JsonObject | null
  /** The answer must be some JSON object. */
  anyJson: boolean
  maxTokens: number | null
  promptTokens: number
  /** Tokens the model thinks before it writes. */
  thinkingTokens: number
  /** Searches of the vendor's own that the request allows; missing: it offers none. */
  mostSearches?: number
}

/** What a scenario changes in the normal reply. */
export interface Tweak {
  text?: string
  /** So many, with inputs made up for their schemas. */
  toolCalls?: number
  /** Exactly these, even if the request offers others. */
  calls?: readonly ToolCall[]
  refusal?: string
  /** The finish reason (stop reason) to send with any content. */
  finish?: string
  cutShort?: boolean
  cachedTokens?: number
  cacheWriteTokens?: number
  /** The two are parts of the prompt that came, not additions to it. */
  isPartOfPrompt?: boolean
  thinkingTokens?: number
  /** Thinks aloud. */
  thinking?: string
  exactUsage?: { prompt: number; completion: number }
  /** Tokens of the answer that are reported as audio and as images. */
  mediaTokens?: { audio: number; image: number }
  /** So many searches of the vendor's own, as far as the request allows them; each adds so many tokens to the prompt. */
  searches?: { wanted: number; added: number }
  embeddings?: EmbeddingsTweak
}

/** What compatible servers do otherwise. */
export interface EmbeddingsTweak {
  usage?: 'none' | 'total-only'
  isReversed?: boolean
  /** Overrides the requested one. */
  format?: 'float' | 'base64'
}

export interface ToolCall {
  name: string
  /** A text where the tool is a custom one. */
  input: unknown
  isCustom?: boolean
  namespace?: string
}

export interface Usage {
  /** Without the two cache classes below. */
  freshTokens: number
  cachedTokens: number
  cacheWriteTokens: number
  /** With thinking. */
  completionTokens: number
  /** Parts of them. */
  audioTokens: number
  imageTokens: number
  thinkingTokens: number
  /** Of the vendor's own; missing: none. After each the whole prompt is read again. */
  searches?: number
}

export interface PlannedReply {
  /** Empty when the thinking is not shown. */
  thinking: string
  text: string
  toolCalls: ToolCall[]
  refusal: string | null
  finish: 'end' | 'length' | 'tools' | 'refusal'
  /** Sent instead of the vendor's word for `finish`. */
  finishOverride: string | null
  usage: Usage
}

export function planReply(ask: Ask, tweak: Tweak, random: Random): PlannedReply {
  const apart = tweak.isPartOfPrompt === true ? (tweak.cachedTokens ?? 0) + (tweak.cacheWriteTokens ?? 0) : 0
  const toolCalls = planToolCalls(ask, tweak, random)
  const { thinking = '' } = tweak
  const thinkingTokens = tweak.thinkingTokens ?? Math.max(ask.thinkingTokens, countTokens(thinking))
  const isSilent = toolCalls.length > 0 || tweak.refusal !== undefined
  // Text beside a call or a refusal comes only where both were asked for.
  const saysBoth = tweak.toolCalls !== undefined || tweak.calls !== undefined || tweak.refusal !== undefined
  let text = isSilent ? (saysBoth && tweak.text) || '' : planText(ask, tweak, random)
  let finish: PlannedReply['finish'] = toolCalls.length > 0 ? 'tools' : 'end'
  if (tweak.refusal !== undefined) finish = 'refusal'
  const room = Math.max(0, (ask.maxTokens ?? Number.POSITIVE_INFINITY) - thinkingTokens)
  const cutCall = finish === 'tools' && toolCalls.some((call) => countTokens(JSON.stringify(call)) > room)
  if (cutCall) {
    // What there is of the input is no JSON yet.
    for (const call of toolCalls) call.input = {}
    finish = 'length'
  }
  if (finish === 'end' && countTokens(text) > room) {
    text = cutToTokens(text, room)
    finish = 'length'
  }
  if (tweak.cutShort) finish = 'length'
  const written = countTokens(text) + toolCalls.reduce((sum, call) => sum + countTokens(JSON.stringify(call)), 0)
  const completionTokens = Math.min(
    written + thinkingTokens,
    finish === 'length' ? (ask.maxTokens ?? Infinity) : Infinity,
  )
  const searches = Math.min(tweak.searches?.wanted ?? 0, ask.mostSearches ?? 0)
  return {
    thinking,
    text,
    toolCalls,
    refusal: tweak.refusal ?? null,
    finish,
    finishOverride: tweak.finish ?? null,
    usage: {
      freshTokens: Math.max(
        0,
        readTokens(tweak.exactUsage?.prompt ?? ask.promptTokens, searches, tweak.searches?.added ?? 0) - apart,
      ),
      cachedTokens: tweak.cachedTokens ?? 0,
      cacheWriteTokens: tweak.cacheWriteTokens ?? 0,
      completionTokens: tweak.exactUsage?.completion ?? completionTokens,
      audioTokens: tweak.mediaTokens?.audio ?? 0,
      imageTokens: tweak.mediaTokens?.image ?? 0,
      thinkingTokens: Math.min(thinkingTokens, tweak.exactUsage?.completion ?? completionTokens),
      ...(searches > 0 && { searches }),
    },
  }
}

/** Of all passes: the vendors report their sum. */
function readTokens(prompt: number, searches: number, added: number): number {
  return prompt * (searches + 1) + (added * searches * (searches + 1)) / 2
}

function planText(ask: Ask, tweak: Tweak, random: Random): string {
  if (tweak.text !== undefined) return tweak.text
  if (ask.schema) {
    return JSON.stringify(sampleValue(ask.schema, { root: ask.schema, random, fill: 'required' }))
  }
  if (ask.anyJson) return JSON.stringify({ answer: sentences(random) })
  if (ask.toolResult !== null) return `The tool answered: ${ask.toolResult}`
  return sentences(random)
}

/** After a tool result the model talks again, or calls another tool where it must call one: the loop of an agent ends. */
function planToolCalls(ask: Ask, tweak: Tweak, random: Random): ToolCall[] {
  if (tweak.calls) {
    return tweak.calls.map((call) => {
      const { schema, ...declared } = ask.tools.find((tool) => tool.name === call.name) ?? { schema: {} }
      return { ...declared, ...call }
    })
  }
  if (ask.tools.length === 0 || ask.toolChoice.kind === 'none' || tweak.refusal !== undefined) return []
  const choice = ask.toolChoice
  const forced = choice.kind === 'any' || choice.kind === 'tool'
  const wanted = ask.toolResult !== null && !forced ? 0 : (tweak.toolCalls ?? (forced ? 1 : 0))
  const usable = choice.kind === 'tool' ? ask.tools.filter((tool) => tool.name === choice.name) : [...ask.tools]
  // The one that answers the user is usually declared last.
  if (choice.kind === 'any' && ask.toolResult !== null) usable.reverse()
  return Array.from(
    { length: ask.parallelTools ? wanted : Math.min(wanted, 1) },
    (_, index) => usable[index % usable.length],
  )
    .filter((tool) => tool !== undefined)
    .map(({ schema, ...tool }) => {
      const input = tool.isCustom
        ? sentences(random)
        : (sampleValue(schema, { root: schema, random, fill: 'all' }) ?? {})
      return { ...tool, input }
    })
}
