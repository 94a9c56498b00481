import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** One import or re-export of a module, as the parser sees it. */
export interface Import {
  /** A path from the root for files of ours, else the specifier of a package. */
  target: string
  isOurs: boolean
  /** What is imported by name; empty where the whole module is. */
  names: string[]
  isTypeOnly: boolean
}

export const sources = globSync('{src,demo,simulator,bench}/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

const read = new Map<string, Import[]>()

export function importsOf(file: string): Import[] {
  const known = read.get(file)
  if (known !== undefined) return known
  const text = readFileSync(file, 'utf8')
  const { module } = parseSync(file, text)
  const found: Import[] = []
  const add = (specifier: string, entries: readonly { name: string | null; isType: boolean }[]) => {
    const isOurs = specifier.startsWith('.')
    const target = isOurs ? normalize(join(dirname(file), specifier)) : specifier
    const names = entries.flatMap(({ name }) => name ?? [])
    found.push({ target, isOurs, names, isTypeOnly: entries.length > 0 && entries.every(({ isType }) => isType) })
  }
  for (const { moduleRequest, entries } of module.staticImports) {
    add(
      moduleRequest.value,
      entries.map(({ importName, isType }) => ({ name: importName.name, isType })),
    )
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, isType } of entries) {
      if (moduleRequest !== null) add(moduleRequest.value, [{ name: importName.name, isType }])
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const written = text.slice(moduleRequest.start, moduleRequest.end)
    if (/^'.*'$/.test(written)) add(written.slice(1, -1), [])
  }
  read.set(file, found)
  return found
}

/** Files of the source that import this name from this file, or all of it. */
export function importersOf(name: string, from: string): string[] {
  const has = (names: readonly string[]) => names.length === 0 || names.includes(name)
  return sources.filter((file) => importsOf(file).some(({ target, names }) => target === from && has(names)))
}

/** Every circle of imports, types included: a list of files, the first one again at its end. */
export function circles(files: readonly string[]): string[][] {
  const found: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string) => {
    const at = path.indexOf(file)
    if (at >= 0) found.push([...path.slice(at), file])
    if (at >= 0 || done.has(file)) return
    path.push(file)
    for (const { target, isOurs } of importsOf(file)) if (isOurs && files.includes(target)) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of files) visit(file)
  return found
}
