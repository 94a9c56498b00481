import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Witness } from './life.ts'

/** What a version left on disk when it was killed; recorded once, when that version was the newest. */
export interface Stored {
  version: string
  engine: 'sqlite' | 'postgres'
  folder: string
  witness: Witness
}

const ROOT = join(import.meta.dirname, 'stored')

export function storedVersions(): Stored[] {
  return globSync('*/*/witness.json', { cwd: ROOT })
    .sort()
    .map((path) => {
      const folder = join(ROOT, dirname(path))
      const witness = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Witness
      return {
        version: basename(dirname(dirname(path))),
        engine: basename(folder) as Stored['engine'],
        folder,
        witness,
      }
    })
}

/** The 4 MB of zeros that a spool reserves are not worth keeping. */
export function pack(dataDir: string, into: string): void {
  mkdirSync(into, { recursive: true })
  const archive = execFileSync('tar', ['-c', '--exclude=reserve', '--exclude=reserve.new', '-C', dataDir, '.'], {
    maxBuffer: 1 << 30,
  })
  writeFileSync(join(into, 'data.tar.gz'), gzipSync(archive, { level: 9 }))
}

export function unpack(folder: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true })
  const archive = gunzipSync(readFileSync(join(folder, 'data.tar.gz')))
  execFileSync('tar', ['-x', '-C', dataDir], { input: archive })
}

export function packDump(url: string, bin: string, into: string): void {
  const dump = execFileSync(join(bin, 'pg_dump'), ['--no-owner', '--inserts', '--rows-per-insert=500', url], {
    maxBuffer: 1 << 30,
  })
  writeFileSync(join(into, 'dump.sql.gz'), gzipSync(dump, { level: 9 }))
}

export function restoreDump(folder: string, bin: string, url: string): void {
  const dump = gunzipSync(readFileSync(join(folder, 'dump.sql.gz')))
  execFileSync(join(bin, 'psql'), ['--quiet', '--set=ON_ERROR_STOP=1', url], {
    input: dump,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
}
