import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { announced, sourceHash } from './source-hash.ts'

const root = join(import.meta.dirname, '..')
const out = join(root, 'dashboard/dist')
/** Beside the files, not among them: it is neither served nor shipped. */
const mark = join(root, 'dashboard/.built')

/** What the built files depend on: the dashboard, the API contract of its client, and the packages. */
const SOURCES = [
  'dashboard/{index.html,docs.html,vite.config.ts}',
  'dashboard/{src,public}/**/*.*',
  'src/{management/contract,domain}/**/*.ts',
  'package-lock.json',
]

/**
 * Compressed copies in the place of scripts and styles, so that nothing is compressed at run time. All three would make
 * the package a third larger.
 */
function compress(): void {
  for (const file of globSync('**/*.{js,css,svg}', { cwd: out })) {
    const bytes = readFileSync(join(out, file))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(join(out, `${file}.br`), brotliCompressSync(bytes, { params }))
    // Browsers accept Brotli only over TLS and from localhost.
    writeFileSync(join(out, `${file}.gz`), gzipSync(bytes, { level: 9 }))
    rmSync(join(out, file))
  }
}

/** Builds the dashboard into dashboard/dist when that is missing or older than its sources; `force` always. */
export async function buildDashboard(options: { force: boolean }): Promise<void> {
  const wanted = sourceHash(root, SOURCES)
  const isThere = existsSync(mark) && existsSync(join(out, 'index.html'))
  if (!options.force && isThere && readFileSync(mark, 'utf8') === wanted) return
  await announced('the dashboard', async () => {
    // Loaded on demand: every `npm start` runs this file.
    const { build } = await import('vite')
    await build({ configFile: join(root, 'dashboard/vite.config.ts'), logLevel: 'error' })
    compress()
    writeFileSync(mark, wanted)
  })
}

if (import.meta.main) await buildDashboard({ force: process.argv.includes('--force') })
