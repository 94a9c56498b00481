import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { type DeclaredFunction, declaredFunctions } from '../../declared-functions.ts'
import { type ToolChoice, wantedChoice } from '../../tool-choice.ts'
import type { Draft } from './draft.ts'

/** `tools` and `toolConfig`, which depend on each other. */
export function addTools({ request, body, ignored }: Draft): void {
  const declared = declaredFunctions(request)
  const choice = wantedChoice(request)
  if (declared.length === 0) {
    checkWithoutTools(choice)
    return
  }
  const names = new Set(declared.map(({ name }) => name))
  for (const name of choice?.allowed ?? (choice?.name === undefined ? [] : [choice.name])) {
    if (!names.has(name)) mistake(worded`tool_choice: no tool has the name ${quoted(name)}`)
  }
  if (declared.some(({ isStrict }) => isStrict)) ignored.add('strict')
  // It has no such switch; a caller who cannot take two calls sees in the answer's header that it was not set.
  if (request['parallel_tool_calls'] === false) ignored.add('parallel_tool_calls')
  // Names can be allowed only where a call is required.
  const allowed = choice?.type === 'auto' ? choice.allowed : undefined
  const usable = allowed === undefined ? declared : declared.filter(({ name }) => allowed.has(name))
  body['tools'] = [{ functionDeclarations: usable.map(declaration) }]
  if (choice !== null) body['toolConfig'] = { functionCallingConfig: callingConfig(choice) }
}

function checkWithoutTools(choice: ToolChoice | null): void {
  if (choice !== null && (choice.allowed !== undefined || choice.type === 'any' || choice.type === 'tool')) {
    mistake(worded`tool_choice: a tool is required, but the request has no tools`)
  }
}

function declaration({ name, description, parameters, path }: DeclaredFunction): JsonObject {
  const declared: JsonObject = { name }
  if (description !== null) declared['description'] = description
  if (parameters === null || parameters === undefined) return declared
  if (!isJsonObject(parameters)) return mistake(worded`${path}.parameters: expected a JSON schema`)
  if (Object.keys(parameters).length > 0) declared['parametersJsonSchema'] = parameters
  return declared
}

function callingConfig({ type, name, allowed }: ToolChoice): JsonObject {
  switch (type) {
    case 'auto':
      return { mode: 'AUTO' }
    case 'none':
      return { mode: 'NONE' }
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [name] }
    case 'any':
      return { mode: 'ANY', ...(allowed === undefined ? {} : { allowedFunctionNames: [...allowed] }) }
  }
}
