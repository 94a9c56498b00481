import { BytePieces, joined } from '../../src/domain/byte-pieces.ts'
import { ResponseReader } from '../../src/upstream/response-reader.ts'
import type { Reading } from './node-reading.ts'

/** Looked for in every answer, whether they are there or not. */
const NAMES = [
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'content-type',
  'x-request-id',
  'x',
  'a',
]

/** How our reader reads an answer, after which the connection ends; in words why it is none. */
export function readByUs(pieces: readonly Buffer[], names: readonly string[] = []): Reading | string {
  const received = new BytePieces()
  const reader = new ResponseReader(received, 1024 * 1024)
  let read = 0
  try {
    for (; read < pieces.length && !reader.isWhole; read += 1) reader.read(pieces[read] ?? Buffer.of())
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  reader.endsHere()
  const { head } = reader
  if (!reader.isWhole || head === null) return 'it has no end'
  const fields: Record<string, string> = {}
  for (const name of [...NAMES, ...names]) {
    const value = head.get(name)
    if (value !== undefined) fields[name] = value
  }
  // What comes when nobody has asked ends a connection.
  const keeps = reader.keepsConnection && read === pieces.length
  return { status: head.status, fields, body: joined(received.all()).toString('latin1'), keeps }
}
