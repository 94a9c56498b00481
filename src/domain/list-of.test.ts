import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { listOf } from './list-of.ts'

test('a good list is read as its items are', () => {
  const list = listOf(z.object({ text: z.string().catch('') }))
  assert.deepEqual(list.parse([{ text: 'a', more: 1 }, { text: 2 }]), [{ text: 'a' }, { text: '' }])
})

test('a value that is not a list is reported', () => {
  assert.equal(listOf(z.string()).safeParse('a').error?.issues[0]?.message, 'expected an array')
})

test('a bad item is named by its position, and no later item is checked', () => {
  let seen = 0
  const item = z.object({ name: z.string() }).refine(() => ++seen > 0)
  const { error } = listOf(item).safeParse([{ name: 'a' }, { name: 1 }, { name: 'b' }, 4])
  assert.deepEqual(
    error?.issues.map((issue) => issue.path),
    [[1, 'name']],
  )
  assert.equal(seen, 1)
})
