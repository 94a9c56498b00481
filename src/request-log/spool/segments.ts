import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { StoreError } from '../../store/engine/store-error.ts'

/** One file of a spool. The next one begins where it ends. */
export interface Segment {
  /** The number of the last record before its first. */
  after: number
  path: string
}

/** Suffix of a file with an unreadable end: only an operator removes it. */
export const ASIDE = '.damaged'

const NAME = /^(\d{16})\.log$/
/** The spool belongs to the gateway of this id, which the database knows how far it has come with. */
const NODE = 'node'
/** A file that says how its records are written: without one, as by the first version. */
const FORMAT = 'format'
/** A version whose records the one before would misread has the next number, and writes it. */
export const SPOOL_FORMAT = 1

export function segmentAfter(folder: string, after: number): Segment {
  return { after, path: join(folder, `${String(after).padStart(16, '0')}.log`) }
}

/** Oldest first. */
export function listSegments(folder: string): Segment[] {
  const names = readdirSync(folder).map((name) => NAME.exec(name)?.[1])
  const starts = names.filter((digits) => digits !== undefined).map(Number)
  return starts.sort((one, other) => one - other).map((after) => segmentAfter(folder, after))
}

/** A file or a folder outlives a power cut: of a folder that is the names in it, without which files are lost. */
export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The spools of a gateway's serving threads are folders in its own, by number. */
export function threadSpools(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[1-9]\d{0,3}$/.test(name))
    return names.map((name) => join(folder, name)).filter((path) => spoolNode(path) !== null)
  } catch {
    return []
  }
}

/** Their rows belong to the gateway; only how far each of them has been folded is its own. */
export function threadSpool(node: string, thread: number): string {
  return `${node}/${thread}`
}

/** Whose rows are in a spool. */
export function nodeOfSpool(spool: string): string {
  return spool.split('/', 1)[0] ?? spool
}

/** Null: this is no spool. */
export function spoolNode(folder: string): string | null {
  return readWord(join(folder, NODE))
}

/** The folder of a spool, as it was left or empty. Returns whose it is. */
export function makeSpoolFolder(folder: string, node: string = randomUUID()): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  checkFormat(folder)
  const known = spoolNode(folder)
  if (known !== null) return known
  const path = join(folder, NODE)
  writeFileSync(`${path}.new`, `${node}\n`, { flush: true, mode: 0o600 })
  renameSync(`${path}.new`, path)
  return node
}

/** Throws where a newer version has written records that this one cannot read. */
export function checkFormat(folder: string): void {
  const format = Number(readWord(join(folder, FORMAT)) ?? SPOOL_FORMAT)
  if (format <= SPOOL_FORMAT) return
  throw new StoreError(
    `the spool ${folder} is of format ${format}, this version knows ${SPOOL_FORMAT}: ` +
      'a newer version wrote it; run that one, or `switchyard spool ship` of that one',
  )
}

/** Null: there is none. */
function readWord(path: string): string | null {
  try {
    const word = readFileSync(path, 'utf8').trim()
    return word === '' ? null : word
  } catch {
    return null
  }
}
