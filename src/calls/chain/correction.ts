import { LargeRequest } from '../../bodies/large-bodies.ts'
import type { Adjustment } from '../../domain/adjustment.ts'
import type { ChatRequest, JsonObject } from '../../domain/chat.ts'
import type { RefusedField } from '../../domain/failure.ts'
import { NO_BOUNDS } from '../../domain/output-limit.ts'
import { type Rename, renamed, renaming, usableRename } from '../../providers/rename.ts'
import { wireBody } from '../../providers/wire-body.ts'
import type { CallOptions } from '../../upstream/exchange.ts'
import type { Deps } from '../deps.ts'
import type { Life } from '../stages.ts'
import type { Candidate } from './candidate.ts'

/** The same request with a field under another name, because the provider said that it would take it so. */
export interface Correction {
  /** For the attempt that was refused. */
  reason: string
  body: CallOptions['body']
  adjustments: Adjustment[]
  /** To be called once it was answered: a provider that refuses this too has taught nothing. */
  learn(): void
}

/** What was sent, and whether its bytes are still in use. */
export interface Sent {
  body: CallOptions['body']
  isFullyWritten: boolean
}

/** Null where the failure names no field that could be sent otherwise. */
export async function correctionOf(
  refused: RefusedField | null,
  candidate: Candidate,
  sent: Sent,
  { request, life, deps }: { request: ChatRequest; life: Life; deps: Deps },
): Promise<Correction | null> {
  if (refused === null) return null
  if (isPinned(refused, candidate)) return unpinned(refused, candidate, { request, life, deps })
  const asked = renameFor(refused, candidate, request, life, deps)
  if (asked === null) return null
  const { rename, adjustments, learn } = asked
  const body = await rewritten(rename, candidate, sent, { request, life, deps })
  if (body === null) return null
  return {
    reason: `asked again with '${rename.to}' for '${rename.from}', as the provider wants it`,
    body,
    adjustments,
    learn,
  }
}

function isPinned(refused: RefusedField, { adjustments }: Candidate): boolean {
  return adjustments.some(({ reason, field }) => reason === 'pinned' && field === refused.name)
}

/**
 * A field of ours was refused, not the caller's. Who does not know it is asked again without. Who insists on a dearer default
 * is held for from the next call on: this one was not.
 */
function unpinned(
  refused: RefusedField,
  { wire, provider, family, entry, adjustments }: Candidate,
  { request, life, deps }: { request: ChatRequest; life: Life; deps: Deps },
): Correction | null {
  const { refusedPercent = 100 } = family.pins.find(({ field }) => field === refused.name) ?? {}
  if (refusedPercent > 100) {
    deps.pricePercents.learn(provider, refusedPercent, life.id)
    return null
  }
  deps.quirks.refusesPins(provider, entry.model)
  // A large body is gone: the next call is spared it.
  if (life.source instanceof LargeRequest) return null
  const left = adjustments.filter(({ reason }) => reason !== 'pinned')
  const own = new Set(adjustments.filter(({ reason }) => reason === 'pinned').map(({ field }) => field))
  const fields = Object.fromEntries(Object.entries(wire).filter(([name]) => !own.has(name)))
  const body = wireBody(fields, request, life.source)
  const reason = `asked again without '${refused.name}', which the provider does not take`
  return { reason, body, adjustments: left, learn: () => {} }
}

function renameFor(refused: RefusedField, candidate: Candidate, request: ChatRequest, life: Life, { quirks }: Deps) {
  const { provider, entry, adjustments } = candidate
  const learnt = quirks.of(provider, entry.model).renames.find(({ to }) => to === refused.name)
  const wasApplied = adjustments.some(({ reason, field }) => reason === 'renamed' && field === refused.name)
  if (learnt !== undefined && wasApplied) {
    quirks.unlearn(provider, entry.model, learnt)
    const left = adjustments.filter(({ field }) => field !== refused.name)
    return { rename: { from: learnt.to, to: learnt.from }, adjustments: left, learn: () => {} }
  }
  const rename = usableRename(fieldsSent(candidate, request, life), refused)
  if (rename === null) return null
  const learn = () => quirks.rename(provider, entry.model, rename)
  return { rename, adjustments: [...adjustments, renaming(rename)], learn }
}

/** Of a large request its outline, which has the fields of the common schema, and what bounds its cost as it was sent. */
function fieldsSent({ wire, adjustments }: Candidate, request: ChatRequest, { source }: Life): JsonObject {
  if (!(source instanceof LargeRequest)) return wire
  const applied = adjustments.flatMap(({ field, from }): Rename[] => (from === undefined ? [] : [{ from, to: field }]))
  return { ...renamed(request, applied).body, ...wire }
}

async function rewritten(
  rename: Rename,
  { wire, entry, provider, family, traits }: Candidate,
  { body, isFullyWritten }: Sent,
  { request, life, deps }: { request: ChatRequest; life: Life; deps: Deps },
): Promise<CallOptions['body'] | null> {
  if (!(life.source instanceof LargeRequest)) return wireBody(renamed(wire, [rename]).body, request, life.source)
  // What was sent of a large request is itself one, where the family sends requests on as they came.
  if (!isFullyWritten || !family.isVerbatim || !(body instanceof Uint8Array)) return null
  const sent = await deps.largeBodies.open([body], false)
  try {
    const { family: name, baseUrl } = provider
    // Its limits stand in it already.
    const target = { model: entry.model, traits, baseUrl, bounds: NO_BOUNDS, renames: [rename] }
    await sent.translate([{ position: 0, family: name, ...target }], true)
    return await sent.write(0)
  } finally {
    sent.release()
  }
}
