import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SmallBody } from '../../bodies/small-body.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { chatCompletions } from '../../endpoints/chat-completions/chat-completions.ts'
import { FAMILIES } from '../../providers/families.ts'
import type { Admitted } from '../stages.ts'
import type { Candidate, ChainDeps } from './assess.ts'
import { correctionOf } from './correction.ts'
import { createQuirks } from './quirks.ts'

const family = [...FAMILIES.keys()].find((name) => usageFieldOf(name) !== undefined) ?? ''
const field = usageFieldOf(family) ?? ''
const PROVIDER = { name: 'p', baseUrl: null }

function usageFieldOf(name: string): string | undefined {
  return FAMILIES.get(name)?.translators.chat?.stream?.usageField
}

function corrected(wire: JsonObject, refused = field) {
  const request = { model: 'm', messages: [], ...wire }
  const body = new SmallBody(request, chatCompletions)
  const quirks = createQuirks()
  const candidate = {
    provider: PROVIDER,
    entry: { model: 'm' },
    translator: FAMILIES.get(family)?.translators.chat,
    wire: request,
    adjustments: [],
    destination: { family },
  } as unknown as Candidate
  const sent = { bytes: JSON.stringify(request), isFree: true }
  const call = { body, id: 'x', receiver: { headers: () => [] } } as unknown as Admitted
  const correction = correctionOf({ name: refused, instead: null }, candidate, sent, call, {
    quirks,
  } as ChainDeps)
  const isLearned = () => quirks.of(PROVIDER as Candidate['provider'], 'm').refusesUsageField
  return { correction, isLearned }
}

describe('a stream whose provider does not know how to be asked for usage', () => {
  test('is sent again without the question, which is learned when that is taken', async () => {
    const { correction, isLearned } = corrected({ stream: true, [field]: { include_usage: true } })
    const asked = await correction
    assert.deepEqual(JSON.parse(String(asked?.bytes)), { model: 'm', messages: [], stream: true })
    assert.match(asked?.reason ?? '', new RegExp(`asked again without '${field}'`))
    assert.equal(isLearned(), false)
    asked?.learn()
    assert.equal(isLearned(), true)
  })

  test('no other field is left out, and none of a call that does not stream', async () => {
    assert.equal(await corrected({ stream: true, seed: 1 }, 'seed').correction, null)
    assert.equal(await corrected({ stream: true }).correction, null)
    assert.equal(await corrected({ [field]: { include_usage: true } }).correction, null)
  })
})
