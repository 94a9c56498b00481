import type { Sent, WireBytes } from '../../bodies/request-body.ts'
import type { RefusedField } from '../../domain/failure.ts'
import type { Adjustment } from '../../domain/request/adjustment.ts'
import { type Rename, renaming, spareLimit, usableRename } from '../../providers/rename.ts'
import type { Received } from '../stages.ts'
import type { Candidate, ChainDeps } from './assess.ts'
import { sparedFor } from './spared.ts'

/** The same request with a field renamed or removed, because the provider said that it would accept that. */
export interface Correction {
  /** For the attempt that was refused. */
  reason: string
  bytes: WireBytes
  adjustments: Adjustment[]
  /** It went without what calls can do without: others of that may be refused next. */
  isSpared?: true
  /** To be called after a success: if the provider refuses the correction too, nothing was learned. */
  learn(): void
}

/** At one entry: a provider may name one thing at a time. */
const MOST_CORRECTIONS = 8

type Sending = Pick<Sent, 'bytes' | 'isFree'>

/** Null when the failure names no field that could be sent differently. `earlier`: of this call, at this entry. */
export async function correctionOf(
  refused: RefusedField | null,
  candidate: Candidate,
  sent: Sending,
  call: Pick<Received, 'body' | 'id' | 'receiver'>,
  deps: ChainDeps,
  earlier: readonly Correction[] = [],
): Promise<Correction | null> {
  if (refused === null || earlier.length === MOST_CORRECTIONS) return null
  const spared = await sparedFor(refused, candidate, sent, call, deps)
  if (spared !== null) return spared
  // What the provider says to that is the answer.
  const isFirst = earlier.every(({ isSpared }) => isSpared === true)
  return isFirst ? onceCorrected(refused, candidate, sent, call, deps) : null
}

async function onceCorrected(
  refused: RefusedField,
  candidate: Candidate,
  { bytes, isFree }: Sending,
  { body, id }: Pick<Received, 'body' | 'id'>,
  deps: ChainDeps,
): Promise<Correction | null> {
  const spare = spareLimit(candidate.wire, refused)
  const asked = spare
    ? withoutSpare(spare, candidate, deps)
    : isPinned(refused, candidate)
      ? unpinned(refused, candidate, id, deps)
      : isUsageField(refused, candidate)
        ? withoutUsageField(refused, candidate, deps)
        : renamedFor(refused, candidate, deps)
  if (asked === null) return null
  const { rewrite, ...correction } = asked
  const { wire, destination } = candidate
  const rewritten = await body.rewrite(rewrite, { wire, bytes, destination, isFree })
  return rewritten === null ? null : { ...correction, bytes: rewritten }
}

function without(fields: readonly string[]) {
  return { kind: 'without', omitted: { fields } } as const
}

/** The limit stays under its other name, and from now on goes under that one alone. */
function withoutSpare(spare: Rename, { provider, entry, adjustments }: Candidate, { quirks }: ChainDeps) {
  return {
    reason: `asked again without '${spare.from}', which the provider does not take beside '${spare.to}'`,
    rewrite: without([spare.from]),
    adjustments: adjustments.filter(({ field }) => field !== spare.from),
    learn: () => quirks.rename(provider, entry.model, spare),
  }
}

function isPinned(refused: RefusedField, { adjustments }: Candidate): boolean {
  return adjustments.some(({ reason, field }) => reason === 'pinned' && field === refused.name)
}

/**
 * A field that the gateway added was refused. If the provider does not know the field, the request is sent again
 * without it; if it insists on a more expensive default, later calls hold for that price, because this one did not.
 */
function unpinned(refused: RefusedField, candidate: Candidate, id: string, deps: ChainDeps) {
  const { provider, family, entry, adjustments } = candidate
  const { refusedPercent = 100 } = family.pins.find(({ field }) => field === refused.name) ?? {}
  if (refusedPercent > 100) {
    deps.pricePercents.learn(provider, refusedPercent, id)
    return null
  }
  deps.quirks.refusesPins(provider, entry.model)
  const pins = adjustments.filter(({ reason }) => reason === 'pinned')
  return {
    reason: `asked again without '${refused.name}', which the provider does not take`,
    rewrite: without(pins.map(({ field }) => field)),
    adjustments: adjustments.filter((each) => !pins.includes(each)),
    learn: () => {},
  }
}

function isUsageField(refused: RefusedField, { translator, wire }: Candidate): boolean {
  return refused.name === translator.stream?.usageField && Object.hasOwn(wire, refused.name) && wire['stream'] === true
}

/** The provider may still report its tokens; otherwise they are estimated. */
function withoutUsageField({ name }: RefusedField, { provider, entry, adjustments }: Candidate, { quirks }: ChainDeps) {
  return {
    reason: `asked again without '${name}', which the provider does not take`,
    rewrite: without([name]),
    adjustments,
    learn: () => quirks.refusesUsageField(provider, entry.model),
  }
}

function renamedFor(refused: RefusedField, { provider, entry, adjustments, wire }: Candidate, { quirks }: ChainDeps) {
  const learnt = quirks.of(provider, entry.model).renames.find(({ to }) => to === refused.name)
  const wasApplied = adjustments.some(({ reason, field }) => reason === 'renamed' && field === refused.name)
  if (learnt !== undefined && wasApplied) {
    quirks.unlearn(provider, entry.model, learnt)
    const rename = { from: learnt.to, to: learnt.from }
    const left = adjustments.filter(({ field }) => field !== refused.name)
    return { ...asRename(rename), adjustments: left, learn: () => {} }
  }
  const rename = usableRename(wire, refused)
  if (rename === null) return null
  const learn = () => quirks.rename(provider, entry.model, rename)
  return { ...asRename(rename), adjustments: [...adjustments, renaming(rename)], learn }
}

function asRename(rename: { from: string; to: string }) {
  const reason = `asked again with '${rename.to}' for '${rename.from}', as the provider wants it`
  return { reason, rewrite: { kind: 'rename', rename } as const }
}
