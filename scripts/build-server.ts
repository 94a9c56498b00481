import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { announced, sourceHash } from './source-hash.ts'

const root = join(import.meta.dirname, '..')
const out = join(root, 'dist')
const MARK = '.built'

/** What the built files depend on: the code, how it is built, and the packages that are built in. */
const SOURCES = ['{src,simulator,demo}/**/*.{ts,json}', 'scripts/{build-server,source-hash}.ts', 'package-lock.json']

/**
 * V8 keeps the text of what it runs, one byte a character as long as all of them are ASCII and two if a single one is
 * not: without comments and with such characters escaped, a third of it is left.
 */
const SHORT_TEXT = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
} as const

/**
 * Builds the gateway into dist/ when that is missing or older than its sources; `force` always.
 *
 * A program and its packages become one file with a few that are loaded when needed, a worker thread likewise: hundreds
 * of small modules cost 0.6 s of the start and 22 MB more. Names and lines stay, so that a
 * stack trace can be read.
 */
export async function buildServer(options: { force: boolean }): Promise<void> {
  const wanted = sourceHash(root, SOURCES)
  const mark = join(out, MARK)
  const isCurrent = () => !options.force && existsSync(mark) && readFileSync(mark, 'utf8') === wanted
  if (isCurrent()) return
  await announced('the gateway', async () => {
    // Built beside and moved into place as a whole: whoever starts meanwhile finds all of the old or all of the new.
    const fresh = `${out}.${process.pid}`
    try {
      const modules = await bundle('switchyard', 'src/cli/main.ts', fresh)
      for (const worker of globSync('src/**/{worker,*-worker}.ts', { cwd: root })) {
        modules.push(...(await bundle(basename(worker, '.ts'), worker, fresh)))
      }
      writeFileSync(join(fresh, 'licences.txt'), licencesOf(modules))
      copyData(fresh)
      writeFileSync(join(fresh, MARK), wanted)
      // Somebody else has built the same meanwhile, and uses it.
      if (isCurrent()) return
      rmSync(out, { recursive: true, force: true })
      renameSync(fresh, out)
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  })
}

/** One entry into `folder/<name>.js`, what it loads later into files that carry its name; hands out what went in. */
async function bundle(name: string, entry: string, folder: string): Promise<string[]> {
  // Loaded only when needed: every `npm start` passes here.
  const { rolldown } = await import('rolldown')
  const built = await rolldown({
    cwd: root,
    input: { [name]: entry },
    platform: 'node',
    // An optional native part of the PostgreSQL client that nobody installs.
    external: ['pg-native'],
    // Packages are warned of for what they do; our own code is checked by other means.
    logLevel: 'silent',
  })
  const files = { entryFileNames: '[name].js', chunkFileNames: `${name}.[name].js` }
  const { output } = await built.write({ dir: folder, format: 'esm', ...files, ...SHORT_TEXT })
  await built.close()
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

/** What is built in goes on with its terms. */
function licencesOf(modules: readonly string[]): string {
  const packages = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  return [...new Set(packages)].sort().map(licenceOf).join('\n')
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: folder })
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
  return `${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`
}

/** What the code reads beside itself at run time. */
function copyData(folder: string): void {
  for (const file of globSync('src/**/*.json', { cwd: root, exclude: ['**/fixtures/**'] })) {
    writeFileSync(join(folder, basename(file)), readFileSync(join(root, file)))
  }
}
