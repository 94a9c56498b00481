import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

/** Builds the dashboard into dashboard/dist when that is missing or older than its sources; `--force` always. */
const root = join(import.meta.dirname, '..')
const out = join(root, 'dashboard/dist')
/** Beside the files, not among them: it is not served and not shipped. */
const mark = join(root, 'dashboard/.built')

/** What the built files depend on: the dashboard, the contract its client is read off, and the packages. */
function hashOfSources(): string {
  const hash = createHash('sha256')
  const files = globSync(
    [
      'dashboard/{index.html,vite.config.ts}',
      'dashboard/{src,public}/**/*.*',
      'src/{management/contract,domain}/**/*.ts',
      'package-lock.json',
    ],
    { cwd: root },
  ).filter((file) => !file.endsWith('.test.ts'))
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/** Scripts and styles once more, compressed: nobody waits for that at run time. */
function compress(): void {
  for (const file of globSync('**/*.{js,css,svg}', { cwd: out })) {
    const bytes = readFileSync(join(out, file))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(join(out, `${file}.br`), brotliCompressSync(bytes, { params }))
    // Browsers take Brotli only over TLS and from localhost.
    writeFileSync(join(out, `${file}.gz`), gzipSync(bytes, { level: 9 }))
  }
}

const wanted = hashOfSources()
const isThere = existsSync(mark) && existsSync(join(out, 'index.html'))
const present = isThere ? readFileSync(mark, 'utf8') : ''
if (present !== wanted || process.argv.includes('--force')) {
  process.stderr.write('Building the dashboard, once …')
  const startedAt = performance.now()
  await build({ configFile: join(root, 'dashboard/vite.config.ts'), logLevel: 'error' })
  compress()
  writeFileSync(mark, wanted)
  process.stderr.write(` done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
}
