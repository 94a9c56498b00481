import { createHash } from 'node:crypto'

/** A Lua script, which the server runs atomically. */
export interface Script {
  readonly name: string
  readonly text: string
  readonly sha: string
}

export function defineScript(name: string, ...parts: string[]): Script {
  const text = parts.join('\n')
  return { name, text, sha: createHash('sha1').update(text).digest('hex') }
}
