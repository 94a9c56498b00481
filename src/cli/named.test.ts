import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACT } from '../management/contract/contract.ts'
import type { AnyInput, ApiClient } from './api-client.ts'
import { CliError } from './cli-error.ts'
import { chooseId, withIds } from './named.ts'

const NOW = Date.parse('2026-11-17T10:00:00Z')
const past = '2026-11-16T10:00:00Z'
const things = [
  { id: '1', name: 'only' },
  { id: '2', name: 'made-anew', revoked_at: past },
  { id: '3', name: 'made-anew', revoked_at: null, expires_at: null },
  { id: '4', name: 'expired', expires_at: past },
  { id: '5', name: 'twice' },
  { id: '6', name: 'twice' },
  { id: '7', name: '1' },
]

for (const [given, id] of [
  ['only', '1'],
  ['made-anew', '3'],
  ['expired', '4'],
  ['nobody', 'nobody'],
  ['1', '1'],
] as const) {
  test(`${given} is ${id}`, () => assert.equal(chooseId(given, 'key', things, NOW), id))
}

test('a name that several have is refused with their ids', () => {
  assert.throws(() => chooseId('twice', 'key', things, NOW), {
    message: '2 keys are called twice: say which by its id: 5, 6',
    exitCode: 2,
  })
})

/** A gateway with these keys; one of an older version refuses what it does not know. */
function gatewayWith(knowsSearch: boolean): { client: ApiClient; asked: AnyInput['query'][] } {
  const asked: AnyInput['query'][] = []
  const callAny = async (_operation: unknown, { query }: AnyInput) => {
    asked.push(query)
    if ('search' in query && !knowsSearch) throw new CliError('Unrecognized key: "search"', 2)
    return { data: things, next_cursor: null }
  }
  return { client: { callAny } as unknown as ApiClient, asked }
}

for (const knowsSearch of [true, false]) {
  test(`a key is found by its name at a gateway ${knowsSearch ? 'with' : 'without'} search`, async () => {
    const { client, asked } = gatewayWith(knowsSearch)
    const input = { params: {}, query: { key: 'only', workspace: 'default' }, body: undefined }
    const { query } = await withIds(CONTRACT['usage.get'], input, client)
    assert.equal(query['key'], '1')
    assert.deepEqual(
      asked.map((each) => 'search' in each),
      knowsSearch ? [true] : [true, false],
    )
  })
}
