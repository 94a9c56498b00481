import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { type Bounds, largestLimit, type ToolBounds } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { openCapsules } from '../../../domain/request/compaction.ts'
import { limitToSend } from '../../../domain/request/output-limit.ts'
import { Rejection } from '../../../domain/request/rejection.ts'
import type { ResponsesRequest } from '../../../domain/request/responses.ts'
import { type Worded, worded } from '../../../domain/wording/worded.ts'
import type { Target, Translation } from '../../family.ts'
import { pinned } from '../../pin.ts'
import { renamed, renaming } from '../../rename.ts'
import { mostTierPercent } from '../chat/tiers.ts'
import { costlyField, hasLooseField, RESPONSES_FIELDS } from '../free-fields.ts'
import { boundTools } from './hosted-tools.ts'

const LIMIT = 'max_output_tokens'

/** Verbatim: the upstream model id, no `stream` unless it is true, and what limits the cost. */
export function toWire(request: ResponsesRequest, target: Target): Translation {
  try {
    return wireOf(request, target)
  } catch (error) {
    if (error instanceof Rejection) return error.rejected
    throw error
  }
}

function wireOf(request: ResponsesRequest, target: Target): Translation {
  const refusal = stateProblem(request, target) ?? (target.isStrict === true ? priceProblem(request) : null)
  if (refusal !== null) return refused(refusal)
  const fields: JsonObject = { ...request, model: target.model }
  if (request.stream !== true) delete fields['stream']
  if (Array.isArray(request.input)) fields['input'] = openCapsules(request.input, target.sealing)
  const tools = target.isStrict === true ? boundTools(fields, target, isCallers) : null
  if (tools !== null && !('adjustments' in tools)) return refused(tools)
  const set = [...limitOutput(fields, target), ...pinned(fields, target.pins ?? []), ...(tools?.adjustments ?? [])]
  const { body, applied } = renamed(fields, target.renames)
  return {
    kind: 'wire',
    body,
    ignored: [],
    adjustments: [...set, ...applied.map(renaming)],
    bounds: boundsOf(body, target, tools?.bounds ?? null),
  }
}

function refused(message: Worded): Translation {
  return { kind: 'refused', code: 'unsupported_parameter', message }
}

function boundsOf(body: JsonObject, { isStrict }: Target, tools: ToolBounds | null): Bounds {
  const bounds: Bounds = {
    outputTokens: isStrict === true && hasLooseField(body) ? null : largestLimit([body[LIMIT]]),
    answers: 1,
    namedPercent: mostTierPercent(body, false),
    accountPercent: mostTierPercent(body, true),
  }
  if (tools !== null) bounds.tools = tools
  return bounds
}

function limitOutput(body: JsonObject, { bounds, traits }: Target): Adjustment[] {
  if (bounds.default === null && bounds.most === null) return []
  const { tokens, reason } = limitToSend(body[LIMIT], bounds, traits.maxOutputTokens)
  if (reason === null || typeof tokens !== 'number') return []
  body[LIMIT] = tokens
  return [{ field: LIMIT, value: tokens, reason }]
}

/** What the provider keeps between calls: there again only where no other entry can be called. */
const STATE = ['previous_response_id', 'conversation', 'prompt', 'context_management']

function stateProblem(request: ResponsesRequest, { isOnly }: Target): Worded | null {
  if (request.background === true) {
    return worded`background: responses are not stored here, so the answer could never be fetched; leave it out`
  }
  if (isOnly === true) return null
  const field = STATE.find((name) => (request[name] ?? null) !== null)
  if (field !== undefined) return worded`${field}: ${KEPT}; send the items themselves as input`
  const at = Array.isArray(request.input) ? request.input.findIndex(({ type }) => type === 'item_reference') : -1
  return at < 0 ? null : worded`input[${at}]: an item_reference is ${KEPT}; send the item itself`
}

const KEPT = worded`kept by one provider, and this route has several entries`

/** Tools that the caller runs: they cost nothing but tokens. */
const CALLERS_TOOLS: ReadonlySet<unknown> = new Set([
  'function',
  'custom',
  'namespace',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use_preview',
])
/** What costs more than tokens, or an unknown number of tokens: not under a hard budget. Offered tools: `boundTools`. */
function priceProblem(request: ResponsesRequest): Worded | null {
  const costly = costlyField(request, RESPONSES_FIELDS)
  if (costly !== null) return costly
  for (const tools of [...nestedTools(request), ...laterTools(request)]) {
    const hosted = hostedIn(tools)
    if (hosted !== undefined)
      return worded`${toolName(hosted)}: a hard budget applies, and what this tool costs is unknown; leave it out`
  }
  return null
}

/** The first tool that the provider runs, also inside of a group. */
function hostedIn(tools: unknown): unknown {
  if (!Array.isArray(tools)) return undefined
  for (const tool of tools) {
    if (!isCallers(tool)) return tool
    const nested = isJsonObject(tool) && tool['type'] === 'namespace' ? hostedIn(tool['tools']) : undefined
    if (nested !== undefined) return nested
  }
  return undefined
}

function nestedTools({ tools }: ResponsesRequest): unknown[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool) => (isJsonObject(tool) && tool['type'] === 'namespace' ? [tool['tools']] : []))
}

/** Items that declare tools. */
const LATER: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output'])

function laterTools({ input }: ResponsesRequest): unknown[] {
  if (!Array.isArray(input)) return []
  return input.filter(({ type }) => LATER.has(type)).map((item: JsonObject) => item['tools'])
}

/** Only a tool search may say that the caller runs it; other tools are not believed. */
function isCallers(tool: unknown): boolean {
  if (!isJsonObject(tool)) return false
  const { type, execution } = tool
  return CALLERS_TOOLS.has(type) || (type === 'tool_search' && execution === 'client')
}

function toolName(tool: unknown): string {
  return `tools.${isJsonObject(tool) ? String(tool['type']).slice(0, 60) : 'unknown'}`
}
