import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneLine } from './one-line.ts'

const cases: [text: string, expected: string][] = [
  ['gpt-4o', 'gpt-4o'],
  ['gpt\r\n\nALERT: all is well', 'gpt ALERT: all is well'],
  ['a\u2028b\u2029c\u0085d', 'a b c\ufffdd'],
  ['\u001b[31mred\u0007', '\ufffd[31mred\ufffd'],
  ['a\u202eb\u2066c', 'a\ufffdb\ufffdc'],
  ['zwölf 三', 'zwölf 三'],
]
for (const [text, expected] of cases) test(JSON.stringify(text), () => assert.equal(oneLine(text), expected))
