import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { type ContentsRequest, fieldOf, textField } from '../../domain/request/contents.ts'
import { chatName } from '../messages/tool-names.ts'

/** Every function that the request declares, in order. */
export function declarationsIn({ tools }: Pick<ContentsRequest, 'tools'>): JsonObject[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown) => {
    const listed = isJsonObject(tool) ? fieldOf(tool, 'functionDeclarations') : undefined
    return Array.isArray(listed) ? listed.filter(isJsonObject) : []
  })
}

/** Those whose names chat does not know must be found again in an answer. */
export function shortenedTools(request: Pick<ContentsRequest, 'tools'>): object[] {
  const functionDeclarations = declarationsIn(request).flatMap((declared) => {
    const name = textField(declared, 'name')
    return name === null || chatName(name) === name ? [] : [{ name }]
  })
  return functionDeclarations.length === 0 ? [] : [{ functionDeclarations }]
}

/** From the names in an answer to the caller's. */
export function callersNames(request: Pick<ContentsRequest, 'tools'>): (name: string) => string {
  const names = new Map<string, string>()
  for (const declared of declarationsIn(request)) {
    const name = textField(declared, 'name')
    if (name !== null) names.set(chatName(name), name)
  }
  return (name) => names.get(name) ?? name
}
