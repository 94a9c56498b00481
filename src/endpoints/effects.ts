import type { Effects } from '../domain/cache/route-cache.ts'
import type { JsonObject } from '../domain/request/call-request.ts'

/** By the fields that declare tools, and those that name what a provider keeps. */
export function effectsBy(tools: readonly string[], state: readonly string[] = []): (request: JsonObject) => Effects {
  return (request) => {
    if (state.some((name) => isGiven(request[name]))) return 'state'
    return tools.some((name) => isGiven(request[name])) ? 'tools' : 'none'
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}
