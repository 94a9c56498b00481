import type { JsonObject } from '../json.ts'
import type { OpenaiError } from './errors.ts'

export function problemWithRequest(_body: JsonObject): OpenaiError | null {
  return null
}
