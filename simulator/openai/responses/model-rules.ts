import { type JsonObject, objectOrEmpty } from '../../json.ts'
import { modelBeforeScenario } from '../../scenarios.ts'
import type { OpenaiError } from '../errors.ts'
import { openaiModel } from '../models.ts'
import { invalidValue } from './field-rules.ts'

/** What one model refuses although another takes it. Models of any kind take tools here, unlike on chat completions. */
export function problemWithModel(body: JsonObject): OpenaiError | null {
  const id = modelBeforeScenario(String(body['model']))
  if (id.startsWith('text-embedding')) {
    return { message: `The requested model '${id}' cannot be used with the Responses API.`, param: 'model' }
  }
  const model = openaiModel(String(body['model']))
  if (!model) return null
  const { effort } = objectOrEmpty(body['reasoning'])
  if (!model.efforts) return effort === undefined || effort === null ? null : unsupported('reasoning.effort')
  if (effort !== undefined && effort !== null && !model.efforts.includes(String(effort))) {
    return { ...invalidValue('reasoning.effort', effort, model.efforts), code: 'unsupported_value' }
  }
  if (effort === 'none') return null
  const sampled = ['temperature', 'top_p'].find(
    (name) => body[name] !== undefined && body[name] !== null && body[name] !== 1,
  )
  return sampled === undefined ? null : unsupported(sampled)
}

function unsupported(name: string): OpenaiError {
  return {
    message: `Unsupported parameter: '${name}' is not supported with this model.`,
    param: name,
    code: 'unsupported_parameter',
  }
}
