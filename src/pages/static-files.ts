import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { GatewayError } from '../domain/errors.ts'
import { accepts } from '../http/accepts-encoding.ts'
import type { Call, Reply } from '../http/call.ts'

const unpack = promisify(gunzip)

/** One file of a folder, with its compressed copies. */
export interface StaticFile {
  /** Missing if only the compressed copies exist. */
  path: string
  mediaType: string
  /** Best first. */
  copies: readonly { encoding: string; path: string }[]
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Best first. */
const ENCODINGS = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const

/**
 * Every file below a folder by its name in a URL. Only listed files are ever opened, so no URL leads out of the folder.
 * Empty when there is no such folder.
 */
export function listStaticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const paths = new Set(filesBelow(folder))
  return new Map(
    [...new Set([...paths].map(withoutSuffix))].map((path) => [
      relative(folder, path).replaceAll(sep, '/'),
      {
        path,
        mediaType: MEDIA_TYPES[extname(path)] ?? 'application/octet-stream',
        copies: ENCODINGS.map(({ encoding, suffix }) => ({ encoding, path: path + suffix })).filter((copy) =>
          paths.has(copy.path),
        ),
      },
    ]),
  )
}

function withoutSuffix(path: string): string {
  const copy = ENCODINGS.find(({ suffix }) => path.endsWith(suffix))
  return copy === undefined ? path : path.slice(0, -copy.suffix.length)
}

/** Whether a name looks like a file, not like a model id, which may contain dots too. */
export function isFileName(name: string): boolean {
  return extname(name) in MEDIA_TYPES
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** The file, or a compressed copy that the client accepts; 304 when the client has it already. */
export async function answerFile(
  call: Pick<Call, 'header'>,
  file: StaticFile,
  more: Record<string, string>,
): Promise<Reply> {
  const accepted = call.header('accept-encoding')
  const copy = file.copies.find(({ encoding }) => accepts(accepted, encoding))
  const bytes = copy === undefined ? await readPlain(file) : await readListed(copy.path)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const headers: Record<string, string> = { ...more, etag }
  if (file.copies.length > 0) headers['vary'] = 'accept-encoding'
  if (isKnown(call.header('if-none-match'), etag)) return { status: 304, headers, body: '' }
  headers['content-type'] = file.mediaType
  if (copy !== undefined) headers['content-encoding'] = copy.encoding
  return { status: 200, headers, body: bytes }
}

/**
 * The build keeps only the compressed copies: a client that accepts none, which no browser is, gets one decompressed.
 */
async function readPlain(file: StaticFile): Promise<Buffer> {
  const packed = file.copies.find(({ encoding }) => encoding === 'gzip')
  return packed === undefined ? readListed(file.path) : unpack(await readListed(packed.path))
}

/** Read for each answer: the files are small and need not stay in memory. */
export async function readListed(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    // It has been rebuilt since the start.
    if (isMissing(error)) throw new GatewayError('not_found')
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** RFC 9110, 13.1.2: compared weakly, because a proxy may have weakened it. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((part) => ['*', etag].includes(part.trim().replace(/^W\//, '')))
}
