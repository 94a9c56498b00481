import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { csvField as dashboardField } from '../../../dashboard/src/pages/usage/csv-field.ts'
import { csvField } from './csv-field.ts'

/** The dashboard has a copy, for it imports nothing but types: both obey the one table. */
const WRITERS = [
  ['the export', csvField],
  ['the dashboard', dashboardField],
] as const

const TABLE: [what: string, value: string | number | null, written: string][] = [
  ['nothing for null', null, ''],
  ['a number as it is', -1.5, '-1.5'],
  ['text as it is', 'gpt-4o', 'gpt-4o'],
  ['quotes where RFC 4180 wants them', 'say "hi", now', '"say ""hi"", now"'],
  ['a formula as text', '=1+1', "'=1+1"],
  ['a formula by plus as text', '+1', "'+1"],
  ['a formula by minus as text', '-1+1', "'-1+1"],
  ['an amount below zero', '-0.0075', '-0.0075'],
  ['a formula by at as text', '@SUM(A1)', "'@SUM(A1)"],
  ['a formula after a tab as text', '\t=1', "'\t=1"],
  ['a formula after a return as text', '\r=1', '"\'\r=1"'],
  ['a formula after a line feed as text', '\n=1', '"\'\n=1"'],
  ['a formula that needs quotes as text', '=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ['a sign inside as it is', 'a=b', 'a=b'],
]

for (const [writer, write] of WRITERS) {
  describe(`${writer} writes`, () => {
    for (const [what, value, written] of TABLE) test(what, () => assert.equal(write(value), written))
  })
}
