import { basename, dirname, isAbsolute, join } from 'node:path'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { ImportError } from './import-error.ts'
import type { LitellmSource, SourceSection } from './source.ts'
import { inside, type ReadDocument, readDocument } from './yaml-lines.ts'

export type ReadText = (path: string) => string | Promise<string>

/** `-`: standard input. Included files are beside the main one. */
export async function readLitellmFile(path: string, readText: ReadText): Promise<LitellmSource> {
  const main = unwrapped(readDocument(await readText(path), shown(path)), shown(path))
  const folder = path === '-' ? '.' : dirname(path)
  const seen = new Set([path])
  const waiting = includesOf(main, shown(path))
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const file = isAbsolute(next.name) ? next.name : join(folder, next.name)
    if (seen.has(file)) throw new ImportError(`${next.by}: ${next.name} is included twice, or includes itself`)
    seen.add(file)
    const included = readDocument(await readIncluded(file, next, readText), next.name)
    waiting.push(...includesOf(included, next.name))
    merge(main, included)
  }
  return sourceOf(main, shown(path))
}

function shown(path: string): string {
  return path === '-' ? 'standard input' : basename(path)
}

interface Include {
  name: string
  /** File and line that include it. */
  by: string
}

function includesOf({ value, lines }: ReadDocument, file: string): Include[] {
  const { include = [] } = value
  const by = lines.get('include') ?? file
  if (!Array.isArray(include) || !include.every((name) => typeof name === 'string')) {
    throw new ImportError(`${by}: include is a list of files`)
  }
  return include.map((name: string, index) => ({ name, by: lines.get(`include[${index}]`) ?? by }))
}

async function readIncluded(file: string, { name, by }: Include, readText: ReadText): Promise<string> {
  try {
    return await readText(file)
  } catch {
    throw new ImportError(`${by}: the included file ${name} cannot be read`)
  }
}

/** The values of the Helm chart hold the file under `proxy_config`. */
function unwrapped(document: ReadDocument, file: string): ReadDocument {
  const { value, lines } = document
  if (value['kind'] === 'ConfigMap') {
    throw new ImportError(`${file} is a ConfigMap of Kubernetes: extract the config.yaml in it and import that`)
  }
  const inner = value['proxy_config']
  if (!isJsonObject(inner)) return document
  const start = 'proxy_config.'
  const within = [...lines].filter(([path]) => path.startsWith(start))
  return { value: inner, lines: new Map(within.map(([path, line]) => [path.slice(start.length), line])) }
}

/** Lists are appended; everything else of an included file replaces what was there. */
function merge(main: ReadDocument, included: ReadDocument): void {
  for (const [key, value] of Object.entries(included.value)) {
    const before = main.value[key]
    const isAppended = Array.isArray(value) && Array.isArray(before)
    if (!isAppended) forget(main.lines, key)
    const shift = isAppended ? before.length : 0
    main.value[key] = isAppended ? [...before, ...value] : value
    for (const [path, line] of included.lines) {
      const [head, index, tail = ''] = [key, ...(/^\[(\d+)\](.*)$/s.exec(path.slice(key.length))?.slice(1) ?? [])]
      if (path === key && !isAppended) main.lines.set(key, line)
      else if (path.startsWith(`${key}.`)) main.lines.set(path, line)
      else if (path.startsWith(`${key}[`)) main.lines.set(`${head}[${Number(index) + shift}]${tail}`, line)
    }
  }
}

function forget(lines: Map<string, string>, key: string): void {
  for (const path of [...lines.keys()]) {
    if (path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`)) lines.delete(path)
  }
}

const SECTIONS = ['general_settings', 'router_settings', 'litellm_settings', 'environment_variables'] as const
const APART: ReadonlySet<string> = new Set(['model_list', 'credential_list', ...SECTIONS])

function sourceOf({ value, lines }: ReadDocument, file: string): LitellmSource {
  const at = (start: string) => (path: string) => lineOf(lines, path === '' ? start : inside(start, path)) ?? file
  const section = (name: (typeof SECTIONS)[number]): SourceSection => {
    const values = value[name] ?? {}
    if (!isJsonObject(values)) throw new ImportError(`${at('')(name)}: ${name} is not a mapping`)
    return { values, path: name, at: at(name) }
  }
  const listed = (name: string) => {
    const list = value[name] ?? []
    const isList = Array.isArray(list) && list.every(isJsonObject)
    if (!isList) throw new ImportError(`${at('')(name)}: ${name} is not a list of mappings`)
    return list.map((item: JsonObject, index: number) => {
      const path = `${name}[${index}]`
      return { item, path, source: lineOf(lines, path) ?? file, at: at(path) }
    })
  }
  const [general, router, litellm, environment] = SECTIONS.map(section) as [
    SourceSection,
    SourceSection,
    SourceSection,
    SourceSection,
  ]
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !APART.has(key)))
  return {
    models: listed('model_list').map(({ item, ...place }) => {
      const { model_name: name, litellm_params, model_info, ...more } = item
      const [params, info] = [litellm_params ?? {}, model_info ?? {}]
      if (typeof name !== 'string' || !isJsonObject(params) || !isJsonObject(info)) {
        throw new ImportError(`${place.source}: ${place.path} needs a model_name and litellm_params`)
      }
      return { name, params, info, rest: more, ...place }
    }),
    credentials: listed('credential_list').map(({ item, ...place }) => {
      const { credential_name: name, credential_values: values = {}, ...more } = item
      return { name: String(name ?? ''), values: isJsonObject(values) ? values : {}, rest: more, ...place }
    }),
    general,
    router,
    litellm,
    environment,
    rest: { values: rest, path: '', at: at('') },
  }
}

/** The line of a setting, else of what it is in. */
function lineOf(lines: ReadonlyMap<string, string>, path: string): string | undefined {
  const found = lines.get(path)
  if (found !== undefined || path === '') return found
  return lineOf(lines, path.slice(0, Math.max(0, path.lastIndexOf('.'), path.lastIndexOf('['))))
}
