import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { announced, sourceHash } from './source-hash.ts'

const root = join(import.meta.dirname, '..')
const out = join(root, 'dist')
const MARK = '.built'

/** What the built files depend on: the code, how it is built, and the packages that are built in. */
const SOURCES = [
  '{src,simulator,demo,prove}/**/*.{ts,json}',
  'scripts/{build-server,source-hash}.ts',
  'package-lock.json',
]

/** Loaded on demand by the program and by its threads: built once, beside them. */
const SHARED = [
  'src/telemetry/otel/create-tracing.ts',
  'nodemailer',
  'pino-pretty',
  'src/content/own-patterns.ts',
  'src/limits/counters/redis-client.ts',
]

/**
 * V8 keeps the source text in memory, with one byte per character only if all of it is ASCII. So comments are removed
 * and other characters escaped.
 */
const SHORT_TEXT = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
} as const

/**
 * Builds the gateway into dist/ when that is missing or older than its sources; `force` always.
 *
 * A program and its packages become one file and a few that are loaded on demand, and so does a worker thread: hundreds
 * of small modules start more slowly and take more memory (docs/decisions/0009-built-program.md). Names and lines stay,
 * so that stack traces are readable.
 */
export async function buildServer(options: { force: boolean }): Promise<void> {
  const wanted = sourceHash(root, SOURCES)
  const mark = join(out, MARK)
  const isCurrent = () => !options.force && existsSync(mark) && readFileSync(mark, 'utf8') === wanted
  if (isCurrent()) return
  await announced('the gateway', async () => {
    // Built in another folder and moved into place as a whole: a concurrent start finds either all old or all new
    // files.
    const fresh = `${out}.${process.pid}`
    try {
      const modules = await bundle({ switchyard: 'src/cli/main.ts' }, fresh)
      for (const workers of workerGroups()) modules.push(...(await bundle(workers, fresh)))
      for (const part of SHARED) modules.push(...(await bundle({ [sharedName(part)]: part }, fresh)))
      writeFileSync(join(fresh, 'licences.txt'), licencesOf(modules))
      copyData(fresh)
      writeFileSync(join(fresh, MARK), wanted)
      // Another process has built the same in the meantime, and uses it.
      if (isCurrent()) return
      rmSync(out, { recursive: true, force: true })
      renameSync(fresh, out)
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  })
}

/** Those that write to the database are built together: both clients of it are large. */
function workerGroups(): Record<string, string>[] {
  const workers = globSync('src/**/{worker,*-worker}.ts', { cwd: root }).map((path) => [basename(path, '.ts'), path])
  const writes = (name = '') => name === 'fold-worker' || name === 'content-worker'
  const alone = workers.filter(([name]) => !writes(name)).map((worker) => Object.fromEntries([worker]))
  return [...alone, Object.fromEntries(workers.filter(([name]) => writes(name)))]
}

/** Builds entries into `folder/<name>.js`, and on-demand parts into files with the first name; returns what went in. */
async function bundle(input: Record<string, string>, folder: string): Promise<string[]> {
  const [name] = Object.keys(input)
  // Loaded on demand: every `npm start` runs this file.
  const { rolldown } = await import('rolldown')
  const built = await rolldown({
    cwd: root,
    input,
    platform: 'node',
    // An optional native part of the PostgreSQL client, never installed.
    external: ['pg-native'],
    plugins: [{ name: 'shared', resolveId: sharedFile }],
    // Warnings about packages are ignored; our own code is checked elsewhere.
    logLevel: 'silent',
  })
  const files = { entryFileNames: '[name].js', chunkFileNames: `${name}.[name].js` }
  // Of shared parts nearly all is packages', so their lines matter less than their size.
  const removeWhitespace = name?.startsWith('shared.') === true
  const minify = { ...SHORT_TEXT.minify, codegen: { ...SHORT_TEXT.minify.codegen, removeWhitespace } }
  const { output } = await built.write({ dir: folder, format: 'esm', ...files, ...SHORT_TEXT, minify })
  await built.close()
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

/** Another program's import of a shared part is kept, under the name of the built file. */
function sharedFile(source: string, importer: string | undefined): { id: string; external: true } | null {
  const part = SHARED.find((each) => basename(each) === basename(source))
  if (importer === undefined || part === undefined) return null
  return { id: `./${sharedName(part)}.js`, external: true }
}

function sharedName(part: string): string {
  return `shared.${basename(part, '.ts')}`
}

/** The licences of the bundled packages, without repeats. */
function licencesOf(modules: readonly string[]): string {
  const packages = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  const byText = new Map<string, string[]>()
  for (const folder of [...new Set(packages)].sort()) {
    const { title, text } = licenceOf(folder)
    byText.set(text, [...(byText.get(text) ?? []), title])
  }
  return [...byText].map(([text, titles]) => `${titles.join('\n')}\n\n${text}\n`).join('\n')
}

function licenceOf(folder: string): { title: string; text: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: folder })
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
  return { title: `${name} ${version} (${license ?? 'see below'})`, text: text.trim() }
}

/** Files that the code reads at run time. */
function copyData(folder: string): void {
  for (const file of globSync('src/**/*.json', { cwd: root, exclude: ['**/fixtures/**'] })) {
    writeFileSync(join(folder, basename(file)), readFileSync(join(root, file)))
  }
}
