import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createRandom } from '../../simulator/random.ts'
import { seedOr } from '../property.ts'
import { cut, mutatedAnswer } from './mutate.ts'
import { readByNode } from './node-reading.ts'
import { readByUs, readInPieces } from './our-reading.ts'

const COUNT = Number(process.env['REPLY_FUZZ_COUNT'] ?? 20_000)
const SEED = seedOr(16)
const AT_ONCE = 200

/** Where we refuse what Node takes, by the words of our reader. Anything else would be a mistake of ours. */
const STRICTER: Record<string, string> = {
  'this is not an HTTP response':
    'line ends before the status line, control letters in the reason, status 0 to 99 and from 600 on',
  'unsupported transfer coding':
    'any coding but chunked, which Node reads to the end of the connection; chunks in HTTP/1.0',
  'a body where none is allowed': 'a length or chunks with 1xx and 204, which Node does not heed',
  'invalid trailer': 'fields after the last chunk that say where the answer ends',
  'a chunk has no valid size': 'extensions of chunks that are none, sizes of more than eight digits',
  'an interim response closes the connection': 'HTTP/1.0 or "close" in what comes before an answer, at its end',
  'an unrequested protocol switch': '101 without an upgrade, which Node takes for the answer',
  'invalid content-length': 'a length for 304 that is none; lengths of more than fifteen digits',
}

test('what we take for an answer is the same answer to Node, however it is cut', { timeout: 600_000 }, async (t) => {
  t.diagnostic(`TEST_SEED=${SEED} REPLY_FUZZ_COUNT=${COUNT}`)
  const random = createRandom(SEED)
  const counts = { taken: 0, kept: 0, refusedByBoth: 0 }
  /** Answers that Node takes and we do not, by why. */
  const stricter: Record<string, number> = {}
  const wrong: unknown[] = []

  async function compare(bytes: Buffer, pieces: readonly Buffer[], nodesPieces: readonly Buffer[]): Promise<void> {
    const nodes = await readByNode(nodesPieces)
    const names = Object.keys(nodes?.fields ?? {})
    const ours = readByUs([bytes], names)
    const oursOfPieces = readByUs(pieces, names)
    const streamed = await readInPieces(pieces, names)
    const sent = bytes.toString('latin1')
    if (typeof ours === 'string') {
      if (typeof oursOfPieces !== 'string' || streamed !== 'broken') wrong.push({ sent, ours, oursOfPieces, streamed })
      if (nodes === null) counts.refusedByBoth += 1
      else stricter[ours] = (stricter[ours] ?? 0) + 1
      return
    }
    counts.taken += 1
    if (ours.keeps) counts.kept += 1
    // A connection that we end and Node would keep is a connection lost, no more.
    const same = nodes !== null && !ours.keeps ? { ...nodes, keeps: false } : nodes
    if (!isDeepStrictEqual(ours, oursOfPieces)) wrong.push({ sent, ours, oursOfPieces })
    else if (!isDeepStrictEqual(ours, streamed)) wrong.push({ sent, ours, streamed })
    else if (!isDeepStrictEqual(ours, same)) wrong.push({ sent, ours, nodes })
  }

  for (let done = 0; done < COUNT; done += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, COUNT - done) }, () => {
      const bytes = mutatedAnswer(random)
      const pieces = cut(bytes, random)
      return compare(bytes, pieces, random() < 0.5 ? pieces : [bytes])
    })
    await Promise.all(batch)
  }
  t.diagnostic(`${JSON.stringify(counts)}, and Node alone takes ${JSON.stringify(stricter)}`)
  assert.deepEqual(
    Object.keys(stricter).filter((why) => STRICTER[why] === undefined),
    [],
  )
  assert.equal(
    wrong.length,
    0,
    wrong
      .slice(0, 10)
      .map((item) => JSON.stringify(item))
      .join('\n'),
  )
  // Else the changes are too wild, or too tame, to say anything.
  for (const [what, count] of Object.entries(counts)) assert.ok(count > COUNT / 20, `${what}: ${count}`)
})
