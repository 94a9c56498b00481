import type { Sent, WireBytes } from '../../bodies/request-body.ts'
import type { RefusedField } from '../../domain/failure.ts'
import type { Adjustment } from '../../domain/request/adjustment.ts'
import { listedIn, type Omitted } from '../../domain/request/json-cuts.ts'
import {
  headersWithout,
  NOTHING_OMITTED,
  type Omissions,
  omittedField,
  omittedValue,
  sparedFields,
  together,
  valuesIn,
} from '../../domain/request/omissions.ts'
import type { Received } from '../stages.ts'
import type { Candidate, ChainDeps } from './assess.ts'

type Sending = Pick<Sent, 'bytes' | 'isFree'>
type Call = Pick<Received, 'body' | 'receiver'>

/** A correction: others may follow. */
interface SparedRequest {
  reason: string
  bytes: WireBytes
  adjustments: Adjustment[]
  isSpared: true
  learn(): void
}

interface Spared {
  /** Its names, for people. */
  what: string
  omissions: Omissions
  told: Adjustment[]
  /** Of the body; null: it was in the header alone. */
  cut: Omitted | null
}

/**
 * The same request without what the provider refuses, where a call can do without it. Later calls go without it from
 * the start, once this one was served. Null: it cannot, or that was not sent.
 */
export async function sparedFor(
  refused: RefusedField,
  candidate: Candidate,
  { bytes, isFree }: Sending,
  call: Call,
  { quirks }: ChainDeps,
): Promise<SparedRequest | null> {
  const isListed = refused.values !== undefined || refused.keeps !== undefined
  const spared = isListed
    ? sparedValues(refused, candidate, bytes, call)
    : // A field with another name is renamed, or its refusal is the answer.
      refused.isUnknown === true && refused.instead === null
      ? sparedPaths(refused, candidate)
      : null
  if (spared === null) return null
  const { what, omissions, told, cut } = spared
  const { wire, destination, provider, entry } = candidate
  const sent = { wire, bytes, destination, isFree }
  const rewritten = cut === null ? bytes : await call.body.rewrite({ kind: 'without', omitted: cut }, sent)
  if (rewritten === null) return null
  const adjustments = [...candidate.adjustments, ...told]
  candidate.adjustments = adjustments
  candidate.destination = { ...destination, omits: together(destination.omits ?? NOTHING_OMITTED, omissions) }
  const learn = () => quirks.omit(provider, entry.model, omissions)
  return {
    reason: `asked again without ${what}, which the provider does not take`,
    bytes: rewritten,
    adjustments,
    isSpared: true,
    learn,
  }
}

function sparedPaths({ name }: RefusedField, { translator, destination }: Candidate): Spared | null {
  const known = destination.omits?.fields ?? []
  const fields = sparedFields(name, translator.spares ?? []).filter((path) => !known.includes(path))
  if (fields.length === 0) return null
  return {
    what: fields.map((path) => `'${path}'`).join(', '),
    omissions: { ...NOTHING_OMITTED, fields },
    told: fields.map(omittedField),
    cut: { fields },
  }
}

function sparedValues(
  { name, values, keeps = [] }: RefusedField,
  { translator, destination: { omits = NOTHING_OMITTED } }: Candidate,
  bytes: Sent['bytes'],
  { receiver }: Call,
): Spared | null {
  const listed = listedIn(bytes, name)
  const headers = () => headersWithout(receiver.headers(), omits)
  const sent = listed ?? valuesIn(translator.forwarded?.(headers())[name] ?? '')
  const left = values === undefined ? unnamed(sent, keeps) : sent.filter((value) => values.includes(value))
  if (left.length === 0) return null
  const without = new Map(left.map((value) => [value, null]))
  return {
    what: left.join(', '),
    omissions: { values: without, fields: [] },
    told: left.map((value) => omittedValue(name, value)),
    cut: listed === null ? null : { list: { field: name, values: without } },
  }
}

/** All but those that are known to be taken; where only these were sent, all but fewer of them; at last, all. */
function unnamed(sent: readonly string[], keeps: readonly (readonly string[])[]): string[] {
  const kept = keeps.find((each) => sent.some((value) => !each.includes(value))) ?? []
  return sent.filter((value) => !kept.includes(value))
}
