import type { Adjustment } from '../domain/request/adjustment.ts'
import { DEFAULT_TOOL_CALLS, isCount, type ToolBounds } from '../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import { type Worded, worded } from '../domain/wording/worded.ts'
import type { Target } from './family.ts'

/** What a family knows of a tool that the provider runs and a field of the request bounds. */
export interface HostedTool {
  /** Its fee in the registry; null: it has none. */
  fee: string | null
  /** The most units that one call is charged for. */
  units: number
  /** The most tokens that one call adds; null: only the window bounds them. */
  addedTokens: number | null
  /** How often it may run. */
  calls: number
  /** As it is sent, with its bound where the caller named none. */
  tool: JsonObject
  set: Adjustment[]
}

/** What to send of the tools of a request under a hard budget, and what bounds them. */
export interface OfferedTools {
  tools: unknown[]
  adjustments: Adjustment[]
  /** Those that are kept. */
  hosted: HostedTool[]
}

const NONE: readonly string[] = []
const UNBOUNDED = worded`nothing bounds what this tool costs`
const UNPRICED = worded`this tool has no price in the registry`

/**
 * Tools that nothing bounds, or that have no price, are left out where they are merely offered. `boundOf`: null for the
 * caller's own tools, undefined for tools of the provider that nothing bounds. Returns the refusal of a forced one.
 */
export function offeredTools(
  tools: readonly unknown[],
  target: Target,
  boundOf: (tool: unknown) => HostedTool | null | undefined,
  isForced: (tool: unknown) => boolean,
): OfferedTools | Worded {
  const offered: OfferedTools = { tools: [], adjustments: [], hosted: [] }
  const priced = target.pricedTools ?? NONE
  for (const [at, tool] of tools.entries()) {
    const bound = boundOf(tool)
    if (bound === null) offered.tools.push(tool)
    else if (bound !== undefined && bound.calls > 0 && (bound.fee === null || priced.includes(bound.fee))) {
      offered.tools.push(bound.tool)
      offered.adjustments.push(...bound.set)
      offered.hosted.push(bound)
    } else if (isForced(tool)) {
      const what = bound === undefined ? UNBOUNDED : UNPRICED
      return worded`tools[${at}].type: a hard budget applies, and ${what}; leave it out`
    } else offered.adjustments.push({ field: `tools.${typeOf(tool)}`, value: null, reason: 'left_out' })
  }
  return offered
}

/** The number of calls to send: the caller's own, unless a budget lowers it. */
export function toolCallsFor(named: unknown, { toolCalls }: Target): number {
  const most = toolCalls?.most ?? Number.POSITIVE_INFINITY
  return Math.min(isCount(named) ? named : (toolCalls?.default ?? DEFAULT_TOOL_CALLS), most)
}

export function toolBounds(hosted: readonly HostedTool[], calls: number, isPerPass: boolean): ToolBounds {
  let addedTokens: number | null = 0
  for (const tool of hosted) {
    addedTokens = addedTokens === null || tool.addedTokens === null ? null : Math.max(addedTokens, tool.addedTokens)
  }
  const fees = hosted.flatMap(({ fee, units }) => (fee === null ? [] : [{ name: fee, units }]))
  return { calls, fees, addedTokens, isPerPass }
}

export function typeOf(tool: unknown): string {
  return isJsonObject(tool) ? String(tool['type']).slice(0, 60) : 'unknown'
}
