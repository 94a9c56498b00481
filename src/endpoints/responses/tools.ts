import { hash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'

/** A tool that the caller runs. */
export interface CallerTool {
  /** Its path, for messages. */
  path: string
  /** `custom`: its input is text, not JSON. */
  kind: 'function' | 'custom'
  namespace: string | null
  name: string
  /** In chat there are no namespaces. */
  chatName: string
  definition: JsonObject
}

/** A tool that only this format has; usually the provider runs it. */
export interface HostedTool {
  path: string
  type: string
  /** The caller runs it: it adds nothing to the prompt. */
  isCallers: boolean
}

export interface DeclaredTools {
  own: CallerTool[]
  hosted: HostedTool[]
}

/** Some agents declare further tools as items of the input. */
const LATER_TOOLS = 'additional_tools'

/** All tools of a request, those inside of namespaces included. Entries that are no tools are left out. */
export function declaredTools({ tools, input }: JsonObject): DeclaredTools {
  const declared: DeclaredTools = { own: [], hosted: [] }
  addTools(declared, tools, 'tools', null)
  if (!Array.isArray(input)) return declared
  for (const [at, item] of input.entries()) {
    if (isJsonObject(item) && item['type'] === LATER_TOOLS) {
      addTools(declared, item['tools'], `input[${at}].tools`, null)
    }
  }
  return declared
}

function addTools(declared: DeclaredTools, tools: unknown, place: string, namespace: string | null): void {
  if (!Array.isArray(tools)) return
  for (const [at, definition] of tools.entries()) {
    if (!isJsonObject(definition)) continue
    const { type, name } = definition
    const path = `${place}[${at}]`
    if (type === 'namespace' && namespace === null) {
      addTools(declared, definition['tools'], `${path}.tools`, typeof name === 'string' ? name : '')
    } else if ((type === 'function' || type === 'custom') && typeof name === 'string') {
      const chatName = chatNameOf(namespace, name)
      declared.own.push({ path, kind: type, namespace, name, chatName, definition })
    } else declared.hosted.push({ path, type: String(type), isCallers: isCallersSearch(definition) })
  }
}

/** Agents search their own tools; nothing else is taken at its word about who runs it. */
function isCallersSearch({ type, execution }: JsonObject): boolean {
  return type === 'tool_search' && execution === 'client'
}

/** What vendors accept at most. */
const LONGEST_NAME = 64

/** `namespace__name`. A name that would be too long ends in a hash, so that it stays the same in every turn. */
export function chatNameOf(namespace: unknown, name: string): string {
  if (typeof namespace !== 'string' || namespace === '') return name
  const whole = `${namespace}__${name}`
  return whole.length <= LONGEST_NAME ? whole : `${whole.slice(0, 55)}_${hash('sha256', whole, 'hex').slice(0, 8)}`
}

/** By the name that the model calls. */
export type ToolNames = ReadonlyMap<string, Pick<CallerTool, 'kind' | 'namespace' | 'name'>>

export function toolNames(request: JsonObject): ToolNames {
  return new Map(declaredTools(request).own.map((tool) => [tool.chatName, tool]))
}

/** Enough to know the tools again: names and kinds. */
export function toolOutline(request: JsonObject): JsonObject[] {
  return declaredTools(request).own.map(({ kind, name, namespace }) =>
    namespace === null ? { type: kind, name } : { type: 'namespace', name: namespace, tools: [{ type: kind, name }] },
  )
}
